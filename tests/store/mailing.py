"""Messages put in by hand, for the store's tests."""

from collections.abc import Sequence

from attendd.hot import address, fate, ids, letter, mail, post
from attendd.hot import db as hot
from attendd.hot.identity import Caller
from attendd.hot.letter import Letter
from attendd.hot.moment import Moment
from tests.store import given

START = Moment(given.WALL, given.BOOT, 1000.0)


def later(seconds: float, boot: str = given.BOOT) -> Moment:
    return Moment(given.WALL + seconds, boot, 1000.0 + seconds)


def caller(session: str, how: str = "CLAUDE_PID", workdir: str = "/w") -> Caller:
    found = Caller(session, how)
    found.declared = session.startswith("as:")
    found.workdir = workdir
    return found


def draft(
    sender: str, *words: str, message: str = "", reply: bool = False, body: bytes = b""
) -> post.Draft:
    """Make a message of a command line; its text is ``x`` where no other is given."""
    asked = address.parse("reply" if reply else "send", [*words, "--", "-"])
    asked.to = [f"project:{who}" if who.startswith("/") else who for who in asked.to]
    made = post.Draft(message or ids.new_id(), caller(sender), asked, body or b"x")
    made.reply = reply
    return made


def send(
    db: hot.Connection, sender: str, *words: str, now: Moment = START, **options: object
) -> post.Outcome:
    return post.commit(db, draft(sender, *words, **options), now)  # type: ignore[arg-type]


def boxes(outcome: post.Outcome) -> list[str]:
    return sorted(each.box for each in outcome.people)


def waiting(db: hot.Connection, box: str = "s1", now: Moment = START) -> list[Letter]:
    return mail.waiting(db, (box,), now, "monitor", limit=100)


def show(
    db: hot.Connection, box: str = "s1", now: Moment = START, by: str = "a1"
) -> Sequence[Letter]:
    """Do what a reader does, once, but for the write."""
    made = letter.batch(waiting(db, box, now)[: mail.FOLD_OVER], now)
    taken = mail.take(db, made.letters, by, now)
    fate.record(db, taken, "monitor", now, made)
    return taken


def join(db: hot.Connection, box: str, channel: str) -> None:
    db.execute("INSERT OR IGNORE INTO channel (name, made_at) VALUES (?, 0)", (channel,))
    db.execute("INSERT INTO membership VALUES (?, ?, 0)", (channel, box))


def fates(db: hot.Connection) -> list[tuple[str, str, str, int]]:
    """Return mailbox, state, reason and repeats of every message's delivery, in order."""
    return hot.read(
        db,
        """SELECT session, state, reason, repeats FROM delivery
            WHERE message IS NOT NULL ORDER BY id""",
    )


def many(db: hot.Connection, count: int, box: str = "s1") -> None:
    """Have so many messages of s2 wait in a mailbox."""
    db.execute("BEGIN")
    db.executemany(
        """INSERT INTO message (id, author, author_kind, author_name, author_how, body, kind,
            thread, seq, created_at, created_boot, created_bt)
            VALUES (?1, 's2', 'agent', 'Juno', 'CLAUDE_PID', 'x', 'directed', ?1, ?2, ?3, ?4, 1000)""",
        [(f"{box}-{at:06}", at, given.WALL, given.BOOT) for at in range(count)],
    )
    db.execute(
        """INSERT INTO delivery (session, lane, state, message, kind, created_at, created_boot,
            created_bt) SELECT ?1, 'message', 'stored', id, 'directed', created_at, created_boot,
            created_bt FROM message WHERE id GLOB ?1 || '-*' ORDER BY seq""",
        (box,),
    )
    db.execute("COMMIT")
