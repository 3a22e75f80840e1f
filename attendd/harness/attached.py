"""The view of a session that somebody reads for, by what the store says of its reader."""

from attendd.harness.base import Harness, SessionView
from attendd.harness.none import NoView
from attendd.store import Attachment, Store


def view(harness: Harness, store: Store, row: Attachment) -> SessionView:
    """Return what the files of an attachment's client say; without a client that is nothing.

    Raises:
        StoreError: the store can't be read.
    """
    if row.client_pid is None:
        return NoView(row.session)
    session = store.sessions.get(row.session)
    return harness.view(
        row.session,
        row.client_pid,
        row.client_start,
        row.workdir,
        session.transcript if session else "",
    )
