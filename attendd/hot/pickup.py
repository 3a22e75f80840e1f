"""Takes in, as a part of a hook, what sandboxed senders have left where nobody else may look.

A reader and the host do so at once. Where there is neither, the hooks of the sessions around
are all that runs outside of the sandbox. A hook has little time: what it does not finish stays
for the next one.
"""

import posix
import time

from attendd.hot import handed, outside, seal

MOST = 16
"""So many files are read in one hook: they may all be none of ours."""


def take(spools: list[str], patience_s: float) -> None:
    """Accept what was left, as far as there is time.

    Args:
        spools: the folders to look into.
        patience_s: how long all of it may take.

    Raises:
        StoreError: the store takes nothing now. The rest stays there.
    """
    own = seal.key()
    until = time.monotonic() + patience_s
    for path in _some([f"{at}/{name}" for at in spools for name in outside.left_in(at)]):
        left_s = until - time.monotonic()
        if not own or left_s <= 0:
            return
        handed.take_file(path, own, told=path.endswith(outside.LEFT), patience_s=left_s)


def _some(paths: list[str]) -> list[str]:
    """Return those to look at: where there are too many, another part of them each time."""
    if len(paths) <= MOST:
        return paths
    first = posix.getpid() % len(paths)
    return (paths[first:] + paths[:first])[:MOST]
