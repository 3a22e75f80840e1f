"""What is wrong with the state, the host, the readers and the clients, a sentence for each."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attendd.cli import VERSION, words
from attendd.cli.state import Host, State, running
from attendd.harness import ClaudeHarness, attached
from attendd.hot import disks, handed, hooked, places, process, record
from attendd.store import Attachment

LATELY_S = 3600.0
"""For so long it is said that a host failed."""


def found(state: State, host: Host | None, live: list[Attachment]) -> Iterator[str]:
    """Name what is wrong, cheap enough to be asked every second."""
    yield from _of_state(state, host)
    yield from _of_host(state, host, live)
    if host is not None:
        for name, said in state.store.health.of_listeners().items():
            yield f"plugin {name}: {said}"
    for reader in live:
        yield from _of_reader(reader)


def lost(state: State) -> Iterator[str]:
    """Say so if a table or a column is missing in the store. Looks at all of its schema."""
    if said := state.store.lost():
        yield said


def moved(state: State) -> str:
    """Say why the state is not at its usual place; empty if it is, or if there is none yet."""
    usual = not state.folder.startswith(f"{places.VAR_TMP}/attend-")
    return "" if usual else places.moved()


def contracts(state: State, live: list[Attachment]) -> Iterator[tuple[str, str]]:
    """Name the sessions whose client's files are not as this release knows them, and why.

    Reads the end of each transcript.
    """
    harness = ClaudeHarness(Path(places.client_dir()))
    for reader in live:
        if reader.client_pid is None or running(reader) is False:
            continue
        view = attached.view(harness, state.store, reader)
        view.refresh()
        if why := view.contract or _unrecorded(reader):
            yield reader.session, why


def _unrecorded(reader: Attachment) -> str:
    """Say so where a client runs that has no record of its session."""
    pid = reader.client_pid
    if pid is None or process.alive(pid, reader.client_start, reader.pidns) is not True:
        return ""
    if places.sandboxed() or record.read(pid) is not None:
        return ""
    return f"{record.path_of(pid)} is not there, so nobody knows whether it is idle"


def of_contract(session: str, contract: str) -> str:
    """Say that what a client's files mean is not known any more."""
    return (
        f"contract changed: the client of {words.short(session)}: {contract};"
        " what that hides is not guessed at"
    )


def strangers(live: list[Attachment]) -> Iterator[str]:
    """Name the clients that nobody reads for and whose records are not as known."""
    read_for = {reader.client_pid for reader in live}
    for pid, problem in ClaudeHarness(Path(places.client_dir())).strange():
        if pid not in read_for:
            yield (
                f"contract changed: the client with pid {pid}: {problem};"
                " its session is nobody's neighbour until that is known"
            )


def unsealed(live: list[Attachment]) -> Iterator[str]:
    """Name spool folders of readers in which something lies that is no message of this user's.

    Reads what lies there.
    """
    spools = {folder for reader in live for folder in places.spools(reader.workdir)}
    for folder in sorted(spools):
        names = handed.unsealed(folder)
        if names:
            what = words.many(len(names), "file")
            yield (
                f"{what} in {folder} without attend's seal, {names[0]} for one: not sent, and"
                " left alone; it may have come with the repository"
            )


def limited(sensors: Iterable[dict[str, Any]]) -> list[str]:
    """Name what keeps sensors from seeing all they could, each once, where something helps.

    Args:
        sensors: how they fare, with ``sensor``, ``state`` and ``detail``.
    """
    found = [each for each in sensors if each["state"] == "limited" and "; " in each["detail"]]
    return list(dict.fromkeys(f"sensor {each['sensor']}: {each['detail']}" for each in found))


def stopped_host(host: Host | None) -> str:
    """Say so if the host's process is stopped; empty if it is not, or there is none."""
    if host is None or not process.stopped(host.pid):
        return ""
    return f"the host, pid {host.pid}, is stopped; nothing is noticed until it is continued"


def _of_state(state: State, host: Host | None) -> Iterator[str]:
    why = moved(state)
    if why:
        yield f"the state is kept in {state.folder}: {why}; {places.MOVE}"
    if closed := places.closed():
        yield f"{_unwritten(host, closed)}: {closed}"
    for path in state.set_aside():
        yield f"a damaged file was set aside: {path}"
    yield from state.store.notices()


def _unwritten(host: Host | None, closed: str) -> str:
    """Say what it means that nothing can be written, as a look tells that begins now."""
    if host is None:
        return "nothing can be written down, so nobody is told anything"
    if closed.endswith(disks.FULL):  # in the files that are there some room may be left
        return "hardly anything can be written down any more, and what can't be is not told"
    return "what starts now can write nothing down, so it tells nobody anything"


def _of_host(state: State, host: Host | None, live: list[Attachment]) -> Iterator[str]:
    if live and host is None:
        yield _without_host(live)
    known = state.store.health.of_host()
    at, text = known.get("failed", (0.0, ""))
    if at > time.time() - LATELY_S:
        yield f"the host failed {words.ago(at)}: {text}"
    if host is not None and "watch" in known:
        yield known["watch"][1]
    if "upgrade" in known:
        yield known["upgrade"][1]
    if host is not None and host.version != VERSION:
        yield f"the host is release {host.version}, this command is {VERSION}"
    if said := stopped_host(host):
        yield said


def _without_host(live: list[Attachment]) -> str:
    """Say who becomes the host; a session that only hooks reach has no process that could."""
    if any(reader.conduit != hooked.CONDUIT for reader in live):
        return "nobody runs the loop; a waiting reader takes over within 10 seconds"
    return (
        f"there is no host, and only hooks reach {words.many(len(live), 'session')}: messages"
        " are shown, but nobody looks whether they came in or offers them again, and nothing of"
        " what sensors notice is told; `attend service install` or `attendd` runs a host"
    )


def _of_reader(reader: Attachment) -> Iterator[str]:
    who = f"the reader of {words.short(reader.session)}"
    if running(reader) is False:
        yield f"{who}, pid {reader.reader_pid}, is gone without a word"
    elif process.stopped(reader.reader_pid, reader.pidns):
        yield f"{who}, pid {reader.reader_pid}, is stopped; it shows nothing until continued"
    elif reader.blocked_at is not None:
        lasting = words.lasting(reader.blocked_at)
        yield f"{who} is blocked: its output has taken nothing {lasting}"
