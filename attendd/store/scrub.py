"""Takes a text out of a database: out of rows that merely repeat it, and out of unused space.

What was deleted stays in a file's unused space, and what was written stays in the WAL, until
something else takes its place. A person who has something forgotten means all of that.
"""

import time
from collections.abc import Sequence
from contextlib import suppress

from attendd.errors import StoreError
from attendd.hot import db as hot
from attendd.store.link import Link

FORGOTTEN = "[forgotten]"
PATIENCE_S = 3.0
"""How long to wait for readers that still need what is in the WAL."""

_REPEATING = {"outbox": ("text",), "entry": ("text", "detail")}
"""Tables whose rows repeat what was said elsewhere, of the store and of the journal."""
_PAUSE_S = 0.02
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


class Scrub:
    """Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        """Take a database: the store, or the journal."""
        self._link = link

    def repeated(self, texts: Sequence[str]) -> int:
        """Take texts out of the rows that merely repeat them; return of how many."""
        there = {row[0] for row in self._link.read(_TABLES)}
        places = [
            (table, name) for table in there & _REPEATING.keys() for name in _REPEATING[table]
        ]
        return sum(self._replace(*place, text) for place in places for text in texts)

    def emptied(self) -> bool:
        """Write the WAL into the file and empty it; tell whether that could be done in time."""
        until = time.monotonic() + PATIENCE_S
        while self._link.read("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE_S)
        return True

    def compacted(self) -> bool:
        """Write the whole file anew, without its unused space; tell whether it was."""
        with suppress(StoreError):
            self._link.read("VACUUM")
            return self.emptied()
        return False

    def rows_with(self, text: str) -> dict[str, int]:
        """Count the rows in which a text stands, by table."""
        found: dict[str, int] = {}
        for (table,) in self._link.read(_TABLES):
            columns = [row[1] for row in self._link.read(f"PRAGMA table_info({table})")]
            stands = " OR ".join(f"instr(CAST({name} AS BLOB), ?1) > 0" for name in columns)
            sql = f"SELECT count(*) FROM {table} WHERE {stands}"
            if count := self._link.read(sql, (text.encode(),))[0][0]:
                found[table] = int(count)
        return found

    def _replace(self, table: str, column: str, text: str) -> int:
        sql = f"""UPDATE {table} SET {column} = replace({column}, ?1, ?2)
            WHERE instr({column}, ?1) > 0"""

        def work(db: hot.Connection) -> int:
            db.execute("PRAGMA secure_delete=ON")
            return db.execute(sql, (text, FORGOTTEN)).rowcount

        return self._link.write(work)
