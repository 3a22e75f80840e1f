"""What stands in a conversation at a call is read as the host reads it, from the file's end."""

from pathlib import Path

import pytest

from attendd.hot import inview
from tests.transcripts import Written
from tests.unit.proving import (
    ID,
    LINES,
    NO_PROOFS,
    PROOFS,
    Write,
    enqueue,
    event_turn,
    notification,
)


def look(path: Path, written: Written) -> inview.View:
    path.write_bytes(b"".join(row + b"\n" for row in written.rows))
    return inview.look(str(path))


@pytest.mark.parametrize("write", PROOFS, ids=lambda each: each.__name__)
def test_what_came_in_is_found_in_every_row_that_delivers(write: Write, tmp_path: Path) -> None:
    written = Written()
    write(written, LINES)

    assert [*look(tmp_path / "t", written).messages] == [ID]


@pytest.mark.parametrize("write", NO_PROOFS, ids=lambda each: each.__name__)
def test_no_other_row_brings_anything(write: Write, tmp_path: Path) -> None:
    written = Written()
    enqueue(written, notification(LINES))
    write(written, LINES)

    assert look(tmp_path / "t", written).messages == {}


def test_a_call_is_under_way_until_its_result_is_there(tmp_path: Path) -> None:
    written = Written()

    def calls() -> bool:
        return look(tmp_path / "t", written).calls

    def row(kind: str, **block: str) -> None:
        written.row(kind, message={"id": "m", "model": "x", "content": [block]})

    event_turn(written, LINES)
    assert not calls()
    row("assistant", type="tool_use", id="t1", name="Bash")
    row("assistant", type="tool_use", id="t2", name="Bash")
    row("user", type="tool_result", tool_use_id="t1", content="[ok]")
    assert calls()
    row("user", type="tool_result", tool_use_id="t2", content="ok")
    assert not calls()
    row("assistant", type="tool_use", id="t3", name="Bash")
    written.prompt("the client was killed, and goes on")
    assert not calls()


def test_what_is_no_transcript_shows_nothing(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(
        b'\xff\n{"type":"user"\n[]\n"text"\n{"message":{"content":7}}\n'
    )

    for name in ("t", "missing", "."):
        view = inview.look(str(tmp_path / name))
        assert (view.messages, view.calls) == ({}, False)
