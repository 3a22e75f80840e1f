"""What the real client wrote of messages is read for what it proves."""

from pathlib import Path

import pytest

from attendd.harness import Trace
from attendd.harness.evidence import Evidence

FIXTURES = Path(__file__).parents[1] / "fixtures" / "messages"
BY_HOOKS = sorted(path.stem for path in FIXTURES.glob("*.jsonl") if "monitor" not in path.stem)
SAID = ("start222", "prmpt222", "stpctx22", "stpbrk22", "stpbrk23")


def read(name: str, rows: int | None = None) -> dict[str, Trace]:
    """Read a transcript, or its first rows, one look for each row."""
    evidence = Evidence(whole=True)
    for line in (FIXTURES / f"{name}.jsonl").read_bytes().splitlines()[:rows]:
        evidence.read([line])
    return dict(evidence.traces().messages)


@pytest.mark.parametrize("name", BY_HOOKS)
def test_what_each_hook_said_was_seen_and_answered(name: str) -> None:
    found = read(name)

    assert set(found) == set(SAID)
    assert all(trace.answer and trace.queued_at is None for trace in found.values())
    seen = [found[each].seen_at or 0.0 for each in SAID]
    assert seen == sorted(seen)


@pytest.mark.parametrize("name", BY_HOOKS)
def test_it_was_not_seen_before_its_row_nor_answered_before_the_answer(name: str) -> None:
    lines = (FIXTURES / f"{name}.jsonl").read_text().splitlines()
    for message in SAID:
        first = next(
            n for n, line in enumerate(lines) if message in line and "stdout" not in line
        )

        assert message not in read(name, first)
        assert read(name, first + 1)[message].answered_at is None


def test_an_event_is_queued_then_a_turn_of_its_own() -> None:
    idle = read("2.1.328-monitor")["ssvgyh9x"]

    assert idle.queued_at is not None
    assert idle.queued_at < (idle.seen_at or 0.0) < (idle.answered_at or 0.0)


def test_an_event_during_a_tool_call_is_queued_until_that_is_done() -> None:
    """Its row bears the time at which it was queued; it came in three seconds later."""
    busy = read("2.1.328-monitor")["2w5mg9am"]

    assert busy.queued_at is not None
    assert (busy.seen_at or 0.0) - busy.queued_at > 2.9
    assert (busy.answered_at or 0.0) > (busy.seen_at or 0.0)
