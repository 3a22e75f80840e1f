"""The inbox: what came, whole, as text that can be nothing else; only what it fetched changes."""

import base64
import json
from typing import Any

import pytest

from attendd.cli import pages
from tests.process.box import Box
from tests.process.posting import HOSTILE, Office, as_bob, hidden, on_terminal


@pytest.fixture
def office(box: Box) -> Office:
    office = Office(box)
    for name in ("as:bob", "as:mira", "as:juno"):
        office.enrol(name)
    return office


def listed(box: Box, *words: str) -> dict[str, Any]:
    done = as_bob(box, "inbox", "--json", *words)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ids_of(page: dict[str, Any]) -> list[str]:
    return [each["id"] for each in page["messages"]]


def test_in_a_pipe_every_text_is_whole_and_the_newest_comes_last(
    box: Box, office: Office
) -> None:
    long = "word " * 2_000
    first = office.say(long, "--to", "bob", ago_s=7_300)
    second = office.say("short\n\nin three lines", "--to", "bob", author="as:juno")
    done = as_bob(box, "inbox")
    head, text, gap, *rest = done.stdout.splitlines()

    assert (done.returncode, done.stderr) == (0, "")
    assert head.startswith(f"#{first} from mira (a name of its own choosing, w), directly, ")
    assert head.endswith("(2 h 1 min ago), stored")
    assert (text, gap) == (f"| {long}".rstrip(), "")
    assert rest[0].startswith(f"#{second} from juno ")
    assert rest[1:] == ["| short", "|", "| in three lines", ""]


def test_what_was_printed_whole_is_fetched_and_no_longer_offered(
    box: Box, office: Office
) -> None:
    mine = office.say("for bob", "--to", "bob")
    other = office.say("for juno", "--to", "juno")
    as_bob(box, "inbox")

    assert office.states(mine) == {"as:bob": "fetched"}
    assert office.states(other) == {"as:juno": "stored"}
    assert office.show("as:bob") == []


def test_what_is_further_on_stays_so_and_keeps_its_times(box: Box, office: Office) -> None:
    message = office.say("for bob", "--to", "bob")
    office.show("as:bob")
    office.advance(message, "seen", "row 6a3f")
    as_bob(box, "inbox")
    (found,) = listed(box)["messages"]

    assert (found["state"], found["evidence"]) == ("seen", "row 6a3f")
    assert found["accepted_at"] <= found["offered_at"] <= found["fetched_at"]


def test_a_table_on_a_terminal_fits_it_and_marks_nothing(box: Box, office: Office) -> None:
    message = office.say(HOSTILE + "日本語 " * 90, "--to", "bob")
    said = on_terminal(box, "inbox", name="bob", columns=70)
    lines = said.splitlines()

    assert office.states(message) == {"as:bob": "stored"}
    assert lines[0].split() == ["ID", "WHEN", "FROM", "HOW", "STATE", "TEXT"]
    assert lines[1].startswith(f"#{message}")
    assert max(map(len, lines)) <= 70
    assert hidden(said) == []


@pytest.mark.parametrize(
    "body",
    [
        b"plain",
        HOSTILE.encode(),
        b" \n\nbegins and ends with what a line of text would lose \n\n ",
        b"\xff\xfe is no text\0",
        b"with a NUL \0 inside",
        "half a pair \ud83d and more".encode("utf-8", "surrogatepass"),
        ("日本語👩‍👩‍👧‍👦" * 3_000).encode()[:65_534] + b"  ",
    ],
    ids=["plain", "hostile", "blank", "bytes", "nul", "surrogate", "64 KiB"],
)
def test_a_message_comes_out_byte_for_byte(box: Box, office: Office, body: bytes) -> None:
    message = office.say(body, "--to", "bob")
    done = as_bob(box, "inbox", message, "--json")
    found = json.loads(done.stdout)
    text, encoded = found["body"], found["body_base64"]

    assert (text is None) != (encoded is None)
    assert (base64.b64decode(encoded) if text is None else text.encode()) == body
    assert found["state"] == "stored"
    assert office.states(message) == {"as:bob": "fetched"}


