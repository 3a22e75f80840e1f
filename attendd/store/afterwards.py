"""What becomes of messages after they were offered: the host's questions."""

from collections.abc import Callable, Sequence

import msgspec

from attendd import fingerprint
from attendd.hot import db as hot
from attendd.hot import fate, ids, post, rings
from attendd.hot.ledger import LEASE_S
from attendd.hot.moment import Moment
from attendd.store.link import Link

MOST = 2_000
"""So many deliveries are looked at in one go."""

_SESSIONS = """WITH RECURSIVE asked(id, now) AS (
    SELECT value, value FROM json_each(:sessions)
    UNION SELECT session.id, asked.now FROM asked
        JOIN session ON session.successor = asked.id)"""
_UNPROVEN = f"""{_SESSIONS} SELECT delivery.id, asked.now, message, state, conduit, repeats,
    coalesce(offered_at, 0), CASE WHEN lease_boot = :boot AND offered_bt IS NOT NULL
        THEN :bt - offered_bt ELSE :wall - coalesce(offered_at, :wall) END,
    substr(lease_by, 1, instr(lease_by, '/') - 1)
    FROM asked CROSS JOIN delivery ON delivery.session = asked.id WHERE message IS NOT NULL AND
    {{}} LIMIT :most"""
_SHOWN = "(state = 'offered' OR state = 'queued' OR state = 'seen')"
"""As the index of what is not proved has it."""
_OFFERED = _UNPROVEN.format(_SHOWN)
_CLAIMED = _UNPROVEN.format("state IN ('stored', 'claimed') AND state = 'claimed'")
_TOLD = """message IS NOT NULL AND state = 'announced' AND evidence = '' AND digest <> ''"""
"""As the index of what a line told of that is not proved has it."""
_ANNOUNCED = f"""{_SESSIONS} SELECT delivery.id, asked.now, digest, state, conduit,
    min(repeats), coalesce(announced_at, 0), max(0, CASE WHEN lease_boot = :boot
        THEN :bt - lease_bt + {LEASE_S} ELSE :wall - coalesce(announced_at, :wall) END),
    substr(lease_by, 1, instr(lease_by, '/') - 1)
    FROM asked CROSS JOIN delivery ON delivery.session = asked.id WHERE {_TOLD}
    GROUP BY delivery.session, digest LIMIT :most"""
_LEFT = f"""SELECT DISTINCT session.id, session.workdir, session.transcript
    FROM delivery CROSS JOIN session ON session.id = delivery.session
    WHERE message IS NOT NULL AND {_SHOWN}
    AND ((state <> 'seen' AND repeats = 0 AND offered_at > :since) OR offered_at > :lately)
    AND session.transcript <> ''
    AND session.successor = ''
    UNION SELECT session.id, session.workdir, session.transcript
    FROM delivery CROSS JOIN session ON session.id = delivery.session
    WHERE {_TOLD} AND repeats = 0 AND announced_at > :since
    AND session.transcript <> '' AND session.successor = ''"""
_WAYS = """SELECT name FROM conduit WHERE session = ?1 AND ok_at IS NOT NULL
    UNION SELECT conduit FROM attachment WHERE session = ?1 AND ended_at IS NULL
        AND conduit <> 'hook'"""
_HEARD = """SELECT heard.session, coalesce(at, 0), chain, gap_s FROM json_each(:sessions)
    CROSS JOIN heard ON heard.session = value WHERE chain > 0 OR gap_s > 0"""
_HELD = """SELECT delivery.id, delivery.session, message.author, message.author_name,
    coalesce((SELECT max(other.offered_at) FROM delivery AS other
        JOIN message AS word ON word.id = other.message WHERE word.author_kind = 'human'
        AND other.session IN (delivery.session, message.author)), 0) > message.created_at
    FROM delivery JOIN message ON message.id = delivery.message
    WHERE hold = :held AND state IN ('stored', 'claimed') ORDER BY delivery.id"""
