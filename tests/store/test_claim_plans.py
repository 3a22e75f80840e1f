"""What waits is found as quickly beside 100,000 old messages as beside none: by its index."""

from collections.abc import Iterator

import pytest

from attendd.hot import db as hot
from attendd.hot import mail
from tests.store import given, mailing
from tests.store.mailing import waiting


@pytest.fixture(scope="module")
def long_used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hot.Connection]:
    """Put 100,000 messages of all fates beside three that wait for s1."""
    with given.opened(tmp_path_factory.mktemp("used") / "attend.db") as db:
        given.enrol(db)
        given.enrol(db, "s2")
        mailing.many(db, 50_000)
        mailing.many(db, 50_000, "s2")
        db.execute("UPDATE delivery SET state = iif(id % 2, 'seen', 'offered')")
        for _ in range(3):
            mailing.send(db, "s2", "--to", "s1")
        db.execute("ANALYZE")
        yield db


def plan(db: hot.Connection, sql: str) -> str:
    asked = {
        **mail.clocks(mailing.START),
        **{f"box{at}": "s1" for at in range(2)},
        "box": "s1",
        "conduit": "monitor",
        "limit": 9,
    }
    return " / ".join(row[3] for row in hot.read(db, f"EXPLAIN QUERY PLAN {sql}", asked))


@pytest.mark.parametrize("boxes", [1, 2])
@pytest.mark.parametrize("bodies", [True, False])
def test_the_look_for_what_waits_touches_only_that(
    long_used: hot.Connection, boxes: int, *, bodies: bool
) -> None:
    found = plan(long_used, mail.waiting_sql(boxes, bodies=bodies))

    assert found.startswith("SEARCH delivery USING INDEX delivery_due (session=?)")
    assert "SCAN" not in found
    assert len(waiting(long_used)) == 3


@pytest.mark.parametrize("sql", [mail.AGING, mail.LEFT])
def test_what_is_looked_at_besides_is_found_so_too(long_used: hot.Connection, sql: str) -> None:
    found = plan(long_used, sql.replace("?", ":box"))

    assert "delivery_due (session=?)" in found
    assert "SCAN" not in found


def test_a_send_counts_and_an_answer_finds_its_parent_by_index(
    long_used: hot.Connection,
) -> None:
    for sql, index in (
        ("SELECT max(seq) FROM message WHERE author = :box", "message_author (author=?)"),
        ("SELECT thread FROM message WHERE id = :box", "sqlite_autoindex_message_1 (id=?)"),
        (
            "SELECT channel FROM delivery WHERE message = :box AND session = :box",
            "delivery_message (message=? AND session=?)",
        ),
    ):
        assert index in plan(long_used, sql)
