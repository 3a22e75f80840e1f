"""`attend privacy`: what is kept where, for how long, and what is only read."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attendd.cli import arguments, output, units, words
from attendd.cli.state import State, project_file, size_of
from attendd.hot import places

PROMISE = (
    "All of it but the units is readable by this user alone. Nothing is sent over a network by"
    " attend itself, and no transcript is copied: a plugin of somebody else's may do what it"
    " likes."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Say what is kept."""
    kept = collected()
    if args.json:
        return output.document({"kept": kept})
    heads = ("what", "where", "size", "how long")
    output.rows("", heads, [_row(each) for each in kept], heads)
    print()
    output.facts([("", PROMISE)])
    return 0


def collected() -> list[dict[str, Any]]:
    """List every place, under the keys that `--json` prints."""
    return [
        {
            "what": what,
            "path": path,
            "exists": Path(path).exists(),
            "bytes": _bytes(path),
            "how_long": how_long,
        }
        for what, path, how_long in _places(State())
    ]


def _places(state: State) -> Iterator[tuple[str, str, str]]:
    yield from _ours(state)
    yield from _elsewhere(state)
    yield from _only_read()


def _ours(state: State) -> Iterator[tuple[str, str, str]]:
    kept = "30 days after it came to rest"
    yield "sessions, what they were told", state.store_path, kept
    kept_figures = "30 days after they changed last"
    yield "messages: text, author, recipients", state.store_path, f"{kept} with all recipients"
    yield (
        "what the client's status line was given: model, tokens, cost",
        state.store_path,
        kept_figures,
    )
    facts = "until you have them forgotten: attend memory forget"
    yield "facts that sessions remember, who said them, every change", state.store_path, facts
    yield "which facts were put before which session", state.store_path, "90 days"
    yield "how far transcripts were read for facts", state.store_path, "90 days"
    yield "the journal: what happened, and why", state.journal_path, "the latest 64 MB"
    builds = f"{state.folder}/builds"
    yield "what `attend build` ran, and how it ended", builds, "the latest 256 runs"
    yield "hooks that gave up", f"{state.folder}/hook.log", "the latest 64 KiB"
    shown = "until the answer is complete; what was interrupted, ten minutes and more"
    runtime = places.known_runtime_dir()
    yield "answers while they are written, to hide tags", f"{runtime}/display", shown
    key = f"{state.folder}/spool.key"
    yield "the key for what is left from a client's sandbox", key, "until you remove it"
    for lock in ("host.lock", "host.claim", "attend.db.lock", "journal.db.lock"):
        yield (
            "a lock: which process holds it",
            f"{state.folder}/{lock}",
            "until the next holder",
        )
    for folder in sorted({runtime, *map(str, state.bell_folders())}):
        kept = "while somebody listens; answers to what a sandbox sent, ten minutes and more"
        yield "sockets, locks, answers to senders in a sandbox", folder, kept
    for path in state.set_aside():
        yield "a damaged file, set aside", path, "30 days, then `attend cleanup` removes it"


def _elsewhere(state: State) -> Iterator[tuple[str, str, str]]:
    """Name what is ours outside of our own folders, or may be."""
    for spool in state.spools():
        if Path(spool).exists():
            yield "messages left from a client's sandbox", spool, "until a reader sends them"
    yield (
        "which Python the launcher found, where it had to look",
        f"{_cache_folder()}/attend",
        "until you remove it",
    )
    for name in units.NAMES:
        path = str(units.folder() / name)
        yield "a unit of systemd's", path, "until `attend service uninstall`"


def _only_read() -> Iterator[tuple[str, str, str]]:
    yield "your configuration", places.config_file(), "yours; only `config init` writes it"
    yield "this project's configuration", str(project_file()), "the project's; only read"
    client = places.client_dir()
    yield "the client's session records", f"{client}/sessions", "the client's; only read"
    yield "the client's transcripts", f"{client}/projects", "the client's; only read"
    yield "programs that run: builds, their folder and who started them", "/proc", "only read"


def _cache_folder() -> str:
    """Return where the launcher keeps things, as `bin/attend` finds it."""
    given = places.env("XDG_CACHE_HOME")
    return given if given.startswith("/") else f"{places.home()}/.cache"


def _bytes(path: str) -> int | None:
    return size_of(path) if Path(path).is_file() else None


def _row(kept: dict[str, Any]) -> list[str]:
    size = "" if kept["bytes"] is None else words.size(kept["bytes"])
    return [
        kept["what"],
        words.place(kept["path"]),
        size if kept["exists"] else "not there",
        kept["how_long"],
    ]
