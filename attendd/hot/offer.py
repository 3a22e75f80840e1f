"""One answer of a hook with what waits for its session: claim, check, write, record."""

from attendd.hot import (
    bell,
    db,
    fate,
    frame,
    hooked,
    ledger,
    letter,
    mail,
    moment,
    once,
    turn,
    wishes,
)
from attendd.hot.hook import CONTEXT_LIMIT, STOP, CutError, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from attendd.hot.recall import Recall

CONDUITS = {"UserPromptSubmit": "prompt", "Stop": "stop"}
"""What each way into a session is called in the ledger."""
MONITOR = "monitor"
MOST_FOLDED = 10_000
"""So many messages become one line at most."""
SURE_S = 5.0
"""A hook that was stopped for so long says no more: others may have claimed what it had."""

_ROOM = 6_000
"""UTF-16 units of messages in one answer; the rest is for what the host laid ready."""
_IN_VAIN = """SELECT id FROM delivery WHERE session = ? AND state IN ('stored', 'claimed')
    AND avoid = ?"""
_LATELY = """SELECT 1 FROM delivery WHERE session = ? AND message IS NOT NULL
    AND lease_boot = ? AND lease_bt > ? AND state NOT IN ('stored', 'claimed') LIMIT 1"""
_TOLD = "DELETE FROM telling WHERE session = ? AND sensor = ? AND topic = ?"
_START = "session-start"
_BATCHES = """SELECT lane FROM delivery WHERE session = :session AND batch IS NOT NULL
    AND state IN ('stored', 'claimed') AND (attachment IS NULL OR attachment = :attachment)"""


class Offer:
    """What is to be said in one answer.

    Attributes:
        letters: messages, claimed; ``None`` for none.
        by: who claims them.
        batches: what the host laid ready, claimed: delivery, text, whether it is a repeat.
        lanes: from where.
        more: what of memory goes along; ``None`` for nothing.
    """

    def __init__(self, more: "Recall | None" = None) -> None:
        self.letters: letter.Batch | None = None
        self.by = ""
        self.lanes: Sequence[str] = ()
        self.batches: list[tuple[int, str, int]] = []
        self.more = more

    @property
    def text(self) -> str:
        """All of it: whole lines; ``''`` for nothing."""
        return self.told + (self.more.text if self.more else "")

    @property
    def told(self) -> str:
        """What of it waited for the session."""
        said = self.letters.text if self.letters else ""
        told = (frame.again(text) if repeats else text for _, text, repeats in self.batches)
        return said + "".join(told)

    @property
    def summary(self) -> str:
        """What a person is told of that, in a few words."""
        parts = []
        if self.letters:
            names = list(dict.fromkeys(map(letter.author, self.letters.letters)))
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004 - as below
            count = len(self.letters.letters)
            who = f"{', '.join(names[:3])}{more}"
            parts.append(f"{count} message{'s' * (count > 1)} from {who}")
        if notes := sum(text.count("[attend sensor=") for _, text, _ in self.batches):
            parts.append(f"{notes} note{'s' * (notes > 1)} on what happened around it")
        return f"attend told the session: {'; '.join(parts)}" if parts else ""


def make(store: db.Connection, event: Event, more: "Recall | None", *, first: bool) -> None:
    """Answer an event with what waits and no reader takes.

    Args:
        store: the store.
        event: a prompt or the end of a turn.
        more: what of memory goes along.
        first: whether this turn was not prolonged yet.

    Raises:
        StoreError: the store can't be used. What was claimed is offered again.
        OSError: nobody takes our output. What was claimed is given back, unless a part is out.
    """
    now = moment.now()
    newest = once.newest(store)
    attachment = hooked.attachment_of(event)
    letters, most = _letters(store, event, now)
    lanes = _lanes(store, event, attachment, letters=bool(letters), first=first)
    if not letters and not lanes and not more:
        return
    if not once.first(store, event.name, event.session, once.mark(event.text), newest=newest):
        return
    if event.name == STOP and not turn.one_more(store, event.session):
        return
    offer = Offer(more)
    if letters:
        offer.by = attachment or CONDUITS[event.name]
        offer.letters = _taken(store, event, offer.by, letters, now, most)
        if offer.letters and _was_told(store, event.session, offer.letters, now):
            offer.letters = None
    offer.lanes = lanes
    _add_batches(store, event, offer, now)
    if (offer.text or more) and moment.boot_seconds() - now.bt < SURE_S:
        _say(store, event, offer, now.bt)
    else:
        _give_back(store, offer)


def _letters(
    store: db.Connection, event: Event, now: moment.Moment
) -> tuple[list[letter.Letter], int]:
    """Find messages that no reader takes; tell how many of them have no need of one line."""
    found = _untaken(store, event, now)
    # Without a person there is one line in so long; a prompt ends that.
    gap_s = found[0].gap_s if found and event.name == STOP else 0.0
    asked = (event.session, now.boot, now.bt + ledger.LEASE_S - gap_s)
    if gap_s and db.read(store, _LATELY, asked):
        return [], 0
    most = 0 if gap_s else mail.FOLD_OVER
    fold = len(found) > most
    return _untaken(store, event, now, limit=MOST_FOLDED) if fold else found, most


