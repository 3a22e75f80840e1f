"""Engine and sensor state that survives a change of host."""

import msgspec

from attendd.hot import db as hot
from attendd.store.link import Link
from attendd.store.rows import Checkpoint, columns, rows


class Checkpoints:
    """Checkpoints by attachment. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def save(self, checkpoint: Checkpoint) -> None:
        """Keep the state of one attachment in place of an earlier one."""
        self._link.write(lambda db: save_checkpoint(db, checkpoint))

    def load(self, attachment: str) -> Checkpoint | None:
        """Return the last state of an attachment, if there is one."""
        found = self._link.read(
            f"SELECT {columns(Checkpoint)} FROM checkpoint WHERE attachment = ?", (attachment,)
        )
        return rows(Checkpoint, found)[0] if found else None

    def drop(self, attachment: str) -> None:
        """Forget the state of an attachment."""
        sql = "DELETE FROM checkpoint WHERE attachment = ?"
        self._link.write(lambda db: db.execute(sql, (attachment,)))


def save_checkpoint(db: hot.Connection, checkpoint: Checkpoint) -> None:
    """Keep a checkpoint, as part of a larger transaction."""
    db.execute(
        f"""INSERT OR REPLACE INTO checkpoint ({columns(Checkpoint)})
            VALUES (?, ?, ?, ?, ?, ?)""",
        msgspec.structs.astuple(checkpoint),
    )
