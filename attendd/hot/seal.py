"""The seal on what is left in spool folders, by which a reader knows it for this user's words.

A spool folder may lie in a work tree, and every file of a clone is the user's as well: whose it
is tells nothing. So what is left there ends with a keyed digest of all of it. The key is in the
state folder, which a client's sandbox can read and no repository gets into.
"""

import posix

from attendd.hot import folders, places

BYTES = 32
"""So long are the key and a seal."""
_FOR = b"attend's spool"


def key_path() -> str:
    """Name the file of the key. It is kept where a restart of the machine leaves it.

    Raises:
        PlaceError: ``$ATTEND_HOME`` is not an absolute path.
    """
    return f"{places.known_state_dir()}/spool.key"


def key() -> bytes:
    """Read the key; ``b""`` where there is none that can be read."""
    try:
        found = folders.read_own(key_path(), BYTES + 1)
    except places.PlaceError:
        return b""
    return found if found and len(found) == BYTES else b""


def have() -> None:
    """Have the key made with which sandboxed senders seal what they leave, if there is none."""
    try:
        there = folders.size(key_path()) == BYTES
    except places.PlaceError:
        return
    if not there:
        make()


def make() -> None:
    """Make the key if there is none; whoever makes one at the same time comes to the same.

    From inside a sandbox none is made, as nobody outside might see it. What can't be made now
    is made by the next reader, host or start of a session.
    """
    if places.sandboxed() or key():
        return
    path = key_path()
    fresh = f"{path}.{posix.getpid()}-{posix.urandom(4).hex()}"
    try:
        folders.put_durably(fresh, posix.urandom(BYTES))
        _put_in_place(fresh, path)
    except OSError:
        pass
    try:
        posix.unlink(fresh)
    except OSError:
        return  # it is the key now, or was never made


def sealed(record: bytes) -> bytes:
    """Return a record with its seal; ``b""`` where there is no key to make one with."""
    own = key()
    seal = _digest(record, own) if own else b""
    return record + seal if seal else b""


def opened(data: bytes, own: bytes) -> bytes | None:
    """Return the record under a seal; ``None`` if it was not sealed with that key."""
    from _operator import _compare_digest

    record, seal = data[:-BYTES], data[-BYTES:]
    made = _digest(record, own)
    return record if made and _compare_digest(made, seal) else None


def _put_in_place(fresh: str, path: str) -> None:
    """Give a key its name, unless another one has it by now; a damaged one goes."""
    try:
        posix.link(fresh, path)
    except FileExistsError:
        if not key():
            posix.rename(fresh, path)
    except OSError:  # a file system without hard links: the last one stays
        posix.rename(fresh, path)


def _digest(record: bytes, own: bytes) -> bytes:
    """Make a seal; ``b""`` where Python was built without what it takes."""
    try:
        from _blake2 import blake2b
    except ImportError:
        return b""
    return blake2b(record, digest_size=BYTES, key=own, person=_FOR).digest()
