"""How full a context window is, or that nobody knows."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.harness.gauge import measure
from attendd.harness.transcript import Transcript
from attendd.model import Status
from tests.clients import ClientFolder, states
from tests.transcripts import Written


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ClientFolder]:
    folder = ClientFolder(tmp_path / "claude")
    yield folder
    folder.close()


@pytest.mark.parametrize("rows", [[100_000] * 10, [400_000], [5_000_000]])
def test_a_figure_further_back_is_found_at_the_first_look(
    folder: ClientFolder, rows: list[int]
) -> None:
    """A client may write megabytes after its last answer, in one row or in many."""
    written = Written()
    written.prompt()
    written.answer(1234)
    add(written, rows)
    folder.say(written)
    gauge = folder.view(folder.client()).gauge()

    assert gauge is not None
    assert (gauge.tokens_used, gauge.method) == (1234, "usage")


@pytest.mark.parametrize("rows", [[400_000], [1_500_000], [5_000_000], [900_000] * 6])
def test_a_figure_that_is_known_stays_known_however_much_is_written(
    folder: ClientFolder, rows: list[int]
) -> None:
    written = Written()
    written.prompt()
    written.answer(1234)
    folder.say(written)
    view = folder.view(folder.client())
    add(written, rows)
    folder.say(written)
    view.refresh()
    gauge = view.gauge()

    assert gauge is not None
    assert (gauge.tokens_used, gauge.method) == (1234, "usage")


def add(written: Written, rows: list[int]) -> None:
    """Write rows of so many bytes that say nothing of the gauge."""
    for size in rows:
        written.row("attachment", attachment={"type": "prompt_snapshot", "text": "x" * size})


def test_a_gauge_of_half_a_gigabyte_costs_a_quarter_megabyte(tmp_path: Path) -> None:
    read: list[int] = []

    def read_at(fd: int, size: int, offset: int) -> bytes:
        data = os.pread(fd, size, offset)
        read.append(len(data))
        return data

    written = Written()
    written.prompt()
    written.answer(1234)
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.truncate(500_000_000)
        file.seek(500_000_000)
        file.write(b"\n" + written.data)
    transcript = Transcript(path, read_at)
    transcript.refresh()
    gauge = measure("one", transcript, transcript.conversation.branches.latest, None)

    assert gauge is not None
    assert gauge.tokens_used == 1234
    assert sum(read) <= 256 * 1024


def test_a_gauge_never_says_more_than_all(folder: ClientFolder) -> None:
    written = Written()
    written.prompt()
    written.answer(250_000, model="claude-sonnet-4-6")
    folder.say(written)
    view = folder.view(folder.client())
    table = view.gauge()
    client, wrong = (view.gauge(states(window_tokens=size)) for size in (1_000_000, 100_000))

    assert table is not None
    assert client is not None
    assert wrong is not None
    assert (table.tokens_total, table.window_source, table.pct_used) == (None, "unknown", None)
    assert (client.tokens_total, client.window_source, client.pct_used) == (
        1_000_000,
        "client",
        25.0,
    )
    assert (wrong.tokens_total, wrong.pct_used) == (None, None)


def test_a_changed_answer_is_no_gauge_and_is_said(folder: ClientFolder) -> None:
    written = Written()
    written.prompt()
    written.answer(1000)
    written.rows[-1] = written.rows[-1].replace(b'"output_tokens": 0', b'"output": 0')
    folder.say(written)
    view = folder.view(folder.client())

    assert view.gauge() is None
    assert view.contract.startswith("rows of kind 'assistant' in its transcript have changed")
    assert "output_tokens" in view.activity().contract
    assert view.activity().status is Status.IDLE
