"""What a host does to messages in these tests. Run as `child_host.py TASK PATH ARGS`."""

import sys

sys.path.append(__file__.rpartition("/tests/")[0])

from attendd.store import Store
from attendd.store.afterwards import Offered
from tests.store import sweeping


def again(path: str, delivery: str, session: str) -> None:
    """Offer something once more, to the session that its own has become."""
    store = Store(path)
    offered = Offered(int(delivery), session, "", "offered", "monitor", 0, 0.0, 0.0)
    store.afterwards.again(offered, "monitor")
    store.close()


def sweep(path: str) -> None:
    """Give up what nobody can get any more, a month from now."""
    sweeping.sweep(path, 31, lambda *_: None)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
