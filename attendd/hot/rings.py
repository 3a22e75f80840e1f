"""Loop detection: conversations that only go round are held, until something real happens.

A message's depth counts the messages between it and the last thing that was not one: a human's
word, or work of its sender's. Where it grows large and its recipient is among those whose words
led to it, two or more agents are answering each other and nothing else.
"""

from attendd.hot import post
from attendd.hot.db import Connection, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HELD = "ping-pong"
"""What is written in ``delivery.hold``."""
WITHIN_S = 24 * 3600.0
"""Words older than this have led to nothing that is said now."""

_LED_TO_IT = """WITH RECURSIVE led(box, depth) AS (
        SELECT author, depth FROM message WHERE id = :message
        UNION SELECT earlier.author, earlier.depth FROM led
            JOIN delivery ON delivery.session = led.box AND delivery.message IS NOT NULL
            JOIN message AS earlier ON earlier.id = delivery.message
            WHERE earlier.depth = led.depth - 1 AND led.depth > 0
                AND earlier.created_at > :since)
    SELECT DISTINCT box FROM led
    WHERE depth < (SELECT depth FROM message WHERE id = :message)"""
_HOLD = """UPDATE delivery SET hold = :held WHERE message = :message AND session = :box
    AND state = 'stored' AND hold = ''"""
_THEIRS = """SELECT id, session FROM delivery WHERE hold = :held
    AND state IN ('stored', 'claimed') AND message IS NOT NULL
    AND (session = :box OR message IN (SELECT id FROM message WHERE author = :box))"""


def hold(db: Connection, message: str, wall: float) -> list[str]:
    """Hold a message that was just accepted, as part of that transaction, where it goes round.

    Args:
        db: the store, in a transaction.
        message: its id.
        wall: now.

    Returns:
        The mailboxes in which it is held.
    """
    asked = {"message": message, "since": wall - WITHIN_S}
    boxes = [str(row[0]) for row in db.execute(_LED_TO_IT, asked).fetchall() if row[0]]
    held = [{"held": HELD, "message": message, "box": box} for box in boxes]
    return [str(each["box"]) for each in held if db.execute(_HOLD, each).rowcount]


def let_go(db: Connection, box: str) -> list[str]:
    """Take note that something real has happened in a session, as part of a transaction.

    What it says next begins anew, and what was held of its conversations is offered.

    Returns:
        The mailboxes in which something waits now that was held.
    """
    db.execute("UPDATE heard SET chain = 0 WHERE session = ? AND chain > 0", (box,))
    found = db.execute(_THEIRS, {"held": HELD, "box": box}).fetchall()
    db.executemany("UPDATE delivery SET hold = '' WHERE id = ?", [row[:1] for row in found])
    return sorted({str(session) for _, session in found})


def wake(db: Connection, boxes: "Iterable[str]") -> None:
    """Ring whoever reads for some mailboxes.

    Raises:
        StoreError: it can't be found out.
    """
    for box in boxes:
        sql = """SELECT bell FROM attachment WHERE ended_at IS NULL AND bell <> ''
            AND (session = ?1 OR (?1 = '@user' AND session LIKE 'tty:%'))"""
        for (path,) in read(db, sql, (box,)):
            post.knock(str(path))
