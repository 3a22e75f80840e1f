"""What is accepted is kept whole, with what can be known of its author, and once."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from attendd.hot import db as hot
from attendd.hot import post
from attendd.hot.address import RecipientError
from attendd.hot.moment import Moment
from tests.store import given, mailing
from tests.store.mailing import boxes, draft, fates, send, show, waiting

START = mailing.START


@pytest.fixture
def trio(db: hot.Connection) -> hot.Connection:
    """Have s1, which is read for, and s2 and s3 beside it."""
    given.enrol(db, "s2")
    given.enrol(db, "s3")
    return db


def author(db: hot.Connection) -> tuple[str, ...]:
    sql = "SELECT author, author_kind, author_name, author_how FROM message ORDER BY seq DESC"
    found: tuple[str, ...] = hot.read(db, sql)[0]
    return found


@pytest.mark.parametrize(
    "body",
    [
        b"plain",
        "日本 👩🏽‍🚀 \u202e \x1b[2J".encode(),
        b"nul \0 in it\0",
        b"\xff\xfe no text",
        b"half \xed\xa0\xbd",
        b"\n\n  kept  \n",
        b"x" * 65_536,
    ],
    ids=["text", "unicode", "nul", "bytes", "surrogate", "blanks", "64 KiB"],
)
def test_a_body_is_kept_byte_for_byte(trio: hot.Connection, body: bytes) -> None:
    send(trio, "s2", "--to", "s1", body=body)

    ((kept,),) = hot.read(trio, "SELECT body FROM message")
    assert (kept.encode() if isinstance(kept, str) else kept) == body
    (found,) = waiting(trio)
    assert found.body == kept


def test_one_id_is_accepted_once_however_often_it_comes(trio: hot.Connection) -> None:
    """So that a message may be handed over by several ways at the same time."""
    made = [draft("s2", message="aaaaaaaa", body=body) for body in (b"x", b"other")]
    for each, via in zip(made, ("fifo", "spool"), strict=True):
        each.via = via

    first, second = (post.commit(trio, each, START) for each in made)

    assert boxes(first) == boxes(second) == ["s1", "s3"]
    assert hot.read(trio, "SELECT body FROM message") == [("x",)]
    assert len(fates(trio)) == 2


def test_a_refused_message_leaves_nothing(trio: hot.Connection) -> None:
    with pytest.raises(RecipientError):
        send(trio, "s2", "--to", "s1", "--to", "nobody")

    assert hot.read(trio, "SELECT count(*) FROM message") == [(0,)]
    assert fates(trio) == []


def test_an_agent_goes_by_its_persona(trio: hot.Connection) -> None:
    send(trio, "s2", "--to", "s1")

    box, kind, name, how = author(trio)
    assert (box, kind, how) == ("s2", "agent", "CLAUDE_PID")
    assert name.endswith("-2")
    assert waiting(trio)[0].place == "w"


def test_a_name_of_ones_own_is_marked(trio: hot.Connection) -> None:
    made = draft("as:bob", "--to", "s1")
    made.caller.how = "--as"

    post.commit(trio, made, START)

    assert author(trio) == ("as:bob", "declared", "bob", "--as")


@pytest.mark.parametrize(
    ("human", "expected"),
    [
        (True, ("@user", "human", "@user", "terminal")),
        (False, ("", "script", "a script", "no terminal")),
    ],
)
def test_only_who_has_a_terminal_passes_for_the_person(
    trio: hot.Connection, expected: tuple[str, ...], *, human: bool
) -> None:
    made = draft("tty:1:1", "--to", "s1")
    made.human, made.caller.how = human, "terminal"

    post.commit(trio, made, START)

    assert author(trio) == expected


def test_who_cannot_be_named_with_certainty_is_nobody(trio: hot.Connection) -> None:
    made = draft("", "--to", "s1")
    made.caller.how = "unresolved"

    post.commit(trio, made, START)

    assert author(trio) == ("", "script", "a session", "unresolved")


def test_an_answer_goes_to_the_author_and_belongs_to_the_thread(trio: hot.Connection) -> None:
    send(trio, "s2", message="aaaaaaaa")
    show(trio, "s1")

    assert boxes(send(trio, "s1", reply=True, message="bbbbbbbb")) == ["s2"]
    show(trio, "s2")
    assert boxes(send(trio, "s2", reply=True, message="cccccccc")) == ["s1"]
    found = hot.read(trio, "SELECT id, re, thread, depth FROM message ORDER BY id")
    assert found == [
        ("aaaaaaaa", "", "aaaaaaaa", 0),
        ("bbbbbbbb", "aaaaaaaa", "aaaaaaaa", 1),
        ("cccccccc", "bbbbbbbb", "aaaaaaaa", 2),
    ]


def test_an_answer_to_a_channel_stays_in_it(trio: hot.Connection) -> None:
    for box in ("s1", "s2", "s3"):
        mailing.join(trio, box, "deploy")
    send(trio, "s2", "--channel", "deploy")
    show(trio, "s1")

    assert boxes(send(trio, "s1", reply=True)) == ["s2", "s3"]


def test_an_answer_can_be_sent_elsewhere(trio: hot.Connection) -> None:
    send(trio, "s2", "--to", "s1", message="aaaaaaaa")
    show(trio, "s1")

    assert boxes(send(trio, "s1", "--to", "s3", reply=True, message="bbbbbbbb")) == ["s3"]
    assert hot.read(trio, "SELECT re FROM message WHERE id = 'bbbbbbbb'") == [("aaaaaaaa",)]


def test_what_answers_ones_own_message_goes_to_its_recipients(trio: hot.Connection) -> None:
    send(trio, "s2", message="aaaaaaaa")

    assert boxes(send(trio, "s2", "--re", "aaaaaaaa")) == ["s1", "s3"]


def test_there_is_nothing_to_answer_before_anything_was_shown(trio: hot.Connection) -> None:
    send(trio, "s2", "--to", "s1")

    with pytest.raises(RecipientError, match="no message was shown to this session yet"):
        send(trio, "s1", reply=True)


@pytest.mark.parametrize(
    ("message", "said"),
    [("zzzzzzzz", "there is no message #zzzzzzzz"), ("aaaaaaaa", "came from a script, which")],
)
def test_what_cannot_be_answered_is_said(trio: hot.Connection, message: str, said: str) -> None:
    made = draft("tty:1:1", "--to", "s1", message="aaaaaaaa")
    post.commit(trio, made, START)

    with pytest.raises(RecipientError, match=said):
        send(trio, "s1", "--re", message)


def test_an_author_who_never_enrolled_finds_the_answer_in_the_inbox(
    trio: hot.Connection,
) -> None:
    send(trio, "as:ci", "--to", "s1", message="aaaaaaaa")

    outcome = send(trio, "s1", "--re", "aaaaaaaa")

    assert boxes(outcome) == ["as:ci"]
    assert len(waiting(trio, "as:ci")) == 1


def test_an_answer_to_who_never_enrolled_is_accepted_once_however_often_it_comes(
    trio: hot.Connection,
) -> None:
    send(trio, "stranger", "--to", "s1", message="aaaaaaaa")
    for _ in range(2):
        made = draft("s1", "--re", "aaaaaaaa", message="bbbbbbbb")
        made.via = "spool"
        assert boxes(post.commit(trio, made, START)) == ["stranger"]

    assert hot.read(trio, "SELECT author_name FROM message ORDER BY id")[0] == ("a session",)
    assert len(waiting(trio, "stranger")) == 1


def test_an_answer_follows_an_author_who_began_anew(trio: hot.Connection) -> None:
    send(trio, "s2", "--to", "s1", message="aaaaaaaa")
    trio.execute("UPDATE session SET successor = 's3' WHERE id = 's2'")

    assert boxes(send(trio, "s1", "--re", "aaaaaaaa")) == ["s3"]


def test_a_notice_of_ours_has_no_author(trio: hot.Connection) -> None:
    post.notice(trio, "s1", "your message could not be sent", START)

    assert author(trio) == ("", "script", "attend", "itself")
    assert waiting(trio)[0].body == "your message could not be sent"


@settings(max_examples=60, deadline=None)
@for_all(st.text(st.characters(exclude_categories=()), min_size=1, max_size=60))
def test_any_words_are_accepted_or_refused_in_words(who: str) -> None:
    """Whatever an argument may hold, half surrogates and NULs included."""
    with tempfile.TemporaryDirectory() as folder, given.opened(Path(folder) / "a.db") as db:
        given.enrol(db)
        made = draft("s1")
        made.address.to = [who]
        try:
            post.commit(db, made, Moment(given.WALL, given.BOOT, 1.0))
        except RecipientError as error:
            said = error.args[0]
        else:
            said = "@user"

    assert said.isprintable()
