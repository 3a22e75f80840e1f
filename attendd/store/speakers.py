"""Which sessions take part in a memory, how their tags are known, and how far each was read."""

from collections.abc import Mapping, Sequence

import msgspec

from attendd.store.link import Link
from attendd.store.rows import rows

_FIELDS = """memory_session.session, memory_session.project, nonce.nonce,
    coalesce(session.transcript, ''),
    coalesce((SELECT before.nonce FROM nonce AS before WHERE before.session = nonce.session
        AND before.rotated_wall IS NOT NULL ORDER BY before.rotated_wall DESC LIMIT 1), ''),
    memory_session.began_at, memory_project.enabled_at"""
_FROM = """memory_session JOIN memory_project ON memory_project.id = memory_session.project
    JOIN nonce ON nonce.session = memory_session.session
    LEFT JOIN session ON session.id = memory_session.session
    WHERE memory_project.enabled AND nonce.rotated_wall IS NULL"""
_ALL = f"SELECT {_FIELDS} FROM {_FROM} AND memory_session.ended_at IS NULL"
_PLACES = "SELECT path, at, mark, turn FROM listened WHERE session = ?"
_KEEP = """INSERT OR REPLACE INTO listened (session, seen_at, path, at, mark, turn)
    VALUES (?, ?, ?, ?, ?, ?)"""


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was taught to record facts.

    Attributes:
        session: which.
        project: in whose memory.
        nonce: of its tags, now.
        transcript: path of its transcript, as a hook named it; empty: none did.
        replaced: the nonce that it had before; empty: none.
        began_at: since when it takes part, wall clock.
        enabled_at: since when its memory is on; 0: that is not known.
    """

    session: str
    project: int
    nonce: str
    transcript: str
    replaced: str
    began_at: float
    enabled_at: float


class Place(msgspec.Struct, frozen=True):
    """How far a transcript was read: to the beginning of a row.

    Attributes:
        at: so many bytes.
        mark: digest of the last of them, by which the file is known again; empty: any is it.
        turn: the session's prompt that this is in; 0: that is not known.
    """

    at: int = 0
    mark: str = ""
    turn: int = 0


class Speakers:
    """Reads them. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self) -> Sequence[Speaker]:
        """Return the sessions that have not ended; none where no project has a memory."""
        return rows(Speaker, self._link.read(_ALL))

    def places(self, session: str) -> dict[str, Place]:
        """Return how far the transcripts of a session were read, by path."""
        found = self._link.read(_PLACES, (session,))
        return {path: Place(*place) for path, *place in found}

    def read_to(self, session: str, places: Mapping[str, Place], wall: float) -> None:
        """Keep how far transcripts were read; all up to there is recorded, or refused."""
        values = [
            (session, wall, path, *msgspec.structs.astuple(each))
            for path, each in places.items()
        ]
        self._link.write(lambda db: db.executemany(_KEEP, values))
