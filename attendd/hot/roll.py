"""The session registry: who is attended, and which process reads for whom, in SQL."""

from attendd.hot.db import Connection, write
from attendd.hot.moment import NUMBERED_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict, Unpack

    class SessionRow(TypedDict):
        """Who is attended; ``declared`` says that the name is the process's own claim."""

        session: str
        harness: str
        project: str
        workdir: str
        transcript: str
        name: str
        declared: bool
        wall: float

    class AttachmentRow(TypedDict):
        """A process that reads for a session, and the client it does it for, if any."""

        attachment: str
        session: str
        conduit: str
        reader_pid: int
        reader_start: str
        client_pid: int | None
        client_start: str | None
        boot: str
        pidns: str
        bell: str
        workdir: str
        version: str
        wall: float


BEGUN_S = 60.0
"""A session enrolled so shortly before a client is seen to have gone on under it is that one's
continuation, and keeps its persona; an older one that is taken up again keeps its own."""
_NUMBER = f"""UPDATE session SET origin = project, instance = (
    SELECT min(n) FROM (SELECT 1 AS n UNION
        SELECT instance + 1 FROM session WHERE origin = :project AND instance > 0)
    WHERE n NOT IN (SELECT instance FROM session WHERE origin = :project
        AND instance > 0 AND successor = '' AND seen_at > :wall - {NUMBERED_S}))
    WHERE id = :session AND instance IS NULL"""
"""Give a session the place it began at and the first free number there, for its persona."""


def enrol(db: Connection, **row: "Unpack[SessionRow]") -> None:
    """Write down that a session is attended, or that it gave a sign of life.

    Raises:
        StoreError: the store takes nothing now.
    """
    values = _storable(row)

    def work(db: Connection) -> None:
        db.execute(
            """INSERT INTO session (id, harness, project, workdir, transcript, name, declared,
                enrolled_at, seen_at) VALUES (:session, :harness, :project, :workdir,
                :transcript, :name, :declared, :wall, :wall)
            ON CONFLICT (id) DO UPDATE SET harness = excluded.harness, successor = '',
                project = excluded.project, workdir = excluded.workdir, seen_at = :wall,
                transcript = coalesce(nullif(excluded.transcript, ''), transcript),
                name = coalesce(nullif(excluded.name, ''), name),
                declared = excluded.declared""",
            values,
        )
        db.execute(_NUMBER, values)

    write(db, work)


def seen(db: Connection, session: str, wall: float) -> None:
    """Write down that a session gave a sign of life.

    Raises:
        StoreError: the store takes nothing now.
    """
    sql = "UPDATE session SET seen_at = max(seen_at, ?) WHERE id = ?"
    write(db, lambda db: db.execute(sql, (wall, session)))


def attach(db: Connection, **row: "Unpack[AttachmentRow]") -> None:
    """Write down that this process reads for a session now, in place of an earlier reader.

    What still waits for an attachment of that id goes with it to its present session.

    Raises:
        StoreError: the store takes nothing now.
    """
    values = _storable(row)

    def work(db: Connection) -> None:
        db.execute(
            """INSERT INTO attachment (id, session, conduit, reader_pid,
                reader_start, client_pid, client_start, boot, pidns, bell, workdir, version,
                attached_at) VALUES (:attachment, :session, :conduit, :reader_pid,
                :reader_start, :client_pid, coalesce(:client_start, ''), :boot, :pidns, :bell,
                :workdir, :version, :wall)
            ON CONFLICT (id) DO UPDATE SET session = :session, conduit = :conduit,
                reader_pid = :reader_pid, reader_start = :reader_start,
                client_pid = :client_pid, client_start = coalesce(:client_start, ''),
                bell = :bell, workdir = :workdir, version = :version, attached_at = :wall,
                ended_at = NULL, end_reason = '', blocked_at = NULL""",
            values,
        )
        db.execute(
            """UPDATE delivery SET session = :session WHERE attachment = :attachment
                AND state IN ('stored', 'claimed') AND session <> :session""",
            values,
        )

    write(db, work)


def detach(db: Connection, attachment: str, reader_pid: int, reason: str, wall: float) -> None:
    """Write down that a reader has ended, unless another has taken its place already.

    What it leaves of the event lane waits for its next reader, and grows stale; what must
    arrive is free for any other reader of the session.

    Raises:
        StoreError: the store takes nothing now.
    """

    def work(db: Connection) -> None:
        ended = db.execute(
            """UPDATE attachment SET ended_at = ?, end_reason = ?
                WHERE id = ? AND reader_pid = ? AND ended_at IS NULL""",
            (wall, reason, attachment, reader_pid),
        )
        if ended.rowcount:
            db.execute(
                """UPDATE delivery SET attachment = NULL WHERE attachment = ?
                    AND state IN ('stored', 'claimed') AND lane = 'message'""",
                (attachment,),
            )

    write(db, work)


