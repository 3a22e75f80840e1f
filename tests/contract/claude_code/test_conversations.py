"""What a session holds, what it was asked and what it ran, as the real client wrote it."""

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attendd.harness.conversation import Conversation
from attendd.harness.gauge import measure
from attendd.harness.transcript import Transcript
from attendd.model import Gauge, Status
from tests.contract.claude_code.recorded import ROOT, VERSIONS, Play, Recorded, measured, usages

TOOLS = "tools"
TURNS = {
    "start": 0,
    "after hello": 1,
    "after second": 2,
    "after bash": 3,
    "after run:write": 5,
    "after background": 6,
    "after agent": 7,
    "after queued": 9,
    "interrupted": 10,
    "after after interrupt": 11,
    "after run:err": 12,
}
RUNNING = ("in bash", "in agent", "queued", "in slow")
QUIET = ("start", "after hello", "after background", "after agent", "after run:err")
SHAPES = [(v, s.name) for v in VERSIONS for s in sorted((ROOT / v).iterdir()) if s.is_dir()]


def test_the_gauge_is_what_the_last_answer_took(play: Play) -> None:
    recorded = play(TOOLS)
    view = recorded.view()

    for label in recorded.steps:
        recorded.play(label)
        answers = usages(recorded, recorded.main(), label)

        assert measured(view).tokens_used == (answers[-1] if answers else 0), label


def test_every_prompt_of_a_person_counts_once_and_nothing_else_does(play: Play) -> None:
    """Not a task's notice, a tool's result, an interruption, or an answer of the client's own."""
    recorded = play(TOOLS)
    view = recorded.view()

    for label, turns in TURNS.items():
        recorded.play(label)
        view.refresh()

        assert (view.activity().turns, view.activity().prompted) == (turns, turns > 0), label


def test_the_status_is_the_clients_own(play: Play) -> None:
    recorded = play(TOOLS)
    view = recorded.view()
    seen = {}
    for label in ("start", "in bash", "bash in background", "after background", "end"):
        recorded.play(label)
        view.refresh()
        seen[label] = view.activity().status

    assert seen == {
        "start": Status.IDLE,
        "in bash": Status.BUSY,
        "bash in background": Status.IDLE,
        "after background": Status.IDLE,
        "end": Status.UNKNOWN,
    }


@pytest.mark.parametrize("label", RUNNING)
def test_what_happens_while_a_call_runs_is_the_sessions_own_doing(
    play: Play, label: str
) -> None:
    """Also while only a subagent runs one: its own transcript says so."""
    recorded = play(TOOLS)
    recorded.play(label)

    assert recorded.view().own_doing(recorded.moment - 0.2, recorded.moment) is True


@pytest.mark.parametrize("label", QUIET)
def test_what_happens_while_none_runs_is_not(play: Play, label: str) -> None:
    recorded = play(TOOLS)
    recorded.play(label)

    assert recorded.view().own_doing(recorded.moment - 0.2, recorded.moment) is False


def test_a_command_in_the_background_counts_until_it_was_started(play: Play) -> None:
    recorded = play(TOOLS)
    recorded.play("bash in background")
    view = recorded.view()
    view.refresh()
    idle_since = recorded.harness.live()[0].since
    assert idle_since is not None

    assert view.own_doing(idle_since - 0.2, idle_since) is True
    assert view.own_doing(idle_since + 0.1, recorded.moment) is False


def test_an_error_of_the_api_changes_neither_gauge_nor_epoch(play: Play) -> None:
    recorded = play(TOOLS)
    view = recorded.view()
    recorded.play("after bash mode")
    before = measured(view)
    recorded.play("after run:err")

    assert measured(view) == before


def test_a_rewind_lowers_the_gauge_and_begins_an_epoch(play: Play) -> None:
    recorded = play("cuts")
    view = recorded.view()
    gauges = []
    for label in ("after three", "after four", "after after rewind", "after and on"):
        recorded.play(label)
        gauges.append(measured(view))
    epochs = [gauge.epoch for gauge in gauges]

    assert gauges[2].tokens_used < gauges[1].tokens_used
    assert epochs[0] == epochs[1] != epochs[2] == epochs[3]


def test_a_compaction_is_what_it_says_it_left_until_the_next_answer(play: Play) -> None:
    recorded = play("cuts")
    view = recorded.view()
    gauges = []
    for label in ("after and on", "after /compact keep names", "after after compact"):
        recorded.play(label)
        gauges.append(measured(view))

    assert [gauge.method for gauge in gauges] == ["usage", "compaction", "usage"]
    assert 0 < gauges[1].tokens_used < gauges[0].tokens_used
    assert gauges[0].epoch != gauges[1].epoch == gauges[2].epoch


def test_a_fall_without_any_boundary_begins_an_epoch(play: Play) -> None:
    recorded = play("full")
    view = recorded.view()
    gauges = []
    for label in ("after run:full", "after after full", "after and on"):
        recorded.play(label)
        gauges.append(measured(view))

    assert [gauge.tokens_total for gauge in gauges] == [200_000] * 3
    assert gauges[0].pct_used == pytest.approx(92.731)
    assert gauges[0].epoch != gauges[1].epoch == gauges[2].epoch


def test_a_rewind_into_the_middle_of_a_turn_is_one(tmp_path: Path) -> None:
    """The prompt after it follows a tool's result, not the end of a turn."""
    recorded = Recorded("2.1.328", "errors", tmp_path)
    read = Conversation()
    read.read(recorded.lines(recorded.main()))
    recorded.close()
    latest = read.branches.latest

    assert latest.number == 1
    assert not read.branches.interleaved
    assert latest.figure is not None
    assert latest.figure.tokens == 18_462


@pytest.mark.parametrize(("version", "scenario"), SHAPES)
def test_every_recorded_row_is_as_known(version: str, scenario: str) -> None:
    for path in sorted((ROOT / version / scenario).rglob("*.jsonl")):
        read = Conversation()
        read.read(path.read_bytes().splitlines())

        assert read.faults == {}
        assert read.calls.running() == 0


@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
@pytest.mark.parametrize("scenario", ["tools", "cuts", "shared", "errors", "forked"])
def test_however_a_transcript_grows_it_says_the_same_in_the_end(
    tmp_path: Path, scenario: str, data: st.DataObject
) -> None:
    """Cut anywhere, in the middle of a row, a character or a number."""
    source = max((ROOT / "2.1.328" / scenario).glob("*.jsonl"), key=lambda p: p.stat().st_size)
    rows = source.read_bytes()
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=12))
    path = tmp_path / "grown.jsonl"
    path.write_bytes(b"")
    grown, at_once = Transcript(path), Transcript(source)

    for start, end in itertools.pairwise([0, *sorted(cuts), len(rows)]):
        with path.open("ab") as file:
            file.write(rows[start:end])
        grown.refresh()
    at_once.refresh()

    assert told(grown) == told(at_once)
    path.unlink()


def told(transcript: Transcript) -> tuple[Gauge | None, int, int, bool, int]:
    branches = transcript.conversation.branches
    return (
        measure("one", transcript, branches.latest, None),
        branches.latest.turns,
        transcript.size,
        branches.interleaved,
        transcript.conversation.calls.running(),
    )