_LIVING = """WITH RECURSIVE living(id) AS (
    SELECT id FROM session WHERE seen_at >= :before
    UNION SELECT session FROM attachment WHERE ended_at IS NULL
    UNION SELECT session.id FROM living JOIN session ON session.successor = living.id)"""
_UNREAD = "state IN ('stored', 'claimed', 'announced', 'queued')"
_DEAD = f"""{_LIVING} SELECT delivery.id, delivery.session, message.id, message.author
    FROM delivery JOIN message ON message.id = delivery.message
    WHERE {_UNREAD} AND delivery.kind = 'directed'
    AND (delivery.session IN (SELECT id FROM session)
        OR (delivery.session <> '{ids.USER}' AND delivery.created_at < :before))
    AND delivery.session NOT IN (SELECT id FROM living) LIMIT :most"""
"""What waits for somebody of whom there has been no sign of life for so long. Of one that was
never enrolled there is none: that counts from when it was said."""


class Offered(msgspec.Struct, frozen=True):
    """A delivery that is not proved through and through.

    Attributes:
        delivery: its number.
        session: the mailbox it is in.
        message: the message's id; of several that one line told of, what that is known by.
        state: ``claimed``, ``offered``, ``queued`` or ``seen``; ``announced`` for several.
        conduit: the way it went.
        repeats: how often it was offered again before.
        offered_at: when it was offered, wall clock; 0 where that is not known.
        age_s: how long ago that was, on the clock that counts suspend.
        by: who wrote it: an attachment, or a hook by its name where its client is not known.
    """

    delivery: int
    session: str
    message: str
    state: str
    conduit: str
    repeats: int
    offered_at: float
    age_s: float
    by: str = ""


class Heard(msgspec.Struct, frozen=True):
    """What a mailbox was shown last, and what follows from it.

    Attributes:
        at: when, wall clock; 0: never.
        chain: the depth of what it says next.
        gap_s: the pause it is given, in seconds.
    """

    at: float = 0.0
    chain: int = 0
    gap_s: float = 0.0


class Held(msgspec.Struct, frozen=True):
    """A message that is held because the talk goes round.

    Attributes:
        delivery: its number.
        box: in which mailbox.
        author: whose it is.
        name: what its author is called.
        freed: whether a person has spoken to either since.
    """

    delivery: int
    box: str
    author: str
    name: str
    freed: bool


class Left(msgspec.Struct, frozen=True):
    """A session with messages that are not proved through and through."""

    session: str
    workdir: str
    transcript: str


class Lost(msgspec.Struct, frozen=True):
    """A message that its recipient can't get any more."""

    delivery: int
    box: str
    message: str
    author: str


