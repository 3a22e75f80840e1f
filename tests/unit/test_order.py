"""In which order a batch tells things: high first, and each sensor's as they happened."""

from attendd.engine.batch import Mood
from tests.unit.attending import IDLE, Session, event


def test_what_rides_is_told_before_what_its_sensor_saw_later() -> None:
    session = Session("git", "peers")
    session.see("git", event("changes were stashed", 1.0), event("work tree clean again", 1.0))
    session.see("peers", event("someone came", 2.0))
    batch = session.see("git", event("1 file newly changed", 3.0))

    assert batch is not None
    assert [(line.slot, line.priority.value) for line in batch.lines] == [
        ("git", "low"),
        ("git", "low"),
        ("git", "medium"),
        ("peers", "low"),
    ]
    assert [line.text for line in batch.lines][:3] == [
        "changes were stashed",
        "work tree clean again",
        "1 file newly changed",
    ]
    assert batch.opener == batch.lines[2].items[0]
    assert batch.observations[2].text == "1 file newly changed"


def test_what_happened_again_is_told_where_it_happened_last() -> None:
    session = Session("git")
    session.mood = IDLE
    for text in ("main → fix", "fix → main", "main → fix"):
        session.see("git", event(text, 3.0))
    session.mood = Mood()
    batch = session.step()

    assert batch is not None
    assert [(line.text, line.count) for line in batch.lines] == [
        ("fix → main", 1),
        ("main → fix", 2),
    ]


def test_a_later_and_weightier_line_of_another_sensor_still_comes_first() -> None:
    session = Session("git", "peers")
    session.mood = IDLE
    session.see("git", event("a commit", 3.0))
    session.see("peers", event("all at once", 6.0))
    session.mood = Mood()
    batch = session.step()

    assert batch is not None
    assert [line.slot for line in batch.lines] == ["peers", "git"]
