"""What the store answers about messages: quickly, each once, and nothing gone too early."""

import time
from typing import Any

import pytest

from attendd.hot import db as hot
from attendd.hot import ids
from attendd.store import Store, housekeeping, mail, tidying
from attendd.store.mail import Before
from tests.store import given

MONTH = housekeeping.KEPT_S
LATER = given.WALL + MONTH + 1
MESSAGE = """INSERT INTO message (id, author, author_kind, author_name, author_how, body, kind,
    thread, seq, created_at, created_boot, created_bt, retracted_at)
    VALUES (:id, :author, 'agent', 'Juno', 'CLAUDE_PID', :body, 'directed', :id,
    (SELECT count(*) FROM message), :at, 'boot-1', 0, :retracted_at)"""
DELIVERY = """INSERT INTO delivery (session, lane, state, message, kind, created_at,
    created_boot, created_bt) VALUES (:box, 'message', :state, :id, :kind, :at, 'boot-1', 0)"""
AT_REST = ("offered", "fetched", "seen", "read", "answered", "expired", "retracted")


def said(db: hot.Connection, *boxes: str, state: str = "stored", **over: Any) -> str:
    """Put a message by hand, in any state and of any age, which no sender could."""
    row: dict[str, Any] = {
        "id": ids.new_id(),
        "author": "s2",
        "body": "text",
        "at": given.WALL,
        "retracted_at": None,
        "state": state,
        "kind": "directed",
    } | over

    def work(db: hot.Connection) -> None:
        db.execute(MESSAGE, row)
        db.executemany(DELIVERY, [{**row, "box": box} for box in boxes])

    hot.write(db, work)
    return str(row["id"])


def swept(store: Store, wall: float) -> int:
    return store.sweep(wall, given.BOOT, 1000.0).messages


def left(db: hot.Connection) -> list[str]:
    known = [row[0] for row in hot.read(db, "SELECT id FROM message ORDER BY seq")]
    rows = hot.read(db, "SELECT DISTINCT message FROM delivery ORDER BY id")
    assert [row[0] for row in rows] == known, "a message and its deliveries go together"
    return known


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        *((each, "directed") for each in AT_REST),
        *((each, "project") for each in (*AT_REST, "announced", "queued")),
    ],
)
def test_a_message_at_rest_goes_after_a_month(
    store: Store, db: hot.Connection, state: str, kind: str
) -> None:
    """To a group also one that was only told of."""
    said(db, "s1", "s3", state=state, kind=kind)

    assert (swept(store, LATER - 2), len(left(db))) == (0, 1)
    assert (swept(store, LATER), left(db)) == (1, [])


@pytest.mark.parametrize("state", ["stored", "claimed", "announced", "queued"])
def test_a_message_that_somebody_was_not_shown_stays_whole_for_ever(
    store: Store, db: hot.Connection, state: str
) -> None:
    message = said(db, "s1", "s3", state="read")
    sql = "UPDATE delivery SET state = ? WHERE session = 's3'"
    hot.write(db, lambda db: db.execute(sql, (state,)))

    assert swept(store, given.WALL + 50 * MONTH) == 0
    assert left(db) == [message]


@pytest.mark.parametrize(
    "column", ["announced_at", "offered_at", "queued_at", "seen_at", "read_at", "answered_at"]
)
def test_the_month_begins_when_the_last_thing_happened(
    store: Store, db: hot.Connection, column: str
) -> None:
    said(db, "s1", state="read")
    sql = f"UPDATE delivery SET {column} = ?"  # noqa: S608 - one of those above
    hot.write(db, lambda db: db.execute(sql, (given.WALL + 500,)))

    assert swept(store, LATER) == 0
    assert swept(store, LATER + 500) == 1


def test_what_was_given_up_stays_a_month_more_so_that_its_sender_can_ask(
    store: Store, db: hot.Connection
) -> None:
    """It is given up a month after the recipient's last sign of life, whenever it was said."""
    said(db, "s1", state="undeliverable")

    assert swept(store, given.WALL + 2 * MONTH - 1) == 0
    assert swept(store, given.WALL + 2 * MONTH + 1) == 1


def test_a_sweep_takes_little_at_a_time_and_says_that_there_is_more(
    store: Store, db: hot.Connection
) -> None:
    for _ in range(housekeeping.CHUNK + 3):
        said(db, "s1", state="read")
    first = store.sweep(LATER, given.BOOT, 1000.0)
    second = store.sweep(LATER, given.BOOT, 1000.0)

    assert (first.messages, first.more) == (housekeeping.CHUNK, True)
    assert (second.messages, second.more) == (3, False)


