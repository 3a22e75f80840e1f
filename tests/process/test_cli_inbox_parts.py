"""What an agent's client would cut is printed to it in parts, and fetched once all of it was."""

import json
import sys
from pathlib import Path

import pytest

from attendd.cli import pages
from tests.process.box import Box, Client, eventually
from tests.process.posting import Office, as_bob

LONG = "".join(f"line {number} {'W' * 700}\n" for number in range(80))


class Agent:
    """A client's session that runs commands."""

    def __init__(self, box: Box, office: Office) -> None:
        self.box = box
        self.client: Client = box.client(box.home)
        self.session = office.enrol(self.client.session, box.home)
        self._said = 0

    def inbox(self, *words: str) -> str:
        """Look into its inbox; return what its client would be given, and may cut."""
        self._said += 1
        out = self.box.home / f"out-{self._said}"
        named = f"CLAUDECODE=1 CLAUDE_PID={self.client.pid} PYTHONPATH='{Path.cwd()}'"
        command = f"'{sys.executable}' -P -m attendd inbox {' '.join(words)}"
        self.client.do(f"{named} {command} >{out}.new 2>&1 </dev/null; mv {out}.new {out}")
        eventually(out.exists)
        return out.read_text()


@pytest.fixture
def office(box: Box) -> Office:
    return Office(box)


@pytest.fixture
def agent(box: Box, office: Office) -> Agent:
    return Agent(box, office)


def test_a_page_of_many_lines_is_no_longer_than_it_says(office: Office, agent: Agent) -> None:
    """Each line is printed with a mark before it, so it takes more than its text has."""
    said = [office.say(f"m{n}\n" + "x\n" * 985, "--to", agent.session) for n in range(10)]
    page = agent.inbox()
    on_it = [each for each in said if f"#{each} from" in page]

    assert len(page) <= pages.CHARACTERS + 200
    assert on_it == said[-len(on_it) :]
    assert 0 < len(on_it) < len(said)
    states = [office.states(each)[agent.session] for each in said]
    assert states == ["fetched" if each in on_it else "stored" for each in said]
    waiting = len(said) - len(on_it)
    assert page.endswith(
        f"older ones, {waiting} of them not shown yet: attend inbox --before {on_it[0]}\n"
    )


def test_a_long_message_comes_in_parts_and_is_fetched_with_the_last(
    office: Office, agent: Agent
) -> None:
    message = office.say(LONG, "--to", agent.session)
    parts = [agent.inbox(message)]
    while ": attend inbox " in (note := parts[-1].splitlines()[-1]):
        assert office.states(message) == {agent.session: "stored"}
        parts.append(agent.inbox(*note.rpartition("attend inbox ")[2].split()))

    assert len(parts) > 2
    assert parts[-1].splitlines()[-1].endswith(" of 80")
    assert max(map(len, parts)) <= pages.CHARACTERS
    shown = [line[2:] for part in parts for line in part.splitlines() if line.startswith("| ")]
    assert shown == LONG.splitlines()
    assert office.states(message) == {agent.session: "fetched"}


def test_who_leaves_out_a_part_has_not_fetched_it(office: Office, agent: Agent) -> None:
    message = office.say(LONG, "--to", agent.session)
    agent.inbox(message, "--from", "60")
    beyond = agent.inbox(message, "--from", "81")
    none = agent.inbox("--from", "2")

    assert office.states(message) == {agent.session: "stored"}
    assert beyond.startswith(f"attend: the text of #{message} has 80 lines\n")
    assert none.startswith("attend: --from goes with the ID of a message\n")


def test_the_only_message_of_a_page_may_be_a_part_of_it(office: Office, agent: Agent) -> None:
    first = office.say("first", "--to", agent.session)
    message = office.say(LONG, "--to", agent.session)
    page = agent.inbox()
    *_, note, gap, older = page.splitlines()

    assert len(page) <= pages.CHARACTERS + 200
    assert note.startswith("lines 1 to ")
    assert (gap, older) == (
        "",
        f"older ones, 1 of them not shown yet: attend inbox --before {message}",
    )
    assert office.states(first) == {agent.session: "stored"}
    assert office.states(message) == {agent.session: "stored"}


def test_a_document_is_whole_and_counts_only_where_no_client_cuts_it(
    box: Box, office: Office, agent: Agent
) -> None:
    office.enrol("as:bob")
    message = office.say(LONG, "--to", agent.session, "--to", "bob")
    document, _, noted = agent.inbox(message, "--json").partition("\n}\n")
    script = as_bob(box, "inbox", message, "--json")

    assert noted.startswith("attend: not marked as fetched: an agent's client cuts so long")
    assert json.loads(f"{document}}}")["body"] == json.loads(script.stdout)["body"] == LONG
    assert office.states(message) == {agent.session: "stored", "as:bob": "fetched"}


def test_a_script_gets_all_of_a_long_text_at_once(box: Box, office: Office) -> None:
    office.enrol("as:bob")
    message = office.say(LONG, "--to", "bob")
    done = as_bob(box, "inbox", message)

    assert [line[2:] for line in done.stdout.splitlines()[1:]] == LONG.splitlines()
    assert office.states(message) == {"as:bob": "fetched"}
