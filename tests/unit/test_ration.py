"""A sensor that floods leaves little in the journal, and of all that it said the number."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendd.api import Focus, Observation, SensorConfig, SensorType
from attendd.engine.batch import Code, Decision
from attendd.host.faulty import AGAIN_S, Traces
from attendd.host.ration import EVERY_S, ROOM, SUM_S, Rations
from attendd.store import JournalRow
from attendd.store.journal import JournalReader
from tests.fakes_clock import SimClock
from tests.hosting import hosting
from tests.unit.attending import ENDS, Session

DEADLINE_S = 20
A_LOOK = 500
LOOKS = 60
TOLD = (Code.FIRED, Code.RODE)


def row(each: Decision) -> JournalRow:
    return JournalRow(
        at=each.at,
        kind="gate",
        code=str(each.code),
        attachment="a1",
        sensor=each.slot,
        text=each.text,
        detail=f"item {each.item}, count {each.count}",
    )


def kept(decisions: Sequence[Decision]) -> tuple[list[Decision], list[JournalRow]]:
    """Return what is written by itself, and the sums of the rest."""
    rations, written, sums = Rations(), list[Decision](), list[JournalRow]()
    for each in decisions:
        sums += rations.due(each.at)
        if rations.decided(row(each), each):
            written.append(each)
    return written, sums + rations.due(math.inf)


def number(entry: JournalRow) -> int:
    found = re.search(r"\bcount (\d+)", entry.detail)
    return int(found[1]) if found else 1


def flooded(every_s: float, count: int, magnitude: float, *, equal: bool) -> Session:
    session = Session("flood", "git")
    for n in range(40):
        session.at(n * every_s)
        session.see(
            "flood",
            *(
                Observation(text="flood" if equal else f"flood {n} {m}", magnitude=magnitude)
                for m in range(count)
            ),
        )
    session.see("git", Observation(text="a commit", magnitude=3.0))
    session.at(session.now + 4_000)
    return session


@settings(max_examples=20, deadline=None)
@given(
    every_s=st.sampled_from([1.0, 5.0, 60.0]),
    count=st.sampled_from([1, 30, 200]),
    magnitude=st.sampled_from([0.0, 1.0, 2.0, 9.0]),
    equal=st.booleans(),
)
def test_nothing_is_left_out_of_the_sums_and_no_half_of_a_story_is_written(
    every_s: float, count: int, magnitude: float, *, equal: bool
) -> None:
    decisions = flooded(every_s, count, magnitude, equal=equal).decisions
    written, sums = kept(decisions)

    said = Counter[str]()
    for each in decisions:
        said[each.code] += each.count
    found = Counter[str]()
    for each in written:
        found[each.code] += each.count
    for entry in sums:
        found[entry.code] += number(entry)
    assert found == said
    begun = {each.item for each in written if each.code in (Code.OBSERVED, Code.OWN)}
    began = {each.item for each in decisions if each.code in (Code.OBSERVED, Code.OWN)}
    ended = {each.item for each in written if each.code in ENDS and each.code not in TOLD}
    assert ended & began <= begun
    assert [each for each in written if each.code is Code.FIRED] == [
        each for each in decisions if each.code is Code.FIRED
    ]
    assert [each for each in written if each.slot == "git"] == [
        each for each in decisions if each.slot == "git"
    ]


def test_a_flood_that_has_ended_leaves_the_room_that_there_was() -> None:
    rations, item = Rations(), 0

    def written(now: float, count: int) -> int:
        nonlocal item
        done = 0
        for _ in range(count):
            item += 1
            each = Decision(at=now, slot="flood", code=Code.OWN, item=item)
            done += rations.decided(row(each), each)
        return done

    assert written(0.0, 1_000) == ROOM
    assert written(1.0, 1_000) == 0
    assert rations.due_at == SUM_S
    assert written(EVERY_S * 7, 1_000) == 7
    assert [number(each) for each in rations.due(SUM_S)] == [1_000 + 1_000 - 300 + 993]
    assert written(EVERY_S * ROOM * 2, 1_000) == ROOM
    assert len(rations.due(math.inf)) == 1
    assert rations.due_at == math.inf


def test_what_is_counted_once_is_written_as_it_is() -> None:
    rations = Rations()
    for number_ in range(int(ROOM) + 1):
        each = Decision(at=0.0, slot="git", code=Code.OWN, item=number_ + 1, text="mine")
        rations.decided(row(each), each)

    assert rations.due(SUM_S) == [row(each)]


def test_a_sensor_that_fails_at_every_other_look_leaves_no_more() -> None:
    rations, wall = Rations(), 0.0
    failing = JournalRow(at=wall, kind="health", code="failing", sensor="x", detail="a trace")

    assert sum(rations.fared(failing, 0.0) for _ in range(1_000)) == ROOM
    (entry,) = rations.due(math.inf)
    assert (entry.text, entry.detail) == ("700 in all, the last: ", "")
    traces = Traces()
    assert [traces.fresh(each, at) for each, at in (("a", 0.0), ("a", 9.0), ("b", 9.0))] == [
        "a", "", "b",
    ]  # fmt: skip
    assert traces.fresh("b", 9.0 + AGAIN_S) == "b"


class Flood:
    """Says five hundred things at each look."""

    def __init__(self) -> None:
        self.looks = 0
        self.enough = asyncio.Event()

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Say them."""
        self.looks += 1
        if self.looks >= LOOKS:
            self.enough.set()
        return [
            Observation(text=f"flood {self.looks} {n}", magnitude=1, topic="flood")
            for n in range(A_LOOK)
        ]


@pytest.mark.asyncio
async def test_the_journal_of_a_host_keeps_the_number_and_what_others_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTEND_HOME", str(tmp_path / "attend"))
    clock, flood = SimClock(), Flood()
    kind = SensorType("flood", "floods", SensorConfig, lambda _: flood)
    async with hosting(tmp_path, kind, clock=clock, wait=clock.wait):
        await asyncio.wait_for(flood.enough.wait(), DEADLINE_S)

    rows = JournalReader(tmp_path / "journal.db").recent(1_000_000, sensor="flood")
    count = Counter[str]()
    for each in rows:
        count[each.code] += number(each)
    assert count["observed"] in (A_LOOK * flood.looks, A_LOOK * (flood.looks - 1))
    steps = 2  # it was seen, and what became of it
    assert len(rows) <= steps * ROOM + clock.now() / EVERY_S + 10 * (clock.now() / SUM_S + 1)
    assert any("in all, the last: flood" in each.text for each in rows)
