"""Sessions that are a copy of another which is not known yet; see `attendd.hot.forks`."""

import msgspec

from attendd.hot import forks
from attendd.store.link import Link

_SOUGHT = """SELECT session.id, session.transcript, CAST(meta.value AS REAL)
    FROM meta JOIN session ON session.id = substr(meta.key, length(:mark) + 1)
    WHERE meta.key >= :mark AND meta.key < :end AND session.transcript <> ''"""
_ORIGINS = """SELECT id, workdir FROM session WHERE harness = 'claude-code' AND id <> :copy
    AND (
    id IN (SELECT session FROM membership UNION SELECT session FROM mute
        UNION SELECT session FROM heard)
    OR EXISTS (SELECT 1 FROM delivery WHERE delivery.session = session.id
        AND message IS NOT NULL AND state IN ('stored', 'claimed'))
    OR EXISTS (SELECT 1 FROM delivery WHERE delivery.session = session.id
        AND message IS NOT NULL AND state = 'announced'))"""


class Sought(msgspec.Struct, frozen=True):
    """A session whose origin is sought.

    Attributes:
        session: its id.
        transcript: path of its transcript, which may not exist yet.
        since: when it began, wall clock.
    """

    session: str
    transcript: str
    since: float


class Copies:
    """What is left to be found out. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def sought(self) -> list[Sought]:
        """Return the sessions whose origin is sought."""
        mark = forks.SOUGHT
        asked = {"mark": mark, "end": mark[:-1] + chr(ord(mark[-1]) + 1)}
        found = self._link.read(_SOUGHT, asked)
        return [Sought(row[0], _text(row[1]), row[2]) for row in found]

    def origins(self, copy: str) -> dict[str, str]:
        """Return the sessions of which something would go along, and their directories."""
        found = self._link.read(_ORIGINS, {"copy": copy})
        return {row[0]: _text(row[1]) for row in found}

    def settle(self, copy: str, origin: str) -> None:
        """Have what goes along follow a copy, and seek no more; ``''``: from nowhere."""
        if origin:
            self._link.call(lambda db: forks.follow(db, origin, copy))
        sql = "DELETE FROM meta WHERE key = ?"
        self._link.write(lambda db: db.execute(sql, (forks.SOUGHT + copy,)))


def _text(value: object) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
