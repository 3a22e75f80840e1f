"""Finds out which session another is a copy of, where its client's command line doesn't say."""

import anyio.to_thread

from attendd import log
from attendd.clock import Clock
from attendd.harness import Harness
from attendd.store import Store

_DAY_S = 24 * 3600.0
_log = log.get_logger("mail")


async def look(store: Store, harness: Harness, clock: Clock) -> None:
    """Have what waits for the origins of copies go along with these, once they are written.

    Raises:
        StoreError: the store can't be used.
    """
    for each in store.copies.sought():
        among = store.copies.origins(each.session)
        origin = await anyio.to_thread.run_sync(
            harness.origin, each.transcript, each.since, among
        )
        if origin is None and abs(clock.wall() - each.since) < _DAY_S:
            continue  # its first prompt is still to come
        store.copies.settle(each.session, origin or "")
        if origin:
            _log.info("a copy was found to be one", session=each.session, origin=origin)