def _untaken(
    store: db.Connection, event: Event, now: moment.Moment, limit: int = mail.FOLD_OVER + 1
) -> list[letter.Letter]:
    """Find messages: all, or where a reader is at work those that it has shown in vain."""
    found = mail.waiting(
        store,
        (event.session,),
        now,
        CONDUITS[event.name],
        limit=limit,
        bodies=limit < MOST_FOLDED,
    )
    if found and hooked.monitored(store, event.session):
        vain = {row[0] for row in db.read(store, _IN_VAIN, (event.session, MONITOR))}
        found = [each for each in found if each.delivery in vain]
    return found


def _lanes(
    store: db.Connection, event: Event, attachment: str, *, letters: bool, first: bool
) -> list[str]:
    """Name the places from which what the host laid ready may be shown now.

    At a turn's end what merely happened prolongs a turn once; what rides goes along only.
    """
    found = []
    for place in (hooked.ready(attachment), hooked.riding(attachment)):
        asked = {"session": event.session, "attachment": place}
        lanes = {row[0] for row in db.read(store, _BATCHES, asked)}
        rides = place == hooked.riding(attachment) and "message" not in lanes
        opens = event.name != STOP or letters or "message" in lanes or (first and not rides)
        if lanes and opens:
            found.append(place)
    return found


def _taken(
    store: db.Connection,
    event: Event,
    by: str,
    letters: "Sequence[letter.Letter]",
    now: moment.Moment,
    most: int,
) -> letter.Batch | None:
    """Claim messages, and make what is said of those that were still free."""
    fold = len(letters) > most
    made = _made(letters, now, fold=fold)
    doubts = [each.repeats for each in made.letters]
    taken = mail.take(store, made.letters, by, now)
    if not taken:
        return None
    if fold and len(taken) <= most:  # another process shows so many that the rest has room
        mail.release(store, taken, by)
        letters, most = _letters(store, event, now)
        return _taken(store, event, by, letters, now, most) if letters else None
    if [each.repeats for each in taken] != doubts:
        made = _made(taken, now, fold=fold)
        rest = [each for each in taken if each not in made.letters]
        mail.release(store, rest, by)
    return made


def _was_told(
    store: db.Connection, session: str, made: letter.Batch, now: moment.Moment
) -> bool:
    """Tell whether the session's start has told the same line, which comes in with this."""
    asked = (session, ledger.BRIEFING, made.digest)
    if not made.digest or not db.change(store, _TOLD, asked):
        return False
    fate.record(store, made.letters, _START, now, made)
    return True


def _made(
    letters: "Sequence[letter.Letter]", now: moment.Moment, *, fold: bool
) -> letter.Batch:
    if fold:
        from attendd.hot import digest

        return digest.make(letters, now)
    return letter.batch(letters, now, _ROOM)


def _add_batches(
    store: db.Connection,
    event: Event,
    offer: Offer,
    now: moment.Moment,
) -> None:
    """Claim as much of what the host laid ready as there is room for."""
    for place in offer.lanes:
        most = (CONTEXT_LIMIT - frame.units(offer.text)) // frame.CLIENT_UNITS
        if most > 0:
            offer.batches += ledger.claim(
                store, place, event.session, now.boot, now.bt, limit=most
            )


def _say(store: db.Connection, event: Event, offer: Offer, began: float) -> None:
    """Write the answer, and record it once it is written; otherwise it is offered again."""
    shown = wishes.get(store, wishes.SHOW_HOOKS)
    notice = {"summary": offer.summary, "full": offer.told.rstrip("\n")}.get(shown, "")
    if offer.more and offer.more.notice:
        notice = f"{notice}\n{offer.more.notice}".lstrip("\n")
    conduit = CONDUITS[event.name]
    try:
        # What goes on a turn is shown by the client itself.
        event.answer(offer.text.rstrip("\n"), "" if event.name == STOP else notice)
    except OSError as error:
        if not isinstance(error, CutError):
            _give_back(store, offer)
        now = moment.now()
        ledger.conduit_failed(store, event.session, conduit, now.wall, str(error))
        raise
    now = moment.now()
    if offer.letters:
        fate.record(store, offer.letters.letters, conduit, now, offer.letters)
    if offer.batches:
        ids = [delivery for delivery, _, _ in offer.batches]
        ledger.offered(store, ids, conduit, now.wall)
    if offer.more:
        offer.more.delivered(store)
    ledger.conduit_ok(store, event.session, conduit, now.wall, (now.bt - began) * 1000)
    bell.ring_host()  # it looks for what proves that all this came in


def _give_back(store: db.Connection, offer: Offer) -> None:
    """Let go of what was claimed and surely not shown: that is no repeat."""
    if offer.letters:
        mail.release(store, offer.letters.letters, offer.by)
    deliveries = [delivery for delivery, _, _ in offer.batches]
    for place in offer.lanes if deliveries else ():
        ledger.release(store, deliveries, place)
