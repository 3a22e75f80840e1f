"""`attend cleanup`: remove what nobody needs any more; what must arrive is never touched."""

import argparse
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from attendd import leftovers
from attendd.cli import arguments, output, stage, words
from attendd.cli.state import State, size_of
from attendd.clock import SystemClock
from attendd.hot import db, places, process
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
    wrong = [state.store.lost()] if args.dry_run else []
    rows = _sweep_copy(state) if args.dry_run else _sweep(state, wrong)
    for why in filter(None, wrong):
        output.problem(f"attend: {why}", sys.stderr)
    files = [*_old_damage(state), *_leftovers(state)]
    sizes = {path: size_of(path) for path in files}
    if not args.dry_run:
        files = [path for path in files if _remove(path, state.host_lock)]
    freed = sum(sizes[path] for path in files)
    if args.json:
        return output.document({"dry_run": args.dry_run, "rows": rows, "files": files})
    verb = "would remove" if args.dry_run else "removed"
    for path in files:
        print(f"{verb} {output.safe(path)}")
    count = words.many(sum(rows.values()), "old row")
    print(f"{verb} {count} and {words.many(len(files), 'file')} ({words.size(freed)})")
    return 0


def _sweep(state: State, wrong: list[str]) -> dict[str, int]:
    """Remove old rows from the store, if there is one; add what is wrong with it."""
    return _swept(state.store_path if Path(state.store_path).exists() else "", wrong)


def _sweep_copy(state: State) -> dict[str, int]:
    """Count what would be removed, on a copy that goes away again."""
    with tempfile.TemporaryDirectory(prefix="attend-cleanup-") as folder:
        path = f"{folder}/attend.db"
        source = db.connect(state.store_path, readonly=True)
        with closing(source), closing(sqlite3.connect(path)) as copy:
            source.backup(copy)
        return _swept(path, [])


def _swept(path: str, wrong: list[str]) -> dict[str, int]:
    total = dict.fromkeys(_SWEPT, 0)
    if not path:
        return total
    clock, store = SystemClock(), Store(path)
    more = True
    while more:
        swept = store.sweep(clock.wall(), process.boot_id(), clock.now())
        total = {kind: count + getattr(swept, kind) for kind, count in total.items()}
        more = swept.more
    wrong += [*swept.lacking, *store.notices()]
    store.close()
    return total


def _old_damage(state: State) -> list[str]:
    """Return damaged files that were set aside so long ago that nobody asks for them."""
    before = time.time() - KEPT_S
    return [path for path in state.set_aside() if Path(path).stat().st_mtime < before]


def _leftovers(state: State) -> list[str]:
    """Return what processes left that were killed: sockets, locks, half-written messages."""
    runtime = {*map(str, state.bell_folders()), places.known_runtime_dir()}
    found = [
        p for folder in sorted(runtime) for p in leftovers.in_runtime(folder, state.host_lock)
    ]
    for folder in state.spools():
        found += leftovers.in_spool(folder)
    return [*found, *leftovers.in_state(state.folder), *map(str, stage.left_behind())]


def _remove(path: str, host_lock: str) -> bool:
    """Remove a file and what SQLite keeps beside it, or a folder; tell whether it is gone."""
    if Path(path).is_dir():  # a demo's; all else is a file
        return stage.remove(Path(path))
    for suffix in ("-wal", "-shm"):
        Path(path + suffix).unlink(missing_ok=True)
    return leftovers.remove(path, host_lock)
