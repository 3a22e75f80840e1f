"""`attend context`: the gauge, from inside a client and from outside."""

import json
import sys
from typing import Any

import pytest

from tests.process.box import Box, Client

FIELDS = [
    "tokens_used",
    "tokens_total",
    "tokens_remaining",
    "pct_used",
    "pct_remaining",
    "model",
    "window_source",
    "method",
    "session",
]


@pytest.fixture
def client(box: Box) -> Client:
    """A client with a session that has had one answer."""
    client = box.client(box.repository())
    client.prompt()
    client.answer(tokens=50_000)
    return client


def inside(client: Client, *words: str) -> tuple[list[str], int]:
    """Run a command as a tool of the client; return what it said, and its exit code."""
    command = " ".join(f"'{word}'" for word in (sys.executable, "-P", "-m", "attendd", *words))
    client.do(f"CLAUDECODE=1 CLAUDE_PID={client.pid} {command} 2>&1; echo ended with $?")
    *said, code = client.out.until("ended with ")
    return said, int(code.split()[2])


def measured(client: Client, *words: str) -> dict[str, Any]:
    said, code = inside(client, "context", "--json", *words)
    assert code == 0, said
    found: dict[str, Any] = json.loads("\n".join(said))
    return found


def test_a_session_reads_its_own_gauge(client: Client) -> None:
    gauge = measured(client)

    assert list(gauge) == FIELDS
    assert gauge["session"] == client.session
    assert gauge["tokens_used"] == 50_000
    assert gauge["tokens_total"] == 200_000
    assert gauge["tokens_remaining"] == 150_000
    assert (gauge["pct_used"], gauge["pct_remaining"]) == (25.0, 75.0)
    assert (gauge["window_source"], gauge["method"]) == ("table", "usage")
    assert gauge["model"] == "claude-sonnet-4-5"


def test_the_gauge_is_read_for_people_too(client: Client) -> None:
    said, code = inside(client, "context")

    assert code == 0
    assert said[0] == "used         50,000 tokens of 200,000 (25.0 %)"
    assert said[1] == "left         150,000 tokens (75.0 %)"


def test_before_the_first_answer_nothing_is_used(box: Box) -> None:
    client = box.client(box.repository())
    gauge = measured(client)

    assert (gauge["tokens_used"], gauge["method"]) == (0, "none")
    assert (gauge["tokens_total"], gauge["window_source"]) == (None, "unknown")
    assert (gauge["pct_used"], gauge["tokens_remaining"]) == (None, None)


def test_one_large_row_hides_no_figure(box: Box, client: Client) -> None:
    pasted = {"type": "tool_result", "tool_use_id": "t", "content": "iVBOR" * 160_000}
    client.row("user", message={"role": "user", "content": [pasted]})

    assert measured(client)["tokens_used"] == 50_000
    assert "context ███░░░░░░░ 25% of 200k" in top_of(box, client)


def top_of(box: Box, client: Client) -> str:
    client.monitor()
    box.looked()
    return box.run("top").stdout


def test_another_session_is_named_from_anywhere(box: Box, client: Client) -> None:
    done = box.run("context", "--json", "--session", client.session[:8])

    assert done.returncode == 0
    assert json.loads(done.stdout)["session"] == client.session


def test_what_belongs_to_no_session_is_told_so(box: Box, client: Client) -> None:
    terminal = box.run("context")
    lost = box.run("context", env={"CLAUDE_PID": "1"})
    unknown = box.run("context", "--session", "nobody")

    for done in (terminal, lost, unknown):
        assert (done.returncode, done.stdout) == (4, "")
        assert len(done.stderr.splitlines()) == 2
    assert "has no client, so no context window is known" in terminal.stderr
    assert "it is not known which session this is" in lost.stderr
    assert "no session is known as 'nobody'" in unknown.stderr


def test_a_record_that_is_not_as_known_is_said_and_ends_with_6(
    box: Box, client: Client
) -> None:
    client.record_path.write_text('{"sessionId": 7}')
    said, code = inside(client, "context")

    assert code == 6
    assert said[0].startswith("attend: ")
    assert str(client.record_path) in said[0]


def configured(box: Box, command: str) -> None:
    path = box.home / "attend" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"[context]\ncommand = {json.dumps(command)}\n")


def test_a_configured_command_is_asked_instead(box: Box, client: Client) -> None:
    script = box.home / "gauge.sh"
    script.write_text('#!/bin/sh\necho \'{"tokens_used": 12, "tokens_total": 48}\'\n')
    script.chmod(0o755)
    configured(box, str(script))
    gauge = measured(client)

    assert (gauge["tokens_used"], gauge["pct_used"], gauge["method"]) == (12, 25.0, "external")


@pytest.mark.parametrize("command", ["/nowhere/gauge", "false", "echo nonsense"])
def test_a_command_that_prints_no_gauge_is_one_sentence(
    box: Box, client: Client, command: str
) -> None:
    """Its own reading is not put in its place: the sensors would see another figure."""
    configured(box, command)
    said, code = inside(client, "context")

    assert code == 1
    assert said[0].startswith("attend: context.command ")
    assert said[1].startswith("  hint: ")


def test_a_command_that_asks_us_again_ends(box: Box, client: Client) -> None:
    configured(box, f"{sys.executable} -P -m attendd context --json")
    said, code = inside(client, "context")

    assert code == 1
    assert said[0].startswith("attend: context.command ")
