"""What real processes do to facts in these tests. Run as `child_memory.py TASK PATH ARGS`."""

import posix
import sys
from pathlib import Path

import anyio

sys.path.append(__file__.rpartition("/tests/")[0])

from attendd.host.capturing import Capturing
from attendd.memory.forget import forget
from attendd.memory.record import Limits, Said, record
from attendd.store import Store
from tests.store.remembering import parts


def remember(path: str, count: str, number: str) -> None:
    """Record so many facts, together with others who do; say what each came to."""
    sys.stdin.read()
    store = Store(path)
    for each in range(int(count)):
        text = f"fact {number}a{each} {number}b{each} {number}c{each}"
        said = Said(text=text, project=1, session=f"s{number}", turn=each)
        outcome = record(store, said, 1.0, Limits(per_session=0))
        posix.write(1, f"{outcome.kind}\n".encode())
    store.close()


def correct(path: str, out: str) -> None:
    """Record a correction of a fact, then say in a file that it was accepted."""
    store = Store(path)
    said = Said(text="do not use tabs in go files", project=1, session="s2", source="row/1")
    outcome = record(store, said, 2.0)
    accepted = posix.open(out, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
    posix.write(accepted, f"{outcome.kind}\n".encode())
    store.close()


def withdraw(path: str, fact: str) -> None:
    """Have a fact forgotten."""
    store = Store(path)
    (found,) = store.facts.by_prefix(None, fact)
    forget(store, found.fact, Path(path).parent, 3.0, "user")
    store.close()


def capture(path: str) -> None:
    """Take facts from transcripts once, as a host does, with what is beside the store."""
    store = Store(path)
    anyio.run(Capturing(parts(store, Path(path).parent), list).look, 1.0)
    store.close()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
