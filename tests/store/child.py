"""What real processes do to a store in these tests. Run as `-I -S child.py TASK PATH ARGS`."""

import sys

sys.path.append(__file__.rpartition("/tests/")[0])

import posix

from attendd.hot import db as hot
from attendd.hot import ledger


def say(text: str) -> None:
    """Write a line in one system call, so that it is out or not."""
    posix.write(1, f"{text}\n".encode())


def wait_for_all() -> None:
    sys.stdin.read()


def put(path: str, count: str, number: str) -> None:
    """Put so many batches, each acknowledged once it is committed."""
    wait_for_all()
    db = hot.connect(path)
    for each in range(int(count)):
        _put(db, f"{number}.{each}")
        say(f"{number}.{each}")
    db.close()


def reopen(path: str, count: str, number: str) -> None:
    """Do as `put`, with a connection for each, as a command does."""
    wait_for_all()
    for each in range(int(count)):
        db = hot.connect(path)
        _put(db, f"{number}.{each}")
        db.close()
        say(f"{number}.{each}")


def claim(path: str, _number: str) -> None:
    """Claim, one at a time, until nothing is left, and name what was claimed."""
    wait_for_all()
    db = hot.connect(path)
    while True:
        due = ledger.claim(db, "a1", "s1", "boot-1", 1000.0)
        if not due:
            db.close()
            return
        say(str(due[0][0]))


def show(path: str, out: str, bt: str) -> None:
    """Be a reader: claim, check, write to a file, record, until nothing is due."""
    db = hot.connect(path)
    shown = posix.open(out, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
    while True:
        due = ledger.claim(db, "a1", "s1", "boot-1", float(bt))
        if not due:
            db.close()
            return
        delivery, text, repeats = due[0]
        if ledger.still_mine(db, [delivery], "a1", "boot-1", float(bt)):
            posix.write(shown, f"{'(again) ' if repeats else ''}{text}".encode())
            ledger.offered(db, [delivery], "monitor", 1.0)


def accept(path: str, out: str, correlation: str) -> None:
    """Be a host: put one batch, then say in a file that it was accepted."""
    db = hot.connect(path)
    _put(db, correlation)
    accepted = posix.open(out, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o600)
    posix.write(accepted, f"{correlation}\n".encode())
    db.close()


def find(path: str, *_: str) -> None:
    """Open the store, use it, and say what was noticed about it."""
    wait_for_all()
    db = hot.connect(path)
    hot.read(db, "SELECT count(*) FROM delivery")
    say(db.notice)
    db.close()


def reads(path: str) -> None:
    """Be a command that only reads, and say what it read."""
    db = hot.connect(path, readonly=True)
    count = hot.read(db, "SELECT count(*) FROM delivery")[0][0]
    say(f"{count} {db.notice}".strip())
    db.close()


def tries(path: str) -> None:
    """Try to write until it goes wrong; say what went wrong."""
    try:
        db = hot.connect(path, patience_s=0.1)
        for each in range(10_000):
            _put(db, f"{each} {'x' * 2000}")
            say(f"accepted {each}")
    except hot.StoreError as error:
        say(f"{error.kind}: {error} / {error.hint}")


def hold(path: str) -> None:
    """Hold the lock of the store until stdin ends."""
    db = hot.connect(path)
    db.execute("BEGIN IMMEDIATE")
    say("held")
    sys.stdin.read()
    db.execute("ROLLBACK")
    db.close()


def modules(_path: str) -> None:
    """Name all that importing the store's hot part has loaded."""
    say(" ".join(sorted(sys.modules)))


def _put(db: hot.Connection, correlation: str) -> None:
    row = {
        "attachment": "a1",
        "session": "s1",
        "lane": "event",
        "text": f"{correlation}\n",
        "correlation": correlation,
        "wall": 1.0,
        "boot": "boot-1",
        "bt": 1000.0,
    }
    hot.write(db, lambda db: ledger.add_batch(db, row))  # type: ignore[arg-type]


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
