"""Why things were told, held, merged or faded: a file of its own that may go at any moment.

Nothing but questions asked later depends on it. So its commits are not waited for, its oldest
part goes when it is full, and whoever writes to it is never stopped by its troubles.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.store.link import Link
from attendd.store.rows import JournalRow, columns, rows

SCHEMA = hot.Schema("journal", 2, "OFF")
CAP_BYTES = 64 * 1024 * 1024
"""How large the file may grow."""
PATIENCE_S = 0.2
"""How long an entry is worth waiting for: nobody else writes, so this is hardly ever needed."""
_FULL_AT = 0.95  # of the cap: an append comes before the look at the size
_PAGE_BYTES = 4096  # SQLite's default, in every release that we meet

_MARKS = ", ".join("?" * len(JournalRow.__struct_fields__))
_ADD = f"INSERT INTO entry ({columns(JournalRow)}) VALUES ({_MARKS})"
_DROP_TENTH = """DELETE FROM entry WHERE id <= (SELECT min(id) FROM entry)
    + (SELECT max(id) - min(id) FROM entry) / 10"""
_SELECT = f"SELECT {columns(JournalRow)} FROM entry"


class Journal:
    """The writing end. Not one of its methods raises.

    Attributes:
        lost: entries that could not be written since the process started.
    """

    def __init__(self, path: Path | str, *, cap_bytes: int = CAP_BYTES) -> None:
        """Name the file; it is opened when there is something to write.

        Args:
            path: where it is or will be.
            cap_bytes: how large it may grow.
        """
        self.lost = 0
        self._path = str(path)
        self._cap_pages = int(cap_bytes * _FULL_AT) // _PAGE_BYTES
        self._link: Link | None = None
        self._lost_before = 0
        self._troubled = False

    def append(self, entries: Sequence[JournalRow]) -> str:
        """Write entries in one transaction.

        Returns:
            A sentence for the log when trouble began or ended with this call, else nothing.
        """
        if not entries:
            return ""
        try:
            link = self._opened()
            values = [_writable(entry) for entry in entries]
            link.write(lambda db: db.executemany(_ADD, values))
            self._keep_small(link)
        except StoreError as error:
            return self._failed(len(entries), str(error))
        except Exception as error:  # noqa: BLE001 - a question asked later is not worth a crash
            return self._failed(len(entries), f"{type(error).__name__}: {error}")
        return self._recovered() or self._notice(link)

    def close(self) -> None:
        """Give the file back; the next `append` opens it again."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def _opened(self) -> Link:
        if self._link is None:
            self._link = Link(self._path, patience_s=PATIENCE_S, schema=SCHEMA)
        return self._link

    def _keep_small(self, link: Link) -> None:
        while _pages(link) > self._cap_pages:
            if not link.write(lambda db: db.execute(_DROP_TENTH).rowcount):
                return
            link.give_back(self._cap_pages)

    def _failed(self, count: int, problem: str) -> str:
        self.close()
        self.lost += count
        if self._troubled:
            return ""
        self._troubled = True
        self._lost_before = self.lost - count
        return f"the journal is not being written: {problem}"

    def _recovered(self) -> str:
        if not self._troubled:
            return ""
        self._troubled = False
        count = self.lost - self._lost_before
        return f"the journal is being written again; {count} entries were lost"

    def _notice(self, link: Link) -> str:
        said, link.notices = link.notices, []
        return "; ".join(said)


class JournalReader:
    """The asking end. Every method can raise `attendd.errors.StoreError`.

    A journal that does not exist has no entries.
    """

    def __init__(self, path: Path | str) -> None:
        """Open it for reading; nothing is changed.

        Raises:
            StoreError: it cannot be read.
        """
        self._link = Link(str(path), readonly=True, schema=SCHEMA)

    @property
    def follows(self) -> bool:
        """Whether what is written later is found, too.

        Not where there was no file yet, or one that was only being made: a copy is read then.
        """
        return bool(self._link.db.path)

    def batch(self, correlation: str) -> list[JournalRow]:
        """Return all about the batches whose correlation begins so, in order."""
        span = (correlation, correlation + "\U0010ffff")
        sql = f"{_SELECT} WHERE batch >= ? AND batch < ? AND batch <> '' ORDER BY id"
        return rows(JournalRow, self._link.read(sql, span))

    def about(self, correlation: str) -> list[JournalRow]:
        """Return all about the observations whose correlation begins so, in order."""
        span = (correlation, correlation + "\U0010ffff")
        sql = f"""{_SELECT} WHERE correlation >= ? AND correlation < ? AND correlation <> ''
            ORDER BY id"""
        return rows(JournalRow, self._link.read(sql, span))

    def recent(
        self,
        limit: int,
        *,
        session: str | None = None,
        sensor: str | None = None,
        kind: str | None = None,
    ) -> list[JournalRow]:
        """Return the last entries, oldest first.

        Args:
            limit: how many at most.
            session: only of this session; ``None``: of all.
            sensor: only of this sensor.
            kind: only of this kind.
        """
        given = {"session": session, "sensor": sensor, "kind": kind}
        asked = [
            f"{column} = :{column}" for column, value in given.items() if value is not None
        ]
        where = f" WHERE {' AND '.join(asked)}" if asked else ""
        sql = f"{_SELECT}{where} ORDER BY id DESC LIMIT :limit"
        return rows(JournalRow, self._link.read(sql, {**given, "limit": limit}))[::-1]

    def entries(
        self,
        *,
        session: str | None = None,
        after: int = 0,
        since: float = 0.0,
        until: float = float("inf"),
        limit: int = 10_000,
    ) -> list[tuple[int, JournalRow]]:
        """Return entries with the numbers they were written under, oldest first.

        Args:
            session: only of this session; ``None``: of all.
            after: only those with a higher number.
            since: only from this moment on, wall clock.
            until: only up to this moment, wall clock.
            limit: how many at most; of more, the latest.
        """
        given = {"session": session, "after": after, "since": since, "until": until}
        mine = "session = :session AND " if session is not None else ""
        sql = f"""SELECT id, {columns(JournalRow)} FROM entry WHERE {mine}id > :after
            AND at >= :since AND at <= :until ORDER BY id DESC LIMIT :limit"""
        found = self._link.read(sql, {**given, "limit": limit})[::-1]
        numbers = [int(row[0]) for row in found]
        return list(zip(numbers, rows(JournalRow, [row[1:] for row in found]), strict=True))

    def silence(self, session: str, since: float) -> list[JournalRow]:
        """Return what was not told to a session, or only with something else, in order.

        Args:
            session: which.
            since: wall clock.
        """
        sql = f"""{_SELECT} WHERE session = ? AND at >= ? AND (code LIKE 'held.%'
            OR code IN ('own', 'faded', 'low', 'rode', 'folded') OR code LIKE 'dropped%')
            ORDER BY id"""
        return rows(JournalRow, self._link.read(sql, (session, since)))

    def close(self) -> None:
        """Give the file back."""
        self._link.close()


def _writable(entry: JournalRow) -> list[object]:
    """List what goes into the columns; bytes that are no text (of file names) made visible."""
    return [
        value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for value in msgspec.structs.astuple(entry)
    ]


def _pages(link: Link) -> int:
    return int(link.read("PRAGMA page_count")[0][0])
