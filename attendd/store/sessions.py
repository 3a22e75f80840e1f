"""Who is attended, and by which processes."""

from collections.abc import Iterable

from attendd.hot import ledger
from attendd.model import Telling
from attendd.store.link import Link
from attendd.store.rows import Attachment, Session, columns, rows


class Sessions:
    """Sessions and attachments. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def live(self) -> list[Attachment]:
        """Return the attachments that nobody has ended, oldest first."""
        return rows(
            Attachment,
            self._link.read(
                f"SELECT {columns(Attachment)} FROM attachment WHERE ended_at IS NULL"
                " ORDER BY attached_at, id"
            ),
        )

    def attachments(self, session: str) -> list[Attachment]:
        """Return all that is still known to have read for a session, the latest first."""
        return rows(
            Attachment,
            self._link.read(
                f"SELECT {columns(Attachment)} FROM attachment WHERE session = ?"
                " ORDER BY ended_at IS NOT NULL, attached_at DESC",
                (session,),
            ),
        )

    def attachment(self, key: str) -> Attachment | None:
        """Return one attachment, if it is still known."""
        sql = f"SELECT {columns(Attachment)} FROM attachment WHERE id = ?"
        return next(iter(rows(Attachment, self._link.read(sql, (key,)))), None)

    def get(self, session: str) -> Session | None:
        """Return one session, if it is known."""
        found = self._link.read(
            f"SELECT {columns(Session)} FROM session WHERE id = ?", (session,)
        )
        return rows(Session, found)[0] if found else None

    def all(self) -> list[Session]:
        """Return every session that is known, the one heard of last first."""
        return rows(
            Session,
            self._link.read(f"SELECT {columns(Session)} FROM session ORDER BY seen_at DESC"),
        )

    def seen(self, sessions: Iterable[str], wall: float) -> None:
        """Write down that sessions gave a sign of life."""
        ids = [(wall, session) for session in sessions]
        if ids:
            sql = "UPDATE session SET seen_at = max(seen_at, ?) WHERE id = ?"
            self._link.write(lambda db: db.executemany(sql, ids))

    def end(self, attachment: Attachment, reason: str, wall: float) -> None:
        """Write down that a reader has ended, unless another has taken its place."""
        self._link.call(
            lambda db: ledger.detach(db, attachment.id, attachment.reader_pid, reason, wall)
        )

    def newest_telling(self) -> int:
        """Return the id of the last thing that a hook told anybody; 0 if there is none."""
        found = self._link.read("SELECT max(id) FROM telling")
        return found[0][0] or 0

    def tellings(self, session: str, sensor: str, after: int) -> tuple[list[Telling], int]:
        """Return what hooks told a session for a sensor, and the id of the last such telling.

        Args:
            session: whom.
            sensor: for which sensor.
            after: the id that was returned last; 0 at first.
        """
        found = self._link.call(lambda db: ledger.tellings_since(db, session, sensor, after))
        told = [Telling(topic=topic, at=at, conduit=conduit) for _, topic, conduit, at in found]
        return told, found[-1][0] if found else after
