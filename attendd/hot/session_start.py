"""What a session is told at its start: the first teaching, and how much waits for it."""

import time

from attendd.hot import (
    db,
    folders,
    frame,
    hooked,
    identity,
    ledger,
    memory_start,
    once,
    places,
    record,
    seal,
    turn,
    wishes,
)
from attendd.hot.hook import CONTEXT_LIMIT, Event, give_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.letter import Batch
    from attendd.hot.recall import Recall

CONDUIT = "session-start"
SENSOR = "disclosure"
TOPIC = "messaging"

_HEAD = "+++"
_MOST_COUNTED = 10_000
_COPIED = ("fork", "resume")
"""Starts of a client that may go on with a copy of another session."""
_WAITS = """SELECT EXISTS (SELECT 1 FROM delivery WHERE session = :session
    AND state IN ('stored', 'claimed') AND message IS NOT NULL)
    OR EXISTS (SELECT 1 FROM delivery WHERE session = :session AND message IS NOT NULL
        AND state = 'announced' AND evidence = '')"""


def handle(event: Event) -> None:
    """Enrol the session and teach it, whether it starts, goes on, or has just forgotten.

    Raises:
        StoreError: the store can't be used.
        PlaceError: there is no place for one.
        OSError: nobody reads our output.
        ValueError: the session's id is not one.
    """
    if not record.is_id(event.session):
        raise ValueError(f"{event.session!r} is no session as this release knows it")
    began = time.monotonic()
    store = db.connect(patience_s=event.patience_s)
    if store.notice:
        give_up(store.notice)
    workdir = event.workdir or identity.current_dir()
    ledger.enrol(
        store,
        session=event.session,
        harness="claude-code",
        project=identity.project_of(workdir),
        workdir=workdir,
        transcript=event.transcript,
        name="",
        declared=False,
        wall=time.time(),
    )
    moved = hooked.hold(store, event)
    if event.source in _COPIED and not moved:
        from attendd.hot import forks

        forks.carry(store, event)
    wishes.keep_file(store, places.config_file())
    taught = teaching() if teaches(workdir) else ""
    waits = briefing(store, event.session)
    more = _recalled(store, event, workdir)
    if taught or waits or more:
        if not once.first(store, event.name, event.session, event.source):
            return
        _tell(store, event, taught, waits, more)
    spent_ms = (time.monotonic() - began) * 1000
    ledger.conduit_ok(store, event.session, CONDUIT, time.time(), spent_ms)
    seal.have()
    turn.take_left(event, workdir)


def _recalled(store: db.Connection, event: Event, workdir: str) -> "Recall | None":
    """Find what of memory goes along; trouble with that costs nothing else."""
    try:
        return memory_start.recalled(store, event, workdir)
    except Exception as error:  # noqa: BLE001 - as said above
        give_up(f"nothing was remembered: {type(error).__name__}: {error}")
        return None


def _tell(
    store: db.Connection,
    event: Event,
    taught: str,
    counted: "Batch | None",
    more: "Recall | None",
) -> None:
    """Write the answer, and record what was in it once it is written."""
    waits = counted.text.rstrip("\n") if counted else ""
    remembered, notice = (more.text.rstrip("\n"), more.notice) if more else ("", "")
    shown = _shown(wishes.get(store, wishes.SHOW_HOOKS), taught, waits)
    try:
        event.answer(_joined(taught, waits, remembered), _joined(shown, notice))
    except OSError as error:
        ledger.conduit_failed(store, event.session, CONDUIT, time.time(), str(error))
        raise
    if taught:
        ledger.told(store, event.session, SENSOR, TOPIC, CONDUIT, time.time())
    if counted:
        key = counted.digest
        ledger.told(store, event.session, ledger.BRIEFING, key, CONDUIT, time.time())
    if more:
        more.delivered(store)


def _shown(wish: str, taught: str, waits: str) -> str:
    """Return what the person sees of what the model is told."""
    if wish == "full":
        return _joined(taught, waits)
    if wish == "off" or not (taught or waits):
        return ""
    told = ["how to use it"] if taught else []
    told += [waits.partition("] ")[2].partition(";")[0]] if waits else []
    return f"attend told the session: {'; '.join(told)}"


def _joined(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def briefing(store: db.Connection, session: str) -> "Batch | None":
    """Count what waits for a session, which is shown as it goes on; ``None`` for nothing.

    With it counts what a line told of that, as far as is known, never came in.

    Raises:
        StoreError: the store can't be read.
    """
    if not db.read(store, _WAITS, {"session": session})[0][0]:
        return None
    from attendd.hot import digest, mail, moment

    now = moment.now()
    waiting = mail.waiting(store, (session,), now, limit=_MOST_COUNTED, bodies=False)
    waiting += mail.unproved(store, session, now, _MOST_COUNTED)
    waiting.sort(key=lambda letter: letter.delivery)
    return digest.make(waiting, now) if waiting else None


def teaching() -> str:
    """Return the packaged text on messages, framed; ``''`` if it is missing."""
    package = __file__.rpartition("/attendd/hot/")[0]
    text = folders.read(f"{package}/disclosures/{TOPIC}.md")
    if text.startswith(f"{_HEAD}\n"):
        text = text.partition(f"\n{_HEAD}\n")[2]
    if not text.strip():
        return ""
    return "\n".join(frame.clip(frame.frame(SENSOR, "high", text.strip()), CONTEXT_LIMIT))


def teaches(workdir: str) -> bool:
    """Tell whether the disclosure sensor is on, by the user's file and then the project's."""
    on = _enabled(places.config_file(), default=True)
    project = identity.project_file(workdir)
    return _enabled(project, default=on) if project else on


def _enabled(path: str, *, default: bool) -> bool:
    """Read one switch. A file that can't be read, or says something else, changes nothing."""
    text = folders.read(path, 256 << 10)
    if SENSOR not in text:
        return default
    import tomllib  # dear, so only for a file that may say it

    try:
        text.encode()  # what is not UTF-8 is a ValueError, too
        said = tomllib.loads(text)["sensors"][SENSOR]["enabled"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return default
    return said if isinstance(said, bool) else default