def test_what_a_session_had_goes_with_it_and_what_the_person_has_stays(
    store: Store, db: hot.Connection
) -> None:
    for box in ("s1", "gone", "@user"):
        store.channels.join("deploy", box, given.WALL)
    store.channels.join("empty", "gone", given.WALL)
    hot.write(db, lambda db: db.execute("INSERT INTO heard (session) VALUES ('gone'), ('s1')"))
    store.sweep(LATER - 2, given.BOOT, 1000.0)
    known = {channel.name: channel.members for channel in store.channels.all()}

    assert known == {"deploy": ["@user", "s1"], "empty": []}
    assert hot.read(db, "SELECT session FROM heard") == [("s1",)]
    store.sweep(LATER, given.BOOT, 1000.0)
    assert [channel.name for channel in store.channels.all()] == ["deploy"]


def test_a_message_that_reached_a_conversation_twice_is_listed_once(
    store: Store, db: hot.Connection
) -> None:
    given.enrol(db, "s0")
    hot.write(db, lambda db: db.execute("UPDATE session SET successor = 's1' WHERE id = 's0'"))
    both, one = said(db, "s0", "s1"), said(db, "s1")
    boxes = store.mail.boxes("s1")

    assert boxes == ("s1", "s0")
    assert [each.message.id for each in store.mail.page(boxes, 9)] == [one, both]
    assert store.mail.page(boxes, 9)[1].fate.session == "s1"


def test_a_ring_of_successors_is_walked_once(store: Store, db: hot.Connection) -> None:
    given.enrol(db, "s0")
    sql = "UPDATE session SET successor = CASE id WHEN 's0' THEN 's1' ELSE 's0' END"
    hot.write(db, lambda db: db.execute(sql))

    assert store.mail.boxes("s1") == ("s1", "s0")


def test_a_page_ends_where_it_is_told_to(store: Store, db: hot.Connection) -> None:
    first, second, third = (said(db, "s1", at=given.WALL + n) for n in range(3))
    latest = store.mail.page(["s1"], 1)[0]
    before = store.mail.page(["s1"], 9, Before(delivery=latest.fate.id))
    at = store.mail.page(["s1"], 9, Before(at=given.WALL + 1))

    assert latest.message.id == third
    assert [each.message.id for each in before] == [second, first]
    assert [each.message.id for each in at] == [first]


def test_what_was_said_is_listed_in_the_order_of_saying_it(
    store: Store, db: hot.Connection
) -> None:
    """Also across the ids of one conversation, whose clocks need not agree."""
    told = [
        said(db, "s1", author=author, at=time.time() - n) for n, author in enumerate("abab")
    ]
    found = store.mail.said(["a", "b"], 3)

    assert [each.message.id for each in found] == told[:0:-1]


@pytest.fixture
def long_used(db: hot.Connection) -> hot.Connection:
    """Put 20,000 old messages beside three that wait."""

    def work(db: hot.Connection) -> None:
        for number in range(20_000):
            row = {"id": f"m{number}", "author": "s2", "body": "x", "at": 0.0, "box": "s1"}
            row |= {"retracted_at": None, "state": "read", "kind": "directed"}
            db.execute(MESSAGE.replace("(SELECT count(*) FROM message)", "1"), row)
            db.execute(DELIVERY, row)

    hot.write(db, work)
    for _ in range(3):
        said(db, "s1")
    return db


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        (mail.PAGE.format(mail.OPEN), "delivery_mail (session=? AND id<?)"),
        (mail.SAID, "message_author (author=?)"),
        (mail.HELD, "delivery_due"),
        (tidying.OLD, "message_age (created_at<?)"),
    ],
    ids=["inbox", "sent", "status", "cleanup"],
)
def test_a_question_is_answered_by_its_index_however_much_there_is(
    long_used: hot.Connection, sql: str, index: str
) -> None:
    asked = {"box": "s1", "below": 1, "before": 1.0, "limit": 1, "kept": 1.0, "chunk": 1}
    found = hot.read(long_used, f"EXPLAIN QUERY PLAN {sql}", asked)
    plan = " / ".join(row[3] for row in found)

    assert index in plan
    assert "SCAN message" not in plan
