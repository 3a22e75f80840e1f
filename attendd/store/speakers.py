"""Which sessions take part in a memory, and by what their own tags are known."""

from collections.abc import Sequence

import msgspec

from attendd.store.link import Link
from attendd.store.rows import rows

_FIELDS = """memory_session.session, memory_session.project, nonce.nonce,
    coalesce(session.transcript, '')"""
_FROM = """memory_session JOIN memory_project ON memory_project.id = memory_session.project
    JOIN nonce ON nonce.session = memory_session.session
    LEFT JOIN session ON session.id = memory_session.session
    WHERE memory_project.enabled AND nonce.rotated_wall IS NULL"""
_ALL = f"SELECT {_FIELDS} FROM {_FROM} AND memory_session.ended_at IS NULL"


class Speaker(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was taught to record facts.

    Attributes:
        session: which.
        project: in whose memory.
        nonce: of its tags, now.
        transcript: path of its transcript, as a hook named it; empty: none did.
    """

    session: str
    project: int
    nonce: str
    transcript: str


class Speakers:
    """Reads them. The method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self) -> Sequence[Speaker]:
        """Return the sessions that have not ended; none where no project has a memory."""
        return rows(Speaker, self._link.read(_ALL))
