"""One connection that stays usable: opened anew when the file behind it was replaced."""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from attendd.errors import LackingError, StoreError
from attendd.hot import db as hot
from attendd.hot import upkeep

CACHE_KIB = 256
"""How much of a file is kept in memory beside what the system keeps of it."""

T = TypeVar("T")


class Link:
    """The host's hold on a store. Its errors are those that people read.

    Attributes:
        db: the connection of the moment.
        notices: what was set aside or could only be read in part, in sentences, oldest first.
        openings: how often the file was opened; one more means that all in it may be gone.
    """

    def __init__(
        self,
        path: str | None,
        *,
        readonly: bool = False,
        patience_s: float = hot.PATIENCE_S,
        schema: hot.Schema = hot.STORE,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Open a store; see `attendd.hot.db.connect`.

        Args:
            path: where it is.
            readonly: whether to change nothing.
            patience_s: how long a statement waits for the locks of others.
            schema: what kind of store it is.
            tell: told at once what would be among the notices.

        Raises:
            StoreError: it cannot be opened.
        """
        self.notices: list[str] = []
        self._tell = tell
        self.openings = 0
        self._path = path
        self._readonly = readonly
        self._patience_s = patience_s
        self._schema = schema
        self.db = self._connect()

    def read(self, sql: str, args: Any = ()) -> list[Any]:  # noqa: ANN401 - what SQLite takes
        """Run one statement and return its rows.

        Raises:
            StoreError: the store can't be read.
        """
        return self._twice(lambda: hot.read(self.db, sql, args))

    def write(self, work: Callable[[hot.Connection], T]) -> T:
        """Do some work in one transaction; it may be run again where the store was replaced.

        Raises:
            StoreError: nothing was written.
        """
        return self._twice(lambda: hot.write(self.db, work))

    def call(self, work: Callable[[hot.Connection], T]) -> T:
        """Do some work that begins its own transactions, as the ledger's functions do.

        Raises:
            StoreError: it failed.
        """
        return self._twice(lambda: work(self.db))

    def give_back(self, pages: int) -> None:
        """Return free pages of the file to the disk.

        Raises:
            StoreError: the store can't be written.
        """

        def vacuum(db: hot.Connection) -> None:
            # One row without columns for each page: `execute` would stop after the first.
            sql = f"PRAGMA incremental_vacuum({pages})"
            try:
                hot.attempt(db, lambda: db.executescript(sql))
            except sqlite3.DatabaseError as error:
                hot.fail(db, error)

        self.call(vacuum)
        self.read("PRAGMA wal_checkpoint(TRUNCATE)")

    def check(self) -> str:
        """Look for damage in the whole file; set it aside and begin anew where there is any.

        Returns:
            What was wrong; empty where all is well.

        Raises:
            StoreError: it can't be read, or is damaged and can't be set aside.
        """
        problem = self.call(upkeep.check)
        if problem:
            fault = upkeep.found_damaged(self.db)
            if not fault.reopen:
                raise StoreError(str(fault), hint=fault.hint)
            self._note(str(fault))
            self.reopen()
        return problem

    def reopen(self) -> None:
        """Open whatever file is in place now.

        Raises:
            StoreError: it cannot be opened; the old connection stays.
        """
        fresh = self._connect()
        self.db.close()
        self.db = fresh

    def close(self) -> None:
        """Give the file back."""
        self.db.close()

    def _twice(self, action: Callable[[], T]) -> T:
        try:
            return self._explained(action)
        except hot.StoreError as error:
            if not error.reopen:
                raise _for_people(error) from error
            if error.kind == "set-aside":
                self._note(str(error))
        self.reopen()
        try:
            return self._explained(action)
        except hot.StoreError as error:
            raise _for_people(error) from error

    def _explained(self, action: Callable[[], T]) -> T:
        """Do something; what SQLite itself complains of in it is said in words."""
        try:
            return action()
        except sqlite3.DatabaseError as error:
            hot.fail(self.db, error)

    def _connect(self) -> hot.Connection:
        try:
            db = hot.connect(
                self._path,
                readonly=self._readonly,
                patience_s=self._patience_s,
                schema=self._schema,
            )
        except hot.StoreError as error:
            raise _for_people(error) from error
        hot.attempt(db, lambda: db.execute(f"PRAGMA cache_size=-{CACHE_KIB}"))
        self.openings += 1
        if db.notice:
            self._note(db.notice)
        return db

    def _note(self, notice: str) -> None:
        (self._tell or self.notices.append)(notice)


def _for_people(error: hot.StoreError) -> StoreError:
    kind = LackingError if error.kind == "lacking" else StoreError
    return kind(str(error), hint=error.hint)