class Afterwards:
    """Deliveries once they were offered. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def unproven(self, sessions: list[str], wall: float, boot: str, bt: float) -> list[Offered]:
        """Return what was offered to some sessions, and to those whose place they took."""
        asked = {
            "sessions": msgspec.json.encode(sessions).decode(),
            "wall": wall,
            "boot": boot,
            "bt": bt,
            "most": MOST,
        }
        found = self._link.call(
            lambda db: [
                row
                for sql in (_OFFERED, _CLAIMED, _ANNOUNCED)
                for row in hot.read(db, sql, asked)
            ]
        )
        return [Offered(*row) for row in found]

    def left(self, since: float, lately: float) -> list[Left]:
        """Return the sessions to which something was offered of which more may be found.

        Args:
            since: from when on what has left no sign counts, wall clock.
            lately: from when on what is merely not answered counts as well.
        """
        asked = {"since": since, "lately": lately}
        found = self._link.call(lambda db: hot.read(db, _LEFT, asked))
        return [Left(*map(_text, row)) for row in found]

    def advance(self, delivery: int, state: str, at: float, evidence: str) -> None:
        """Write down that a delivery came to a state; see `attendd.hot.fate.advance`."""
        self._link.call(lambda db: fate.advance(db, [delivery], state, at, evidence))

    def line_proved(self, delivery: int, evidence: str) -> None:
        """Write down that a line came in; see `attendd.hot.fate.digest_proved`."""
        self._link.call(lambda db: fate.digest_proved(db, delivery, evidence))

    def again(self, offered: Offered, avoid: str) -> bool:
        """Offer a delivery once more, to the session that its own has become; wake its reader.

        With it goes all else that the same line told of.

        Returns:
            Whether it will be: it was not offered again before.
        """
        offer = fate.digest_again if offered.state == "announced" else fate.again
        session = offered.session

        def work(db: hot.Connection) -> bool:
            if not offer(db, offered.delivery, session, avoid):
                return False
            rings.wake(db, [session])
            return True

        return self._link.call(work)

    def let_go(self, box: str) -> list[str]:
        """Take note that something real happened there; see `attendd.hot.rings.let_go`."""
        freed = self._link.write(lambda db: rings.let_go(db, box))
        self._link.call(lambda db: rings.wake(db, freed))
        return freed

    def slow_down(self, box: str, gap_s: float) -> None:
        """Have a mailbox told one line in so many seconds at most; 0: as usual."""
        self._link.call(lambda db: fate.slow_down(db, box, gap_s))

    def give_up(
        self, lost: Sequence[Lost], notice: Callable[[Lost], str], now: Moment
    ) -> list[Lost]:
        """Write down that nobody can get these any more, and tell their authors with that.

        Args:
            lost: what is given up, unless it came to somewhere meanwhile.
            notice: what the author of one is told.
            now: the present.

        Returns:
            Those that were given up.
        """
        sql = f"""UPDATE delivery SET state = 'undeliverable', reason = 'gone'
            WHERE id = ? AND {_UNREAD}"""

        def work(db: hot.Connection) -> list[Lost]:
            done = [each for each in lost if db.execute(sql, (each.delivery,)).rowcount]
            for each in (each for each in done if each.author):
                key = _id_of(f"gone:{each.delivery}:{each.message}")
                post.add_notice(db, key, each.author, notice(each), now)
            return done

        given_up = self._link.write(work)
        authors = {each.author for each in given_up if each.author}
        self._link.call(lambda db: rings.wake(db, authors))
        return given_up

    def tell(self, box: str, text: str, key: str, now: Moment) -> bool:
        """Say something to a mailbox in attend's own name, once for each key; wake its reader.

        Returns:
            Whether it is said now and was not before.
        """
        said = self._link.write(lambda db: post.add_notice(db, _id_of(key), box, text, now))
        if said:
            self._link.call(lambda db: rings.wake(db, [box]))
        return said

    def ways(self, session: str) -> set[str]:
        """Name the ways into a session that have worked, and are not known to be gone."""
        return {row[0] for row in self._link.call(lambda db: hot.read(db, _WAYS, (session,)))}

    def heard(self, sessions: list[str]) -> dict[str, Heard]:
        """Return those of some sessions whose words go on a talk, or that are slowed down."""
        asked = {"sessions": msgspec.json.encode(sessions).decode()}
        found = self._link.call(lambda db: hot.read(db, _HEARD, asked))
        return {session: Heard(*rest) for session, *rest in found}

    def held(self) -> list[Held]:
        """Return what is held because the talk goes round, oldest first."""
        found = self._link.call(lambda db: hot.read(db, _HELD, {"held": rings.HELD}))
        return [
            Held(delivery=row[0], box=row[1], author=row[2], name=row[3], freed=bool(row[4]))
            for row in found
        ]

    def lost(self, before: float) -> list[Lost]:
        """Return unread mail to sessions of which, or of whose successors, nothing is left."""
        asked = {"before": before, "most": MOST}
        return [Lost(*row) for row in self._link.call(lambda db: hot.read(db, _DEAD, asked))]


def _id_of(key: str) -> str:
    """Make the id of a message out of what it is about, so that it is said once."""
    number = int.from_bytes(fingerprint.of(key.encode()))
    digits = ""
    while len(digits) < ids.LENGTH:
        number, at = divmod(number, len(ids.ALPHABET))
        digits += ids.ALPHABET[at]
    return digits


def _text(value: object) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
