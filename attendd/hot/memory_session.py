"""Where a session is with its project's memory, and what it has been given of it."""

from attendd.hot import folders, memory_settings
from attendd.hot.db import Connection, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SENSOR, TOPIC = "disclosure", "memory"
"""What the instruction is called in the ledger of what was taught."""
TOKEN_BYTES = 4
"""Bytes that a token stands for, in an estimate."""

_LATEST = "coalesce((SELECT max(id) FROM fact_log WHERE fact_log.project = {}), 0)"
_STATE = f"""SELECT project, prompts, fresh_at, taught_at, taught_prompts, taught_bytes, gauge,
    due, told, notice, {_LATEST.format("memory_session.project")},
    coalesce((SELECT value FROM meta WHERE key = '{memory_settings.KEY}'), '')
    FROM memory_session WHERE session = ?"""  # noqa: S608 - constants
_BEGIN = f"""INSERT INTO memory_session (session, project, began_at, fresh_at, told)
    VALUES (:session, :project, :wall, :wall, {_LATEST.format(":project")})
    ON CONFLICT (session) DO UPDATE SET ended_at = NULL, project = excluded.project,
    due = CASE WHEN :lost THEN 'compacted' ELSE due END,
    fresh_at = CASE WHEN :lost THEN :wall ELSE fresh_at END"""  # noqa: S608 - constants
_NAMES = "SELECT name, origin, instance FROM session WHERE id = ?"
_CHANNELS = "SELECT channel FROM membership WHERE session = ?"
_NEWS = """SELECT DISTINCT fact FROM fact_log WHERE project = ? AND id > ?
    AND action IN ('recorded', 'edited', 'pinned', 'undone') ORDER BY id DESC LIMIT 200"""
_KNOWN = """SELECT injected.fact FROM injected JOIN injection ON injection.id = injection
    WHERE session = ? AND at >= ? AND NOT EXISTS (SELECT 1 FROM fact_log
        WHERE fact_log.fact = injected.fact AND action = 'edited'
        AND fact_log.at > injection.at)"""
_WITHDRAWN = """SELECT (SELECT count(*) FROM injection AS earlier
        WHERE earlier.session = injection.session AND earlier.id <= injection.id), position
    FROM injection JOIN injected ON injected.injection = injection.id
    WHERE session = :session AND at >= :since AND injected.fact IN (SELECT fact FROM fact_log
        WHERE project = :project AND id > :told AND action = 'forgotten')
    ORDER BY injection.id, position LIMIT 20"""
_REFUSED = """SELECT json_extract(changes, '$._reason'), sum(json_extract(changes, '$._count'))
    FROM fact_log WHERE project = ? AND id > ? AND action = 'refused' AND session = ?
    GROUP BY 1 ORDER BY min(id)"""
_PARTED = """SELECT action, count(*) FROM fact_log WHERE project = :project
    AND id > (SELECT parted FROM memory_project WHERE id = :project)
    AND action IN ('pruned', 'archived', 'withheld') GROUP BY action ORDER BY action"""
_COUNT = "SELECT count(*) FROM injection WHERE session = ?"


class State:
    """One row of the store.

    Attributes:
        session: whose.
        project: whose memory.
        prompts: of a person so far; not counted where the distance is known in tokens.
        fresh_at: since when its context holds what was said in it, wall clock.
        taught_at: when it was taught last; ``None``: never.
        taught_prompts: how many prompts it had seen then.
        taught_bytes: how long its transcript was then.
        gauge: whether the host knows the distance in tokens, and says when teaching is due.
        due: why it is, if somebody said so.
        told: the last entry of the log whose news it was given.
        notice: what its person is to be told.
        latest: the last entry of the log that there is.
        settings: what is set, as it is kept.
    """

    __slots__ = (
        "due", "fresh_at", "gauge", "latest", "notice", "project", "prompts", "session",
        "settings", "taught_at", "taught_bytes", "taught_prompts", "told",
    )  # fmt: skip

    project: int
    prompts: int
    fresh_at: float
    taught_at: float | None
    taught_prompts: int
    taught_bytes: int
    gauge: int
    due: str
    told: int
    notice: str
    latest: int
    settings: str

    def __init__(self, session: str, row: "Sequence[object]") -> None:
        self.session = session
        names = (
            "project", "prompts", "fresh_at", "taught_at", "taught_prompts", "taught_bytes",
            "gauge", "due", "told", "notice", "latest", "settings",
        )  # fmt: skip
        for name, value in zip(names, row, strict=True):
            setattr(self, name, value)


