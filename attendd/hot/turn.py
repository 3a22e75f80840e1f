"""What a session is told at a person's prompt and at the end of a turn: what waits for it.

Hooks take what no live reader takes: messages, and what the host has laid ready for them. It
is claimed, checked, written and recorded through the same ledger as a reader's. At a turn's end
saying something prolongs the turn. So that is counted, and comes to an end; where it can't be
counted nothing is said.
"""

import posix

from attendd.hot import db, folders, places
from attendd.hot.hook import PROMPT, STOP, Event, give_up

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from attendd.hot.hook import Load
    from attendd.hot.recall import Recall

ROUNDS = 5
"""So often in a row, between two prompts of a person, the end of a turn is put off."""

LEFT = (".letter", ".left")
"""What the name of a message ends with that was left in a spool folder; see `outside`."""

_RECALL = "terms memory_settings memory_session choose recall"
_NOTIFICATION = "<task-notification>"
_FACT = ":percept:"
"""What the end of a turn has in it if its last words may have a fact in them."""
_LOOK = """SELECT EXISTS (SELECT 1 FROM delivery
        WHERE session = :session AND state IN ('stored', 'claimed')),
    coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'rounds:' || :session), 0),
    EXISTS (SELECT 1 FROM heard WHERE session = :session AND (chain > 0 OR gap_s > 0)),
    EXISTS (SELECT 1 FROM attachment WHERE session = :session AND ended_at IS NULL),
    ({}), workdir
    FROM session WHERE id = :session"""
LOOK = _LOOK.format("SELECT id FROM memory_project WHERE place = session.project AND enabled")
"""The one look that mostly finds nothing to do."""
_ONE_MORE = """INSERT INTO meta (key, value) VALUES ('rounds:' || :session, '1')
    ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1
    WHERE CAST(value AS INTEGER) < :most"""


def handle(event: Event, load: "Load") -> None:
    """Say what waits for a session, if anything may be said now.

    Args:
        event: a person's prompt, or the end of a turn.
        load: loads modules of ours cheaply; see `commands.start`.

    Raises:
        StoreError: the store can't be used.
        PlaceError: there is no place for one.
        OSError: nobody reads our output.
    """
    try:
        _answer(event, load)
    finally:
        if event.name == STOP and not event.answered:
            _say_what_is_not_kept(event)


def _answer(event: Event, load: "Load") -> None:
    prompt = event.name == PROMPT
    if prompt and event.prompt.lstrip().startswith(_NOTIFICATION):
        return  # it is an answer to what was just told, and no person's
    store = _opened(event)
    if store is None:
        return  # no session was ever attended
    found = _looked(store, event) or _followed(store, event)
    if not found:
        return  # nobody asked for this session to be attended
    waits, rounds, talked, attached, project, workdir = found[0]
    if not attached:
        from attendd.hot import hooked

        hooked.hold(store, event)
    more = None
    if prompt and project:
        load(_RECALL)
        more = _recalled(store, event, project)
    if more or (waits and (prompt or rounds < ROUNDS)):
        from attendd.hot import offer

        offer.make(store, event, more, first=rounds == 0)
    if prompt and (rounds or talked):
        _begin_anew(store, event.session)
    take_left(event, workdir)


def _opened(event: Event) -> "db.Connection | None":
    path = f"{places.state_dir()}/attend.db"
    if not folders.exists(path):
        return None
    store = db.connect(path, patience_s=event.patience_s)
    if store.notice:
        give_up(store.notice)
    return store


def take_left(event: Event, workdir: str) -> None:
    """Take in what was left where a session works, if anything was. Mostly there is no folder.

    Raises:
        StoreError: the store takes nothing now. What was left stays there.
    """
    spools = places.spools(workdir)
    if any(map(_holds_some, spools)):
        from attendd.hot import pickup

        pickup.take(spools, event.patience_s / 2)


def _holds_some(spool: str) -> bool:
    try:
        return any(name.endswith(LEFT) for name in posix.listdir(spool))
    except OSError:
        return False


def _followed(store: db.Connection, event: Event) -> "list[Any]":
    from attendd.hot import hooked

    moved = hooked.follow(store, event)
    return _looked(store, event) if moved else []


def _looked(store: db.Connection, event: Event) -> "list[Any]":
    """Look what waits for a session; trouble with memory holds up no message."""
    asked = {"session": event.session}
    try:
        return db.read(store, LOOK, asked)
    except db.StoreError as error:
        if error.kind != "lacking":
            raise
        give_up(f"nothing was remembered: {type(error).__name__}: {error}")
        return db.read(store, _LOOK.format("NULL"), asked)


def _say_what_is_not_kept(event: Event) -> None:
    if _FACT in event.text or folders.exists(f"{places.known_runtime_dir()}/unkept"):
        from attendd.hot import unkept

        unkept.tell(event)


def _recalled(store: db.Connection, event: Event, project: int) -> "Recall | None":
    """Find what of memory goes along; trouble with that holds up no message."""
    from attendd.hot import recall

    try:
        return recall.at_prompt(store, event, project)
    except Exception as error:  # noqa: BLE001 - as said above
        give_up(f"nothing was remembered: {type(error).__name__}: {error}")
        return None


def one_more(store: db.Connection, session: str) -> bool:
    """Count one more turn that is prolonged; tell whether it may be.

    Raises:
        StoreError: it can't be counted, so it may not.
    """
    asked = {"session": session, "most": ROUNDS}
    return db.write(store, lambda db: db.execute(_ONE_MORE, asked).rowcount > 0)


def _begin_anew(store: db.Connection, session: str) -> None:
    """Take note that a person is there."""
    from attendd.hot import rings

    def work(store: db.Connection) -> list[str]:
        store.execute("DELETE FROM meta WHERE key = 'rounds:' || ?", (session,))
        store.execute("UPDATE heard SET gap_s = 0 WHERE session = ?", (session,))
        return rings.let_go(store, session)

    freed = db.write(store, work)
    rings.wake(store, freed)
