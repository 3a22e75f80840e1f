"""What commands print on few columns: what is typed again, an id or a name, is never cut."""

import re

import pytest

from attendd.cli import table
from tests.process.box import Box, eventually
from tests.process.hooking import rows
from tests.process.posting import Office, on_terminal
from tests.process.seeding import SESSION, Seed, told_twice

WIDTHS = (40, 60)
TEXT = "the build is green again, and all of its tests have passed on both machines"
BATCH = "k3f9q2xm"


@pytest.fixture
def said(box: Box, office: Office) -> list[str]:
    """A reader, and messages to and from it, of a session, a person and a channel."""
    box.reader(box.home, "--as=bob")
    eventually(lambda: bool(rows(box, "SELECT 1 FROM attachment WHERE ended_at IS NULL")))
    office.enrol("as:mira-of-the-long-name")
    box.run("join", "builds", env={"ATTEND_AS": "mira-of-the-long-name"})
    return [
        office.say(TEXT, "--to", "mira-of-the-long-name", author="tty:1:1", ago_s=2 * 86_400),
        office.say(TEXT, "--to", "mira-of-the-long-name", author="as:bob"),
        office.say(TEXT, "--channel", "builds", author="as:bob"),
    ]


def shown(box: Box, *words: str, columns: int, name: str = "") -> str:
    """Return what a command prints on a terminal, as one line."""
    return " ".join(on_terminal(box, *words, columns=columns, name=name).split())


@pytest.mark.parametrize("columns", WIDTHS)
def test_ids_of_messages_are_whole(
    box: Box, office: Office, said: list[str], columns: int
) -> None:
    mine, *bobs = said
    first = shown(box, "sent", columns=columns)
    others = shown(box, "sent", columns=columns, name="bob")
    name = "mira-of-the-long-name"
    came = shown(box, "inbox", columns=columns, name=name)

    assert f"#{mine}" in first
    assert f"#{bobs[0]}" in others
    assert f"#{bobs[1]}" in others
    assert all(f"#{message}" in came for message in said)
    assert re.search(r"#\w{0,7}…", first + others + came) is None
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", came)


def test_on_few_columns_a_row_is_a_block(box: Box, office: Office, said: list[str]) -> None:
    lines = on_terminal(box, "sent", columns=40, name="bob").splitlines()
    start = lines.index(f"#{said[1]}")

    assert max(map(table.cells, lines)) <= 40
    assert [line.split()[0] for line in lines[start + 1 : start + 4]] == ["when", "to", "state"]
    assert " ".join(" ".join(lines[start + 4 : start + 7]).split()) == f"text {TEXT}"
    assert all(line.startswith("  ") for line in lines[start + 1 : start + 7])


@pytest.mark.parametrize("columns", WIDTHS)
def test_names_that_are_typed_again_are_whole(
    box: Box, office: Office, said: list[str], columns: int
) -> None:
    status = shown(box, "status", columns=columns)
    channels = shown(box, "channels", columns=columns)
    places = shown(box, "privacy", columns=columns)

    assert "as:bob (declared)" in status
    assert "as:mira-of-the-long-name" in status
    assert "#builds" in channels
    assert "…" not in places
    assert "~/attend/state/attend.db" in places


@pytest.mark.parametrize("columns", WIDTHS)
def test_all_of_a_fact_can_be_asked_for(box: Box, columns: int) -> None:
    box.run("memory", "on")
    learnt = box.run("memory", "learn", TEXT).stdout
    fact = learnt.split()[1]
    listed = shown(box, "memory", "list", columns=columns)
    history = shown(box, "memory", "history", columns=columns)

    assert fact.startswith("#")
    assert len(fact) == 9
    assert fact in listed
    assert fact in history


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_the_log_keeps_the_ids_of_what_it_tells(box: Box, columns: int) -> None:
    seed = Seed(box)
    told_twice(seed)
    seed.close()
    said = shown(box, "log", columns=columns)
    why = shown(box, "why", "--silence", columns=columns)

    assert said.startswith("when session sensor ")
    assert f"(high, batch {BATCH})" in said
    assert SESSION in why