def blocked(db: Connection, attachment: str, wall: float | None) -> None:
    """Write down since when a reader's output takes nothing; ``None``: it does again.

    Raises:
        StoreError: the store takes nothing now.
    """
    sql = "UPDATE attachment SET blocked_at = ? WHERE id = ?"
    write(db, lambda db: db.execute(sql, (wall, attachment)))


_MAIL_FOLLOWS = (
    """UPDATE delivery SET state = 'expired', reason = 'twice' WHERE session = :old
        AND message IN (SELECT message FROM delivery WHERE session = :new)
        AND message IS NOT NULL AND state IN ('stored', 'claimed', 'announced')""",
    """UPDATE delivery SET session = :new, meant = CASE meant WHEN '' THEN :old ELSE meant END
        WHERE session = :old AND message IS NOT NULL
        AND state IN ('stored', 'claimed', 'announced')""",
)
_FORGOTTEN = """UPDATE delivery SET evidence = '', digest = '' WHERE session = :old
    AND message IS NOT NULL AND state = 'announced' AND evidence <> ''"""
"""Another conversation has not the line that told of what waits; a copy of the same one has."""
_PLACE_FOLLOWS = (
    """INSERT OR IGNORE INTO membership (channel, session, joined_at)
        SELECT channel, :new, joined_at FROM membership WHERE session = :old""",
    """INSERT OR IGNORE INTO mute (session, who, until_at, at)
        SELECT :new, who, until_at, at FROM mute WHERE session = :old""",
    """INSERT OR IGNORE INTO mute (session, who, until_at, at)
        SELECT session, :new, until_at, at FROM mute WHERE who = :old""",
)
"""What follows besides mail and batches. A condition may be added to each statement."""
_HEARD_FOLLOWS = """INSERT OR IGNORE INTO heard (session, message, at, chain, hinted_at)
    SELECT :new, message, at, chain, hinted_at FROM heard WHERE session = :old"""
_ALONE = """NOT EXISTS (SELECT 1 FROM attachment AS other
    WHERE other.session = :old AND other.ended_at IS NULL)"""
"""Nobody runs the old session any more."""


def move_session(db: Connection, attachment: str, old: str, new: str, wall: float) -> None:
    """Follow a client that goes on under another session id, as after `/clear`.

    What waits for it follows. What waits for the session at large follows too, as its channels
    and mutes do, unless another process is still attached to the old one.

    Raises:
        StoreError: the store takes nothing now.
    """
    ids = {"attachment": attachment, "old": old, "new": new, "wall": wall}

    def work(db: Connection) -> None:
        for sql in (
            """INSERT OR IGNORE INTO session (id, harness, project, workdir, name, declared,
                enrolled_at, seen_at, origin, instance) SELECT :new, harness, project, workdir,
                name, declared, :wall, :wall, origin, instance FROM session WHERE id = :old""",
            "UPDATE session SET successor = '', seen_at = :wall WHERE id = :new",
            "UPDATE attachment SET session = :new WHERE id = :attachment",
            f"""UPDATE session SET (origin, instance) = (SELECT origin, instance FROM session
                WHERE id = :old) WHERE id = :new AND enrolled_at > :wall - {BEGUN_S}
                AND EXISTS (SELECT 1 FROM session WHERE id = :old) AND {_ALONE}""",
            "UPDATE checkpoint SET session = :new WHERE attachment = :attachment",
            f"""UPDATE delivery SET session = :new WHERE session = :old
                AND state IN ('stored', 'claimed')
                AND batch IS NOT NULL
                AND (attachment = :attachment OR (attachment IS NULL AND {_ALONE}))""",
            *(f"{sql} AND {_ALONE}" for sql in (_FORGOTTEN, *_MAIL_FOLLOWS, *_PLACE_FOLLOWS)),
            f"UPDATE session SET successor = :new WHERE id = :old AND {_ALONE}",
        ):
            db.execute(sql, ids)

    write(db, work)


def fork(db: Connection, old: str, new: str) -> bool:
    """Give a session that was forked off another what goes along.

    Channels and mutes follow, as does what was shown last: it is in the copy. Mail follows
    unless somebody still runs the old session: then it is theirs, and nobody else's as well.
    The name does not: the old one may be taken up again, and be another conversation then.

    Returns:
        Whether mail follows, that of today and what will be sent to the old session.

    Raises:
        StoreError: the store takes nothing now.
    """
    ids = {"old": old, "new": new}

    def work(db: Connection) -> bool:
        sql = "UPDATE session SET successor = :new WHERE id = :old AND " + _ALONE
        moved = db.execute(sql, ids).rowcount > 0
        for sql in (_HEARD_FOLLOWS, *_PLACE_FOLLOWS, *(_MAIL_FOLLOWS if moved else ())):
            db.execute(sql, ids)
        return moved

    return write(db, work)


def _storable(row: "Mapping[str, object]") -> "dict[str, object]":
    """Keep paths that are no text as the bytes they are."""
    return {
        key: value.encode("utf-8", "surrogateescape")
        if isinstance(value, str) and not _is_text(value)
        else value
        for key, value in row.items()
    }


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
