"""`attend cleanup`: remove what nobody needs any more; what must arrive is never touched."""

import argparse
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from attendd.cli import arguments, output, words
from attendd.cli.state import State, size_of
from attendd.clock import SystemClock
from attendd.hot import bell, db, process
from attendd.store import Store

KEPT_S = 30 * 24 * 3600.0
"""How long a damaged file that was set aside is kept, since it was last written."""

_SWEPT = ("batches", "messages", "attachments", "sessions", "tellings")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be removed, and remove nothing"
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Clean up.

    Raises:
        StoreError: the store cannot be read, or written.
    """
    state = State()
    rows = _sweep_copy(state) if args.dry_run else _sweep(state)
    files = [*_old_damage(state), *_dead_bells(state)]
    freed = sum(size_of(path) for path in files)
    if not args.dry_run:
        for path in files:
            _remove(path)
    if args.json:
        return output.document({"dry_run": args.dry_run, "rows": rows, "files": files})
    verb = "would remove" if args.dry_run else "removed"
    for path in files:
        print(f"{verb} {output.safe(path)}")
    count = words.many(sum(rows.values()), "old row")
    print(f"{verb} {count} and {words.many(len(files), 'file')} ({words.size(freed)})")
    return 0


def _sweep(state: State) -> dict[str, int]:
    """Remove old rows from the store, if there is one."""
    return _swept(state.store_path) if Path(state.store_path).exists() else _swept("")


def _sweep_copy(state: State) -> dict[str, int]:
    """Count what would be removed, on a copy that goes away again."""
    with tempfile.TemporaryDirectory(prefix="attend-cleanup-") as folder:
        path = f"{folder}/attend.db"
        source = db.connect(state.store_path, readonly=True)
        with closing(source), closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
        return _swept(path)


def _swept(path: str) -> dict[str, int]:
    total = dict.fromkeys(_SWEPT, 0)
    if not path:
        return total
    clock, store = SystemClock(), Store(path)
    more = True
    while more:
        swept = store.sweep(clock.wall(), process.boot_id(), clock.now())
        total = {kind: count + getattr(swept, kind) for kind, count in total.items()}
        more = swept.more
    store.close()
    return total


def _old_damage(state: State) -> list[str]:
    """Return damaged files that were set aside so long ago that nobody asks for them."""
    before = time.time() - KEPT_S
    return [path for path in state.set_aside() if Path(path).stat().st_mtime < before]


def _dead_bells(state: State) -> list[str]:
    """Return sockets that nobody listens at any more."""
    sockets = [path for folder in state.bell_folders() for path in folder.glob("*.bell")]
    return [
        str(path) for path in sorted(sockets) if path.is_socket() and not bell.ring(str(path))
    ]


def _remove(path: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
