"""Answers: which message one belongs to, and who hears it.

What answers "the last message" answers the last one that its session was really shown. What
was written for it may still wait in its client, which the transcript tells. Where that can't be
told, and the message could be either of two authors', nothing is sent.
"""

import time

from attendd.hot import folders
from attendd.hot.address import RecipientError
from attendd.hot.db import Connection, read
from attendd.hot.ids import USER
from attendd.hot.who import NAMELESS, Directory, Person, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PATIENCE_S = 0.6
"""How long it is waited for the client to write down the call that this is part of; measured:
up to 0.3 s."""
_STEP_S = 0.03
_LATEST = """SELECT delivery.id, message.id, author, author_name, channel, state,
    coalesce(offered_at, 0), max(coalesce(offered_at, 0), coalesce(fetched_at, 0),
    coalesce(seen_at, 0)) FROM delivery JOIN message ON message.id = delivery.message
    WHERE delivery.session = ? AND message IS NOT NULL
    AND state NOT IN ('stored', 'announced', 'expired', 'undeliverable', 'retracted')
    ORDER BY delivery.id DESC LIMIT 50"""
_PENDING = ("claimed", "offered", "queued")
_NEVER = float("inf")


class Shown:
    """A message that a mailbox was shown, or may have been.

    Attributes:
        number: its delivery's id.
        id: the message's.
        author: whose it is, and through which channel it came: who hears an answer.
        name: what its author was called.
        pending: whether it may not have come in yet.
        at: when it was shown, wall clock; of what is pending, when it was written.
    """

    __slots__ = ("at", "author", "id", "name", "number", "pending")

    def __init__(self, row: "tuple[Any, ...]", *, proves: bool) -> None:
        """Take a row of `_LATEST`; ``proves``: whether it can be told what came in."""
        self.number, id_, author, self.name, channel, state, written_at, shown_at = row
        self.id = str(id_)
        self.author = (author, channel)
        self.pending = state in _PENDING and (proves or state == "claimed")
        self.at = (written_at or _NEVER) if self.pending else shown_at


def meant(db: Connection, box: str, said_at: float = _NEVER, patience_s: float = 0.0) -> str:
    """Return the id of the message that a mailbox was shown last.

    Args:
        db: the store; nothing of it is held meanwhile.
        box: the mailbox.
        said_at: only what was shown by then counts, wall clock.
        patience_s: how long its client may take to write down what it does.

    Raises:
        RecipientError: there is none, or it can't be told which.
        StoreError: the store can't be read.
    """
    heard = _heard(db, box, said_at)
    path = _transcript(db, box)
    rows = [Shown(row, proves=bool(path)) for row in read(db, _LATEST, (box,))]
    known = [each for each in rows if not each.pending and 0 < each.at <= said_at]
    for each in known:
        if heard and heard.id == each.id:
            each.at = max(each.at, heard.at)
    if heard and heard.number and all(each.id != heard.id for each in rows):
        known.append(heard)
    pending = [each for each in rows if each.pending and not said_at < each.at < _NEVER]
    found = max(known, key=_order, default=None)
    if pending and path:
        found = _settled(path, known, pending, said_at, patience_s) or found
    found = found or heard
    if found is None:
        raise RecipientError(
            "no message was shown to this session yet, so there is nothing to answer",
            "attend send --to WHO begins a talk; attend send --re ID answers any message",
        )
    return found.id


def _heard(db: Connection, box: str, said_at: float) -> "Shown | None":
    """Return what was written for a mailbox last, or read there.

    Its number is 0 where it waits again: what was written of it has not come in.
    """
    sql = """SELECT message, coalesce(at, 0), EXISTS (SELECT 1 FROM delivery
        WHERE delivery.message = heard.message AND delivery.session = heard.session
        AND state = 'stored') FROM heard WHERE session = ? AND message <> ''"""
    for message, at, waits in read(db, sql, (box,)):
        if at <= said_at:
            number = 0 if waits else 1
            return Shown((number, message, "", "", "", "fetched", 0, at), proves=False)
    return None


