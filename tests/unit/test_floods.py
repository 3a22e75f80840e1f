"""Whatever one sensor says, and however much, every other one is heard in time."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendd.engine.batch import Code
from attendd.engine.settings import Governor, SlotShape
from attendd.model import Observation
from tests.unit.attending import SETTINGS, Session, books, event, message

WORST_PAUSE_S = Governor().window_s
"""What docs/tuning.md promises."""
HALF = "A long line of a flood: " + "x" * 3_000
WHOLE = "A flood of many lines\n" + "and one more\n" * 900
DISCLOSURE = "\n".join(f"{n} " + "how to answer " * 6 for n in range(12))

floods = st.fixed_dictionaries(
    {
        "every_s": st.sampled_from([2.0, 5.0, 30.0]),
        "count": st.sampled_from([1, 5, 80]),
        "text": st.sampled_from(["short", HALF, WHOLE]),
        "magnitude": st.sampled_from([1.0, 2.0, 4.0, 10.0]),
        "equal": st.booleans(),
    }
)
others = st.dictionaries(
    st.sampled_from(["git", "peers", "context"]), st.floats(0, 250), min_size=1
)


class Flooded(Session):
    """A session with a sensor that says more than anybody can be told."""

    def __init__(self, *slots: str, every_s: float, seen: Sequence[Observation]) -> None:
        super().__init__(*slots)
        self.attention.add_slot("flood", SlotShape(), 0.0)
        self._every_s, self._seen, self._n = every_s, seen, 0

    def pass_until(self, now: float) -> None:
        while (next_at := self._n * self._every_s) <= now:
            self.at(next_at)
            self._n += 1
            marked = (each.text.replace("flood", f"flood {self._n}") for each in self._seen)
            self.see(
                "flood",
                *(
                    Observation(text=text, magnitude=each.magnitude, lane=each.lane)
                    for text, each in zip(marked, self._seen, strict=True)
                ),
            )
        self.at(now)


def told_at(session: Session, text: str) -> float:
    return next(at for at, b in session.told if any(text in line.text for line in b.lines))


def flooded(flood: dict[str, object], *slots: str) -> Flooded:
    count, text = int(str(flood["count"])), str(flood["text"])
    seen = [
        Observation(
            text=f"flood of {0 if flood['equal'] else n}: {text}",
            magnitude=float(str(flood["magnitude"])),
        )
        for n in range(count)
    ]
    return Flooded(*slots, every_s=float(str(flood["every_s"])), seen=seen)


@settings(max_examples=15, deadline=None)
@given(floods, others)
def test_no_flood_keeps_another_sensor_waiting(
    flood: dict[str, object], others: dict[str, float]
) -> None:
    session = flooded(flood, *others, "disclosure")
    for name, at in sorted([*others.items(), ("disclosure", 200.0)], key=lambda x: x[1]):
        session.pass_until(at)
        text = DISCLOSURE if name == "disclosure" else f"{name} has one thing to say"
        session.see(name, event(text, 5.0 if name == "disclosure" else 3.0))
    session.pass_until(400.0)

    for name, at in others.items():
        assert told_at(session, f"{name} has one thing") <= at + WORST_PAUSE_S
    assert told_at(session, "how to answer") <= 200 + WORST_PAUSE_S
    books(session)


def test_no_flood_of_messages_keeps_a_sensor_waiting() -> None:
    session = Flooded("git", every_s=1.0, seen=[message(f"flood {WHOLE}") for _ in range(3)])
    session.pass_until(100.0)
    session.see("git", event("a commit"))
    session.pass_until(200.0)

    assert told_at(session, "a commit") <= 101.0


def test_each_sensor_has_a_line_before_one_has_two() -> None:
    session = Session("flood", "git", "peers")
    session.attention.observe("git", [event("a commit"), event("a file", 1.0)], 0.0)
    session.attention.observe("peers", [event("somebody came")], 0.0)

    batch = session.see("flood", *(event(f"{n} {HALF}", 9.0) for n in range(50)))

    slots = [line.slot for line in batch.lines] if batch else []
    assert [slots.count(name) for name in ("flood", "git", "peers")] == [5, 2, 1]
    assert slots[0] == "flood"


def test_of_many_that_flood_those_lead_of_which_the_last_batch_had_no_line() -> None:
    names = [f"flood{n}" for n in range(12)]
    session = Session(*names, "git")
    session.see(names[0], event(f"at first {HALF}", 9.0))
    session.at(1.0).see("git", event("a commit"))
    for n in range(0, 200, 10):
        session.at(1.0 + n)
        for name in names:
            session.see(name, event(f"{n} {HALF}", 9.0))

    heard = [{line.slot for line in batch.lines} for _, batch in session.told[1:4]]
    assert set().union(*heard) == {*names, "git"}
    books(session)


@pytest.mark.parametrize("text", [HALF, WHOLE])
def test_what_rides_has_its_place_beside_a_flood(text: str) -> None:
    session = Session("flood", "peers")
    session.see("flood", *(event(f"{n} {text}", 9.0) for n in range(50)))
    session.at(1.0).see("peers", event("Ana came", 2.0))
    session.see("flood", *(event(f"more {n} {text}", 9.0) for n in range(50)))
    session.at(100.0).step()

    assert "Ana came" in session.texts()
    books(session)


def test_what_rides_is_not_lost_among_the_many_that_one_sensor_has_riding() -> None:
    session = Session("flood", "git", "peers")
    session.see("peers", event("Ana came", 2.0))
    for n in range(200):
        session.see("flood", event(f"flood {n}", 2.0))
    books(session)

    batch = session.see("git", event("a commit"))

    texts = [line.text for line in batch.lines] if batch else []
    assert texts[1:4] == ["Ana came", "flood 198", "flood 199"]
    assert texts[4].endswith("only counted: flood 198")
    books(session)


def test_a_pause_that_grew_longer_than_was_said_is_said_anew() -> None:
    session = Session("git", "flood")
    session.see("git", event("first"))
    session.at(1).see("git", event("second"))
    for n in range(2, 60):
        session.at(n).see("flood", event(f"flood {n}", 0.0), event(f"flood also {n}", 0.0))

    said = [e for e in session.decisions if e.code is Code.HELD_GAP and e.slot == "git"]
    promised = [each.at + float(each.detail.split()[2]) for each in said]
    over = [each.at for each in said[1:]] + [told_at(session, "second")]
    assert promised[0] < over[-1] - 5
    assert all(abs(then - promise) <= 1 for promise, then in zip(promised, over, strict=True))
    assert 2 <= len(said) <= 8


def test_many_changes_at_once_count_as_one_where_they_are_folded() -> None:
    settings = SETTINGS.governor
    session = Session("git", "flood")
    session.see("flood", *(event(f"{n}", 9.0) for n in range(60)))
    few = session.attention.snapshot().rates["flood"]
    session.at(300.0).see("flood", *(event(f"once more {n}", 9.0) for n in range(900)))

    assert few == pytest.approx(60 / settings.rate_window_s)
    assert session.attention.snapshot().rates["flood"] <= few + 0.1
