"""A store's log that has grown long: who opens it at leisure puts it in order.

Whoever opens a store that nobody else has open reads all of the log first, and whoever commits
writes a long one back into the store. Either takes a second for 200 MB, and is all for nothing
where the process ends before it is through. A log grows long where somebody reads for as long
as others write, and stays if all of them are killed then.
"""

from attendd.hot.db import Connection, read

HURRIED_S = 1.0
"""Who waits for less than this has no time for a long log."""


def relieve(db: Connection) -> None:
    """Empty a long log; or, for who is in a hurry, see to it that no commit tries.

    Where others read, as much is done as can be: `attend run`, the host and `attend send` come
    here at each opening.

    Raises:
        StoreError: the store can't be used.
    """
    if db.patience_s < HURRIED_S:
        read(db, "PRAGMA wal_autocheckpoint = 0")
    else:
        read(db, "PRAGMA wal_checkpoint(TRUNCATE)")