def _settled(
    path: str,
    known: "Sequence[Shown]",
    pending: "Sequence[Shown]",
    said_at: float,
    patience_s: float,
) -> "Shown | None":
    """Find out what of the pending came in, and return what came last.

    Returns:
        ``None`` where nothing at all is known to have come in.

    Raises:
        RecipientError: it can't be told.
    """
    from attendd.hot import inview

    until = time.monotonic() + patience_s
    while True:
        view = inview.look(path)
        in_view = {key: at for key, at in view.messages.items() if at <= said_at}
        came = [each for each in pending if each.id in in_view]
        for each in came:
            each.at = in_view[each.id]
        last = max((*known, *came), key=_order, default=None)
        left = [each for each in pending if each.id not in in_view]
        newer = [each for each in left if last is None or each.at > last.at]
        reaches = view.since <= min((each.at for each in newer), default=_NEVER)
        if not newer or last is None or (view.calls and reaches):
            return last
        newest = max(newer, key=_order)
        if all(each.author == last.author for each in newer):
            return newest
        if time.monotonic() >= until:
            raise _unclear(newest, last)
        time.sleep(_STEP_S)


def _order(shown: Shown) -> tuple[float, int]:
    return (shown.at, shown.number)


def _transcript(db: Connection, box: str) -> str:
    """Name the file that shows what came into a session; ``''`` where there is none."""
    sql = "SELECT transcript FROM session WHERE id = ? AND harness <> 'none'"
    found = read(db, sql, (box,))
    path = found[0][0] if found else ""
    if isinstance(path, bytes):
        path = path.decode("utf-8", "surrogateescape")
    return path if path and folders.exists(path) else ""


def _unclear(newest: Shown, last: Shown) -> RecipientError:
    from attendd.hot import frame

    names = [frame.cut(frame.inert(str(each.name)), 48) for each in (newest, last)]
    return RecipientError(
        f"#{newest.id} from {names[0]} may not have come before you yet, so it can't be told"
        f" whether this answers it or #{last.id} from {names[1]}; nothing was sent",
        f"`attend reply --re {newest.id} -` answers {names[0]},"
        f" `attend reply --re {last.id} -` answers {names[1]}",
    )


def parent(db: Connection, re: str) -> "dict[str, str]":
    """Return what an answer needs to know of the message it answers.

    Raises:
        RecipientError: there is no such message.
    """
    names = ("id", "author", "author_name", "author_kind", "project", "thread")
    sql = f"SELECT {', '.join(names)} FROM message WHERE id = ?"
    found = db.execute(sql, (re,)).fetchone()
    if found is None:
        raise RecipientError(
            f"there is no message #{re}", "attend inbox and attend sent list those there are"
        )
    return dict(zip(names, found, strict=True))


def hearers(
    db: Connection, directory: Directory, parent: "dict[str, str]", own: str
) -> list[Target]:
    """Find who hears an answer: the channel it came through, else its author.

    What answers a message of one's own goes to those who had that one. An author who is not
    attended finds the answer in its inbox, by the name that it had.

    Args:
        db: the store.
        directory: the answering author's.
        parent: the message that is answered.
        own: the mailbox of who answers.

    Raises:
        RecipientError: nobody can hear it.
    """
    message, author = parent["id"], parent["author"]
    if author == own:
        sql = "SELECT session FROM delivery WHERE message = ? ORDER BY id"
        boxes = [str(row[0]) for row in db.execute(sql, (message,)).fetchall()]
        return directory.by_ids(boxes)
    if not author:
        raise RecipientError(
            f"#{message} came from {parent['author_name']}, which nothing can answer",
            "--to names somebody else",
        )
    sql = "SELECT channel FROM delivery WHERE message = ? AND session = ? AND channel <> ''"
    through = db.execute(sql, (message, own)).fetchone()
    if through:
        from attendd.hot import groups

        return groups.channel(directory, str(through[0]))
    known = db.execute("SELECT 1 FROM session WHERE id = ?", (author,)).fetchone()
    if known or author == USER:
        return directory.by_ids([author])
    return [Target(_unenrolled(author, parent["project"], parent["author_name"]), "directed")]


def recipients(directory: Directory, boxes: "Sequence[str]") -> list[Person]:
    """Find who has the mailboxes that a message went to before, enrolled or not."""
    found = []
    for box in boxes:
        try:
            found.append(directory.follow(box).person)
        except RecipientError:
            found.append(_unenrolled(box, "", NAMELESS))
    return found


def _unenrolled(box: str, project: str, name: str) -> Person:
    """Describe who is in no list of sessions. One that chose its name reads by that name."""
    person = Person((box, "", project, 0, name, 1, "", 0.0))
    person.unattended = not box.startswith("as:")
    return person
