"""A change of host changes nothing: what was pending, told and held goes on."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.attention import Attention
from attendd.engine.batch import Mood, Step
from attendd.engine.render import render
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.engine.snapshot import Snapshot
from attendd.model import Lane, Observation
from tests.unit.attending import IDLE, SETTINGS, Session, books, event, message

SHAPES = {"git": SlotShape(), "peers": SlotShape(), "context": SlotShape()}
news = st.builds(
    Observation,
    text=st.sampled_from("abcdef"),
    magnitude=st.sampled_from([0.5, 1.0, 2.0, 3.0, 5.0]),
    lane=st.sampled_from(Lane),
    wakes=st.booleans(),
)
polls = st.lists(
    st.tuples(st.floats(0, 90), st.sampled_from(sorted(SHAPES)), st.lists(news, max_size=4)),
    max_size=25,
)


def moved(session: Session, now: float, away_s: float = 0.0) -> Session:
    """Let another host take over, whose clock reads ``now``."""
    data = msgspec.json.encode(session.attention.snapshot())
    snapshot = msgspec.json.decode(data, type=Snapshot)
    session.attention = Attention.restore(SETTINGS, SHAPES, snapshot, now, away_s)
    session.now = now
    return session


def run(session: Session, polls: list[tuple[float, str, list[Observation]]]) -> list[Step]:
    steps = []
    for wait, slot, seen in polls:
        session.now += wait
        session.decisions += session.attention.observe(slot, seen, session.now)
        step = session.attention.step(session.now, session.mood)
        session.keep(step)
        steps.append(step)
    return steps


@given(polls, polls, st.sampled_from([0.0, 7.0, -1.0]), st.booleans())
def test_another_host_decides_as_this_one_would_have(
    before: list[tuple[float, str, list[Observation]]],
    after: list[tuple[float, str, list[Observation]]],
    shift: float,
    awake: bool,  # noqa: FBT001 - drawn
) -> None:
    """Also after a reboot, when the clock begins anew."""
    here, there = Session(*SHAPES, now=1_000.0), Session(*SHAPES, now=1_000.0)
    for session in (here, there):
        session.mood = Mood(awake=awake)
        run(session, before)
    moved(there, max(0.0, there.now + shift * 100))
    stayed, went = run(here, after), run(there, after)

    for step, other in zip(stayed, went, strict=True):
        assert (other.batch and render(other.batch)) == (step.batch and render(step.batch))
        assert [each.code for each in other.decisions] == [each.code for each in step.decisions]
        if step.next_at is not None:
            assert other.next_at is not None
            assert other.next_at - there.now == pytest.approx(step.next_at - here.now, abs=1e-3)
    books(there)


def test_how_long_a_hold_was_said_to_last_is_known_to_another_host() -> None:
    """So that only what has not come true is said anew."""
    here, there = Session(*SHAPES, now=1_000.0), Session(*SHAPES, now=1_000.0)
    for session in (here, there):
        run(session, [(0.0, "git", [event("first", 5.0)]), (1.0, "git", [event("held", 5.0)])])
        assert session.codes("git")[-1] == "held.gap"
    moved(there, 5.0)

    later = [(wait, "git", [event("more", 5.0)]) for wait in (5.0, 10.0, 3.0, 2.0, 4.0)]
    run(here, later)
    run(there, later)

    assert here.codes("git") == there.codes("git")


def test_time_away_counts() -> None:
    session = Session(*SHAPES)
    session.see("git", event("first"))
    session.see("git", event("second"))
    session.see("peers", event("fading", 1.0))

    moved(session, 5.0, away_s=3_600.0).step()

    assert session.texts() == ["first", "second"]
    assert session.codes("peers")[-1] == "faded"
    assert session.attention.due(5.0) == ["git", "peers", "context"]


def test_a_poll_is_as_far_off_as_it_was() -> None:
    session = Session(*SHAPES)
    session.attention.observe("git", [], 0.0)
    session.attention.step(20.0, Mood())

    assert moved(session, 7.0).attention.next_poll("git") == 47.0
    session.attention.step(17.0, Mood())
    assert moved(session, 500.0, away_s=12.0).attention.next_poll("git") == 518.0


def test_the_rate_of_changes_goes_on_falling() -> None:
    session = Session(*SHAPES)
    session.see("git", *(event(f"change {n}", 0.2) for n in range(60)))
    session.at(30).step()
    here = session.attention.snapshot()

    moved(session, 9_000.0, away_s=30.0).step()

    there = session.attention.snapshot()
    assert (here.rate, there.rate) == (1.0, 1.0)
    assert (here.rate_ago_s, there.rate_ago_s) == (30.0, 60.0)


def test_the_sensor_that_is_gone_takes_its_events_along_and_leaves_its_messages() -> None:
    session = Session(*SHAPES, "gone")
    session.mood = IDLE
    session.see("gone", event("lost"), event("rider", 0.0))
    session.see("gone", event("low", 2.0))
    session.attention.observe("gone", [message("kept")], session.now)
    moved(session, 50.0)

    session.step()

    assert session.texts() == ["kept"]
    assert session.codes("gone")[-3:] == ["dropped.slot-gone", "dropped.slot-gone", "fired"]
    assert "gone" not in [view.name for view in session.attention.slots()]


def test_removing_a_sensor_does_the_same() -> None:
    session = Session(*SHAPES)
    session.mood = IDLE
    session.see("git", event("lost"))
    session.attention.remove_slot("git")
    session.step()

    assert session.codes("git")[-1] == "dropped.slot-gone"
    books(session)


def test_a_sensor_that_comes_back_finds_its_messages_still_waiting() -> None:
    session = Session(*SHAPES)
    session.see("peers", message("one"))
    session.see("peers", message("two"))
    session.attention.remove_slot("peers")
    session.attention.add_slot("peers", SlotShape(), session.now)

    session.settled()

    assert session.texts() == ["one", "two"]
    assert session.attention.due(session.now) == ["git", "peers", "context"]


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"slots":{"git":{"items":[{"id":-4,"text":"x","magnitude":-1,"count":-9}]}}}',
        '{"slots":{"git":{"fires":[-5,1e300,3],"due_in_s":-1,"faded_ago_s":-1e300,"ripe":true}}}',
        '{"slots":{"git":{"interval":{"current_s":-3,"quiet":-1,"failures":-9}}},"unknown":1}',
        '{"rate":1e300,"rate_ago_s":-4,"batches":[-1,1e300],"messages":[1e99],"wakes":[-3]}',
        '{"slots":{"git":{"holds":{"event":"held.of-old","elsewhere":"x"}}},"last":-7}',
        '{"riders":{"waiting":[{"slot":"git","item":{"id":3,"text":"x"}}],"counted":{"a":-3}}}',
    ],
)
def test_an_odd_snapshot_is_brought_into_range(text: str) -> None:
    snapshot = msgspec.json.decode(text, type=Snapshot)
    attention = Attention.restore(EngineSettings(), SHAPES, snapshot, 100.0, -5.0)

    attention.observe("git", [event("a"), message("b")], 101.0)
    step = attention.step(101.0, Mood())

    assert step.batch is not None
    assert "b" in [line.text for line in step.batch.lines]
    assert 101.0 < attention.next_poll("git") <= 161.0
    assert len(attention.slots()) == 3
