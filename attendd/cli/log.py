"""`attend log`: the journal, as it was written or as it is being written."""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from attendd.cli import arguments, output, story, table, words
from attendd.cli.state import State
from attendd.hot.db import inode_of
from attendd.store import JournalRow

DEFAULT_S = 3600.0
_LEAST = 16
"""Cells that a text has at least where an entry is one line."""
_INDENT = "  "
_HEADS = (
    f"{'when':<8}  {'session':<8}  {'sensor':<10}  {'what became of it':<20}  size  text (ids)"
)
_STEP_MS = 200
_GATHER_MS = 500
_LOOK_MS = 5_000
"""How often to look without an event: a commit may become visible only after its event."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--follow", action="store_true", help="go on as the journal grows")
    parser.add_argument(
        "--since",
        metavar="SPAN",
        type=arguments.duration_s,
        default=DEFAULT_S,
        help="how far back: 90s, 15m, 2h, 7d (an hour, if not given)",
    )
    arguments.add_session(parser)
    parser.add_argument(
        "--json", action="store_true", help="one JSON document; with --follow one a line"
    )
    parser.epilog = "How messages fare is kept with them: `attend sent` lists them."


def run(args: argparse.Namespace) -> int:
    """Print the journal."""
    state = State()
    session = state.session(args.session).id if args.session else None
    since = time.time() - args.since
    if args.follow:
        for row in followed(state, session, since):
            _print_one(row, as_json=args.json)
        return 0
    found = [row for _, row in state.journal().entries(session=session, since=since)]
    found.sort(key=lambda row: row.at)  # what was gathered before it was written overlaps
    if args.json:
        output.document({"entries": [plain(row) for row in found]})
        return 0
    if found and (width := table.width_of()) is not None:
        print(table.clip(_HEADS, width).rstrip())
    for row in found:
        _print_one(row, as_json=False)
    if not found:
        print(f"nothing was written in the last {words.span(args.since)}")
    return 0


def followed(state: State, session: str | None, since: float) -> Iterator[JournalRow]:
    """Return entries as they come, for ever; also those of a journal begun anew."""
    last, inode, stamp, journal = 0, None, _stamp(state.journal_path), state.journal()
    for _ in changes(Path(state.folder)):
        output.insist_on_reader()
        there, now = inode_of(state.journal_path), _stamp(state.journal_path)
        # Opening it is an event of its own, so it stays open otherwise.
        if there != inode or (now != stamp and not journal.follows):
            journal.close()
            last = last if there == inode else 0
            inode, stamp, journal = there, now, state.journal()
        for number, row in journal.entries(session=session, after=last, since=since):
            last = number
            yield row


def _stamp(path: str) -> list[tuple[int, int]]:
    """Tell the file that there is from the file that there was: sizes and times of writing."""
    parts = [Path(path), Path(f"{path}-wal")]
    found = [part.stat() for part in parts if part.exists()]
    return [(each.st_size, each.st_mtime_ns) for each in found]


def changes(folder: Path) -> Iterator[None]:
    """Return at once, then whenever the journal may have grown.

    Waits for the system to say so, and for a folder that is not there yet in its parent. Where
    the system has no watches left, looks every few seconds.
    """
    yield
    while True:
        nearest = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
        try:
            for _ in _watch(nearest):
                yield
                if nearest != folder and folder.is_dir():
                    break
        except OSError:
            time.sleep(_LOOK_MS / 1000)
            yield


def _watch(folder: Path) -> Iterator[None]:
    """Return once the folder is watched, at every event in it, and now and then without one."""
    import asyncio

    from watchfiles import awatch

    events = awatch(
        folder,
        watch_filter=None,
        debounce=_GATHER_MS,
        step=_STEP_MS,
        rust_timeout=_LOOK_MS,
        yield_on_timeout=True,
        force_polling=False,
        recursive=False,
        ignore_permission_denied=True,
    )

    async def event() -> None:
        await anext(events)

    with asyncio.Runner() as runner:
        while True:
            coming = runner.get_loop().create_task(event())
            # Its first step, up to where it waits, sets the watch. What comes from then on,
            # also while whoever asks for these is looking, is an event.
            runner.run(asyncio.sleep(0))
            yield
            runner.run(asyncio.wait_for(coming, None))


def plain(row: JournalRow) -> dict[str, Any]:
    """Return an entry under the keys that `--json` prints."""
    return msgspec.structs.asdict(row)


def line(row: JournalRow) -> str:
    """Say an entry in one line."""
    return _head(row) + output.brief(row.text) + _tail(row)


def lines(row: JournalRow, width: int) -> list[str]:
    """Say an entry in lines of so many cells: its text is cut for room, but never its ids."""
    head, tail = output.safe(_head(row)), output.safe(_tail(row))
    text, room = output.brief(row.text), width - table.cells(head)
    least = min(_LEAST, table.cells(text))
    said: list[str] = []
    if room >= least + table.cells(tail):
        return [(head + table.clip(text, room - table.cells(tail)) + tail).rstrip()]
    if room >= least:
        said.append((head + table.clip(text, room)).rstrip())
        below = tail.strip()
    else:
        below = f"{' '.join(head.split())} {text}{tail}"
    for part in table.wrapped(below, width - len(_INDENT)):
        said.append(f"{_INDENT if said else ''}{part}")
    return said


def _head(row: JournalRow) -> str:
    about = row.sensor or row.kind
    parts = [
        words.moment(row.at),
        f"{words.short(row.session):<8}",
        f"{about:<10}",
        f"{row.code:<20}",
        f"{words.number(row.magnitude):>4}" if row.magnitude else "    ",
        "",
    ]
    return "  ".join(parts)


def _tail(row: JournalRow) -> str:
    """Return what an entry is about, and the ids by which more can be asked."""
    more = [each for each in (row.correlation, story.detail(row)) if each]
    more += [f"batch {row.batch}"] if row.batch not in ("", row.correlation) else []
    return f"  ({', '.join(more)})" if more else ""


def _print_one(row: JournalRow, *, as_json: bool) -> None:
    if as_json:
        output.record(plain(row))
        return
    width = table.width_of()
    said = [output.safe(line(row))] if width is None else lines(row, width)
    print("\n".join(said), flush=True)
