"""Two sessions that only answer each other come to rest, a person is told, and work goes on."""

from pathlib import Path

import pytest

from tests.process.box import LAUNCHER, Box, eventually
from tests.process.hooking import Hooks, bodies, hosting, rows, send

HELD = "SELECT session FROM delivery WHERE hold <> '' AND state = 'stored'"
TO_PERSON = """SELECT body FROM message JOIN delivery ON delivery.message = message.id
    WHERE session = '@user'"""


class Two:
    """Two clients that answer each other until nothing comes."""

    def __init__(self, box: Box, folders: tuple[Path, Path]) -> None:
        self.box = box
        self.clients = [box.client(folder) for folder in folders]
        self.hooks = [Hooks(box, client=client) for client in self.clients]
        for client, hooks in zip(self.clients, self.hooks, strict=True):
            hooks.start()
            client.prompt("begin")
            client.answer()
            client.record("idle")

    def say(self, author: int, text: str, *words: str) -> str:
        """Have a session send something; return what it was told about that."""
        client = self.clients[author]
        out = self.box.home / f"said-{author}-{text}"
        words = words or ("send", "--to", self.clients[1 - author].session)
        command = f"'{LAUNCHER}' {' '.join(words)} {text}"
        client.do(f"CLAUDE_PID={client.pid} {command} >{out}.new 2>&1; mv {out}.new {out}")
        eventually(out.exists)
        return out.read_text()

    def talk(self) -> list[str]:
        """Let them answer each other; return what each was told."""
        told = [self.say(0, "hello")]
        for number in range(1, 20):
            here = number % 2
            if not bodies(self.hooks[here].stop()):
                break
            told.append(self.say(here, f"well-{number}", "reply"))
        return told


@pytest.fixture
def two(box: Box) -> Two:
    hosting(box)
    folders = (box.home / "one", box.home / "two")
    for folder in folders:
        folder.mkdir()
    return Two(box, folders)


def test_a_talk_that_goes_round_is_held_and_a_person_is_told_once(box: Box, two: Two) -> None:
    told = two.talk()

    assert len(told) == 7
    assert told[-1].startswith("held #")
    assert "messages only answer messages here" in told[-1]
    assert all(each.startswith(("sent #", "stored #")) for each in told[:-1])
    eventually(lambda: len(rows(box, TO_PERSON)) == 1)
    assert "only answer each other" in rows(box, TO_PERSON)[0][0]
    assert "ping-pong" in box.run("status").stdout or "held" in box.run("status").stdout

    two.say(0, "more", "send", "--to", two.clients[1].session)
    two.say(0, "and-more", "send", "--to", two.clients[1].session)
    box.run("status")
    assert len(rows(box, TO_PERSON)) == 1


def test_work_of_either_lets_it_go_on(box: Box, two: Two) -> None:
    two.talk()
    held = rows(box, HELD)[0][0]
    author = next(n for n, each in enumerate(two.clients) if each.session != held)

    two.clients[author].record("busy")
    call = two.clients[author].tool_call("Bash", command="attend reply - <<'EOF'")
    two.clients[author].tool_result(call)
    box.run("status")
    assert rows(box, HELD) == [(held,)], "talk is no work"
    two.clients[author].tool_call("Edit", file_path="x")
    two.clients[author].record("idle")

    eventually(lambda: rows(box, HELD) == [])
    assert len(bodies(two.hooks[1 - author].stop())) == 1


def test_a_prompt_of_either_lets_it_go_on(box: Box, two: Two) -> None:
    two.talk()
    held = rows(box, HELD)[0][0]
    recipient = next(n for n, each in enumerate(two.clients) if each.session == held)

    two.hooks[recipient].prompt("what is going on?")

    assert rows(box, HELD) == []
    assert len(bodies(two.hooks[recipient].stop())) == 1


def test_after_fifteen_turns_without_a_person_a_session_is_told_less_often(
    box: Box, two: Two
) -> None:
    client = two.clients[0]
    for _ in range(15):
        client.row(
            "user",
            message={"role": "user", "content": "<task-notification>"},
            origin={"kind": "task-notification"},
        )
        client.answer()
    client.record("busy")
    gap = "SELECT gap_s FROM heard WHERE session = ?"
    eventually(lambda: rows(box, gap, client.session) == [(600.0,)])
    send(box, client.session, "one")
    assert "1 message waits" in two.hooks[0].stop()
    send(box, client.session, "two")

    assert two.hooks[0].stop() == ""

    client.prompt()
    assert bodies(two.hooks[0].prompt()) == ["two"]
    eventually(lambda: rows(box, gap, client.session) == [(0.0,)])
