"""`attend memory` inside a session: what an agent may do, and sees."""

import json
import shlex
from typing import Any

import pytest

from tests.process.box import ROOT, Box, Client
from tests.process.hooking import Hooks, change

FACT = "deploys are on friday"


class Session:
    """A session of a project with a memory, whose agent runs commands."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self.project = box.repository()
        self.person("on")
        self.client: Client = box.client(self.project)
        self.hooks = Hooks(box, client=self.client)

    def person(self, *words: str) -> str:
        done = self._box.run("memory", *words, cwd=self.project)
        assert done.returncode == 0, done
        return done.stdout

    def document(self, *words: str) -> Any:
        return json.loads(self.person(*words, "--json"))

    def agent(self, *words: str) -> list[str]:
        """Return the lines that its agent sees."""
        attend = shlex.join([str(ROOT / "bin" / "attend"), "memory", *words])
        self.client.do(f"CLAUDECODE=1 CLAUDE_PID={self.client.pid} {attend} 2>&1; echo .")
        lines = []
        while (line := self.client.out.line()) != ".":
            lines.append(line)
        return lines


@pytest.fixture
def session(box: Box) -> Session:
    return Session(box)


def test_an_agent_can_record_but_not_decide(session: Session) -> None:
    """What a session's own process asks for is the agent's, whatever it says."""
    mine = session.document("learn", FACT)["id"]
    session.hooks.start()

    assert session.agent("learn", "tests need a database")[0].startswith("remembered #")
    theirs = next(each for each in session.document("list")["facts"] if each["text"] != FACT)
    assert (theirs["producer"], theirs["weight"]) == ("agent", 0.7)
    assert theirs["session"] == session.client.session
    for words in (("pin", theirs["id"]), ("forget", mine), ("off",)):
        assert session.agent(*words)[-1] == "  hint: it is typed at a terminal of its own"
    assert session.agent("forget", theirs["id"]) == [f"forgotten #{theirs['id'][:8]}"]
    assert [each["text"] for each in session.document("list")["facts"]] == [FACT]


def test_what_an_agent_says_a_person_said_is_looked_up(session: Session) -> None:
    session.client.prompt("please, we never deploy on a Friday here")
    session.hooks.start()
    session.agent("learn", "no deploys on fridays", "--quote", "never deploy on a friday")
    said = session.agent("learn", "use tabs", "--quote", "always use tabs")

    assert said[-1].startswith("the quotation is nothing that the person said")
    found = {each["text"]: each for each in session.document("list")["facts"]}
    assert {
        text: (each["producer"], each["weight"], each["core"]) for text, each in found.items()
    } == {"no deploys on fridays": ("user", 0.9, False), "use tabs": ("agent", 0.7, False)}


def test_an_agent_sees_what_it_would_be_told(session: Session, box: Box) -> None:
    for text in (FACT, "tests need a database"):
        session.person("learn", text)
    change(box, "UPDATE fact SET consumer = 'reviewer' WHERE text LIKE 'tests%'")
    session.hooks.start()
    listed = "\n".join(session.agent("list"))

    assert FACT in listed
    assert "database" not in listed
    assert session.agent("export", "--everywhere")[0].endswith(
        "only a person can look into other projects"
    )


def test_what_an_agent_asks_for_was_of_use_to_its_session_once(session: Session) -> None:
    fact = session.document("learn", FACT)["id"]
    session.hooks.start()
    session.agent("list", "when", "are", "deploys")
    session.agent("show", fact)

    assert session.document("list")["facts"][0]["hits"] == 1


def test_what_was_put_before_models_is_listed(session: Session) -> None:
    session.person("learn", FACT)
    text = session.hooks.start().partition("[attend memory]")[2]

    (shown,) = session.document("injected")["injections"]
    assert (shown["session"], shown["reason"]) == (session.client.session, "startup")
    assert [each["text"] for each in shown["facts"]] == [FACT]
    assert shown["taught"]
    assert abs(shown["tokens"] - len(text) / 4) < 20
    assert "1 fact, with the instruction, about" in session.person("injected")
    assert session.document("list")["facts"][0]["injected"] == 1
