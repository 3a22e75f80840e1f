"""`attend peers`: who runs around a session, as people and programs are told."""

import json
import os
import sys
from typing import Any

import pytest

from tests.process.box import HOT, Box, Client, eventually


def listed(box: Box, *words: str, **options: Any) -> list[dict[str, Any]]:
    done = box.hot("peers", "--json", *words, **options)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def working(box: Box) -> Client:
    """Start a client that has edited files and answered, in a work tree of its own."""
    project = box.repository()
    box.git(project, "worktree", "add", "-q", "-b", "fix", str(box.home / "fix"))
    client = box.client(box.home / "fix")
    client.prompt()
    client.tool_call("Edit", file_path=str(box.home / "fix" / "a.py"))
    client.tool_call("Read", file_path=str(box.home / "fix" / "not.py"))
    client.tool_call("Write", file_path="/elsewhere/<b>\x1b[2J")
    client.answer(90_000)
    return client


def test_a_session_is_listed_with_all_that_is_known_of_it(box: Box) -> None:
    client = working(box)

    (found,) = listed(box, cwd=box.home / "project")

    assert found["session"] == client.session
    assert found["branch"] == "fix"
    assert found["worktree"] == str(box.home / "fix")
    assert found["project"] == str(box.home / "project" / ".git")
    assert (found["status"], found["listens_by"], found["near"]) == ("busy", "none", True)
    assert (found["tokens_used"], found["tokens_total"], found["pct_used"]) == (
        90_000,
        200_000,
        45.0,
    )
    assert found["model"] == "claude-sonnet-4-5"
    assert found["edited"] == ["/elsewhere/<b>\x1b[2J", str(box.home / "fix" / "a.py")]


def test_what_people_read_fits_a_terminal_and_moves_no_cursor(box: Box) -> None:
    client = working(box)

    done = box.hot("peers", cwd=box.home / "project")

    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"stand-in {client.session[:8]} · busy ")
    assert lines[0].endswith(" · not attended, so it can't be written to")
    assert lines[1] == "  fix · ~/fix"
    assert lines[2] == "  claude-sonnet-4-5 · context 90,000 tokens (45 %)"
    assert lines[3].startswith("  edited /elsewhere/")
    assert lines[3].endswith(", a.py")
    assert "\x1b" not in done.stdout


def test_the_model_is_shown_no_tag_in_the_document(box: Box) -> None:
    working(box)

    assert "<" not in box.hot("peers", "--json", cwd=box.home / "project").stdout


def test_those_of_other_projects_are_counted_and_listed_when_asked_for(box: Box) -> None:
    working(box)
    box.client(box.home)

    brief = box.hot("peers", cwd=box.home / "project").stdout
    nobody = box.hot("peers", cwd=box.home / ".claude").stdout

    assert "1 elsewhere: `attend peers --all` lists them, too" in brief
    assert "nobody else is here\n2 elsewhere" in nobody
    assert [each["near"] for each in listed(box, "--all", cwd=box.home)] == [True, False]


def test_what_it_listens_by_and_is_called_come_from_the_store(box: Box) -> None:
    client = working(box)
    client.monitor()
    box.looked(sensor="peers")

    (found,) = listed(box, cwd=box.home / "project")

    assert found["listens_by"] == "monitor"
    assert found["name"]


def test_a_session_finds_itself_first(box: Box) -> None:
    client = working(box)
    box.client(box.home / "fix")
    out = box.home / "out"
    peers = f"CLAUDE_PID={client.pid} '{sys.executable}' -I -S '{HOT}' peers --json"
    client.do(f"{peers} > '{out}.part'; mv '{out}.part' '{out}'")
    eventually(out.exists)

    first, second = json.loads(out.read_text())
    assert (first["session"], first["self"]) == (client.session, True)
    assert second["self"] is False


def test_of_thousands_of_records_those_of_live_clients_count(box: Box) -> None:
    client = working(box)
    model = json.loads(client.record_path.read_text())
    folder = client.record_path.parent
    for at in range(3000):
        (folder / f"{5_000_000 + at}.json").write_text(json.dumps(model | {"pid": at}))
    (folder / f"{os.getpid()}.json").write_text(json.dumps(model | {"pid": os.getpid()}))
    (folder / "1.json").write_text("{")
    (folder / "x.json").write_text("")
    (folder / f"{box.client(box.home).pid}.json").write_bytes(b"\xff\x00")

    assert [each["session"] for each in listed(box, "--all")] == [client.session]


def test_transcripts_of_other_formats_leave_the_rest_as_it_is(box: Box) -> None:
    client = working(box)
    with client.transcript.open("ab") as file:
        file.write(b'{"type":"assistant","message":[1,"file_path"]}\n\xff\xfe\n[]\n"x"\n{"ty')

    (found,) = listed(box, cwd=box.home / "project")
    assert found["tokens_used"] == 90_000


@pytest.mark.parametrize("times", [80_000, 1_000_000])
def test_one_large_row_hides_neither_the_figures_nor_the_files(box: Box, times: int) -> None:
    client = working(box)
    pasted = {"type": "tool_result", "tool_use_id": "t", "content": "iVBOR" * times}
    client.row("user", message={"role": "user", "content": [pasted]})

    (found,) = listed(box, cwd=box.home / "project")
    assert (found["tokens_used"], found["model"]) == (90_000, "claude-sonnet-4-5")
    assert found["edited"] == ["/elsewhere/<b>\x1b[2J", str(box.home / "fix" / "a.py")]


def test_a_compaction_is_believed_before_the_answer_above_it(box: Box) -> None:
    client = working(box)
    client.row("system", subtype="compact_boundary", compactMetadata={"postTokens": 3000})

    (found,) = listed(box, cwd=box.home / "project")
    assert (found["tokens_used"], found["model"]) == (3000, "claude-sonnet-4-5")


def test_nothing_is_made_where_nothing_is(box: Box) -> None:
    assert listed(box) == []
    assert not box.state.exists()


def test_what_it_does_not_take_is_refused(box: Box) -> None:
    done = box.hot("peers", "--al")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "attend: peers: unknown option --al\n  hint: did you mean --all?\n"