def state(db: Connection, session: str) -> State | None:
    """Return where a session is; ``None`` if it takes no part in any memory.

    Raises:
        StoreError: the store can't be read.
    """
    found = read(db, _STATE, (session,))
    return State(session, found[0]) if found else None


def begin(
    db: Connection, session: str, project: int, wall: float, *, lost: bool = False
) -> State:
    """Have a session take part, from now on or once more; return where it is.

    Args:
        db: the store.
        session: which.
        project: in whose memory.
        wall: now.
        lost: whether it has just lost what it knew, as by a compaction.

    Raises:
        StoreError: it was not kept.
    """
    row = {"session": session, "project": project, "wall": wall, "lost": lost}
    write(db, lambda db: db.execute(_BEGIN, row))
    found = state(db, session)
    assert found is not None  # noqa: S101 - it was just written
    return found


def names(db: Connection, session: str) -> list[str]:
    """Return what a session is addressed by: its name, its channels, with their mark or not.

    Raises:
        StoreError: the store can't be read.
    """
    found = [word for (name,) in read(db, _CHANNELS, (session,)) for word in (name, f"#{name}")]
    for name, origin, instance in read(db, _NAMES, (session,)):
        if instance is not None:
            from attendd.hot import persona

            found.append(persona.name(origin, instance))
        found.append(name)
    return [name for name in found if name]


def news(db: Connection, here: State) -> list[str]:
    """Return the facts that have come or changed since a session was told the latest.

    Raises:
        StoreError: the store can't be read.
    """
    if here.latest <= here.told:
        return []
    return [row[0] for row in read(db, _NEWS, (here.project, here.told)) if row[0]]


def known(db: Connection, here: State, since: float) -> set[str]:
    """Return the facts that a session was shown since, and that read the same still.

    Raises:
        StoreError: the store can't be read.
    """
    return {row[0] for row in read(db, _KNOWN, (here.session, since))}


def withdrawn(db: Connection, here: State) -> list[tuple[int, int]]:
    """Return which notes were forgotten since: the block of each, and its number in that.

    Raises:
        StoreError: the store can't be read.
    """
    if here.latest <= here.told:
        return []
    asked = {
        "session": here.session,
        "since": here.fresh_at,
        "project": here.project,
        "told": here.told,
    }
    return read(db, _WITHDRAWN, asked)


def refused(db: Connection, here: State) -> list[tuple[str, int]]:
    """Return why facts of a session were not kept since: each reason, and of how many.

    Raises:
        StoreError: the store can't be read.
    """
    if here.latest <= here.told:
        return []
    return read(db, _REFUSED, (here.project, here.told, here.session))


def parted(db: Connection, project: int) -> list[tuple[str, int]]:
    """Return what was done to facts that are shown no more, and how many, since that was told.

    Raises:
        StoreError: the store can't be read.
    """
    return read(db, _PARTED, {"project": project})


def blocks(db: Connection, session: str) -> int:
    """Return how many blocks a session was given.

    Raises:
        StoreError: the store can't be read.
    """
    return int(read(db, _COUNT, (session,))[0][0])


def listen_from_here(db: Connection, session: str, transcript: str, wall: float) -> None:
    """Note, in the caller's transaction, that there are no tags of a session before this."""
    db.execute(
        """INSERT OR IGNORE INTO listened (path, session, at, mark, turn, seen_at)
            VALUES (?, ?, ?, '', 0, ?)""",
        (transcript, session, folders.size(transcript), wall),
    )


def count_prompt(db: Connection, here: State) -> None:
    """Count a prompt with which a session was told nothing of memory.

    The log up to now counts as told: what was new in it did not concern the session, and is
    not looked at again. Where the host knows the distance in tokens and nothing was new,
    nothing is written.

    Raises:
        StoreError: it was not kept.
    """
    if here.gauge and here.told == here.latest:
        return
    sql = "UPDATE memory_session SET prompts = prompts + 1, told = ? WHERE session = ?"
    write(db, lambda db: db.execute(sql, (here.latest, here.session)))