def test_nothing_in_a_text_can_be_taken_for_anything_but_a_text(
    box: Box, office: Office
) -> None:
    """Whoever runs the command may be a model, and see the output as it is."""
    message = office.say(HOSTILE, "--to", "bob")
    office.alter("UPDATE message SET author_name = ?", HOSTILE)
    office.alter("UPDATE message SET target = ?", HOSTILE)
    for words in (
        ("inbox", "--all"),
        ("inbox", message),
        ("inbox", "--json"),
        ("why", message),
        ("sent", message, "--session", "mira"),
        ("sent", "--session", "mira"),
        ("sent", "--session", "mira", "--json"),
    ):
        done = box.run(*words) if "--session" in words else as_bob(box, *words)
        terminal = on_terminal(box, *words, name="" if "--session" in words else "bob")
        for said in (done.stdout, terminal):
            lines = said.splitlines()

            assert hidden(said) == []
            assert "<system-reminder" not in said
            assert not [line for line in lines if line.startswith(("[attend", "Human:"))]
        if words[0] == "inbox" and "--json" not in words:
            blocks = [line for line in done.stdout.splitlines() if line]
            assert [line[:2] for line in blocks] == [f"#{message[0]}", *["| "] * 4]


def test_an_inbox_is_read_page_by_page_without_gap_or_repeat(box: Box, office: Office) -> None:
    said = [office.say(f"number {n}", "--to", "bob") for n in range(60)]
    pages = [listed(box)]
    while pages[-1]["before"]:
        pages.append(listed(box, "--before", pages[-1]["before"]))

    assert [len(page["messages"]) for page in pages] == [25, 25, 10]
    assert [i for page in reversed(pages) for i in ids_of(page)] == said
    assert ids_of(listed(box, "--limit", "3")) == said[-3:]


def test_a_page_ends_before_what_runs_the_command_would_cut_it(
    box: Box, office: Office
) -> None:
    """A message that was cut out of an output must not count as read by anybody."""
    third = "x" * (pages.CHARACTERS * 3 // 10)
    said = [office.say(third, "--to", "bob") for _ in range(4)]
    said.append(office.say("y" * 60_000, "--to", "bob"))
    done = as_bob(box, "inbox")
    rest = as_bob(box, "inbox", "--before", said[4])

    assert done.stdout.startswith(f"#{said[4]} ")
    assert done.stdout.endswith(
        f"older ones, 4 of them not shown yet: attend inbox --before {said[4]}\n"
    )
    assert [i for i in said if f"#{i} from" in rest.stdout] == said[1:4]
    assert office.states(said[0]) == {"as:bob": "stored"}


def test_what_came_before_a_time_can_be_asked_for(box: Box, office: Office) -> None:
    old = office.say("old", "--to", "bob", ago_s=3 * 3600)
    new = office.say("new", "--to", "bob")

    assert ids_of(listed(box, "--before", "2h")) == [old]
    assert ids_of(listed(box, "--before", "9999999999")) == [old, new]
    assert ids_of(listed(box, "--before", "2000-01-01")) == []
    older = as_bob(box, "inbox", "--before", "2000-01-01").stdout
    assert older.startswith("nothing from before 2000-01-01 is in this session's inbox; ")
    refused = as_bob(box, "inbox", "--before", "yesterday")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "attend: 'yesterday' is neither a message's id nor a time\n"
    )


def test_what_is_marked_as_read_is_left_out_until_all_is_asked_for(
    box: Box, office: Office
) -> None:
    done, kept, back = (office.say(text, "--to", "bob") for text in ("done", "kept", "back"))
    office.show("as:bob", limit=2)
    marked = as_bob(box, "read", f"#{done.upper()}:")
    box.run("retract", back, env={"ATTEND_AS": "mira"})

    assert marked.stdout == f"marked as read: #{done}\n"
    assert ids_of(listed(box)) == [kept]
    assert ids_of(listed(box, "--all")) == [done, kept, back]
    assert listed(box, "--all")["messages"][2]["body"] is None
    assert (
        "| (its author took it back before it was shown)" in as_bob(box, "inbox", back).stdout
    )


def test_marking_is_done_for_all_or_for_none(box: Box, office: Office) -> None:
    message = office.say("text", "--to", "bob")
    done = as_bob(box, "read", message, "22222222")

    assert done.returncode == 1
    assert done.stderr.startswith(
        "attend: there is no message #22222222 in this session's inbox\n"
    )
    assert office.states(message) == {"as:bob": "stored"}


def test_a_message_that_is_not_there_is_one_sentence_and_a_way_on(
    box: Box, office: Office
) -> None:
    mine = office.say("text", "--to", "bob")
    slip = mine[:-1] + ("2" if mine[-1] != "2" else "3")
    sent = office.say("text", "--to", "mira", author="as:bob")
    for words, code, sentence, hint in (
        (
            (slip,),
            1,
            f"there is no message #{slip} in this session's inbox",
            f"did you mean #{mine}?",
        ),
        ((sent,), 1, f"there is no message #{sent} in", f"`attend sent {sent}` shows"),
        (("nonsense!",), 2, "'nonsense!' is no message's id", "`attend inbox` lists"),
    ):
        done = as_bob(box, "inbox", *words)

        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(f"attend: {sentence}")
        assert hint in done.stderr.splitlines()[1]
