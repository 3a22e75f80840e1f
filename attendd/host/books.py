"""What the host writes down of its sessions, and clears away in the end."""

from collections.abc import Callable

from attendd import leftovers, log
from attendd.clock import Clock
from attendd.errors import StoreError
from attendd.host.attended import Attended
from attendd.hot import attach, places, process
from attendd.store import Checkpoint, Store

SWEEP_S = 6 * 3600.0
FIRST_SWEEP_S = 60.0

_log = log.get_logger("books")


class Books:
    """Keeps the store's account of what is attended."""

    def __init__(self, store: Store, clock: Clock, before_sweep: Callable[[], None]) -> None:
        """Take the store, the time, and what else is to be done before old rows are removed."""
        self._store = store
        self._clock = clock
        self._before_sweep = before_sweep

    def restore(self, attended: Attended) -> None:
        """Have a session go on where an earlier host left it.

        Raises:
            StoreError: the store can't be used.
        """
        saved = self._store.checkpoints.load(attended.key)
        if saved is not None:
            attended.restore(saved.state, self._age_s(saved))
        elif attended.desk is not None:
            attended.desk.restore(None)

    def save(self, attended: Attended) -> None:
        """Write down the state of a session, if there is news."""
        if not attended.changed:
            return
        try:
            self._store.checkpoints.save(attended.checkpoint())
            self._store.health.put(attended.health())
        except StoreError as error:
            _log.warning("a checkpoint could not be written", why=str(error))
        else:
            attended.changed = False

    async def sweep(self, now: float) -> float:
        """Remove what is old; return when to do it again."""
        try:
            self._before_sweep()
            swept = self._store.sweep(self._clock.wall(), process.boot_id(), now)
            for why in swept.lacking:
                _log.warning("a part of the store can't be cleared up", why=why)
            _clear_away()
        except (StoreError, places.PlaceError) as error:
            _log.warning("what is old could not be removed", why=str(error))
            return now + FIRST_SWEEP_S
        return now + (FIRST_SWEEP_S if swept.more else SWEEP_S)

    def _age_s(self, saved: Checkpoint) -> float:
        """Return how old a checkpoint is, by the clock that is never set where it can tell."""
        if saved.boot == process.boot_id():
            return self._clock.now() - saved.saved_bt
        return max(0.0, self._clock.wall() - saved.saved_at)


def _clear_away() -> None:
    """Remove what readers that were killed have left in the runtime folder.

    Raises:
        PlaceError: there is none.
    """
    lock = attach.host_lock()
    for path in leftovers.in_runtime(places.known_runtime_dir(), lock):
        leftovers.remove(path, lock)
