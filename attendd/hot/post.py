"""Accepts a message: finds whom it is for and commits it, in one transaction, then rings.

A message is accepted when this returns, and then it is on the disk; before that nothing of it
is. One id is accepted once, however often it comes.
"""

import posix

from attendd.hot import folders, identity, persona, process
from attendd.hot.address import Address
from attendd.hot.db import Connection, write
from attendd.hot.ids import USER, box_of, new_id
from attendd.hot.moment import Moment
from attendd.hot.who import CLOSEST, ITSELF, NAMELESS, Directory, Person

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.identity import Caller

DEEP = 6
"""From this depth on a message may be part of a loop; `attendd.hot.rings` finds out."""


class Author:
    """Who says something, as it is recorded here; nobody has verified it.

    Attributes:
        box: the mailbox that an answer goes to; ``''`` where there is none.
        kind: ``agent``, ``human``, ``declared`` or ``script``.
        name: what it is called.
        how: how that is known.
        project: the key of the project it works in.
        place: that project's short name.
        depth: how many links what it says is from a human.
    """

    __slots__ = ("box", "depth", "how", "kind", "name", "place", "project")

    def __init__(
        self, box: str, kind: str, name: str, how: str, project: str, depth: int = 0
    ) -> None:
        self.box = box
        self.depth = depth
        self.kind = kind
        self.name = name
        self.how = how
        self.project = project
        self.place = persona.place(project)


class Draft:
    """A message that is to be accepted.

    Attributes:
        id: its id, chosen by its sender.
        caller: who sends it.
        human: whether a terminal of the caller's own shows that a person may sit there.
        address: whom it is for; paths in it are ``project:KEY``.
        reply: whether it answers what its sender was shown last.
        body: its text, UTF-8, or bytes that are none.
        said: when.
        via: ``''``; ``fifo`` or ``spool`` if another process than the sender's commits it.
    """

    __slots__ = ("address", "body", "caller", "human", "id", "reply", "said", "via")

    def __init__(self, id: str, caller: "Caller", address: Address, body: bytes) -> None:  # noqa: A002 - its name everywhere
        self.id = id
        self.caller = caller
        self.human = False
        self.address = address
        self.reply = False
        self.body = body
        self.said: Moment | None = None
        self.via = ""


class Outcome:
    """What was decided about a message.

    Attributes:
        id: its id.
        people: its recipients.
        bells: of each mailbox, the readers to ring for it.
        readers: of each bell, the process that is rung, as `process.alive` takes it.
        held: the mailboxes in which it is not offered yet: the talk only goes round.
        rang: the mailboxes where somebody listens; known after `ring`.
    """

    __slots__ = ("bells", "held", "id", "people", "rang", "readers")

    def __init__(self, id: str, people: list[Person]) -> None:  # noqa: A002 - its name everywhere
        self.id = id
        self.people = people
        self.bells: dict[str, list[str]] = {each.box: [] for each in people}
        self.readers: dict[str, tuple[int, str, str, str]] = {}
        self.held: set[str] = set()
        self.rang: set[str] = set()


def commit(db: Connection, draft: Draft, now: Moment) -> Outcome:
    """Accept a message, or nothing of it.

    Args:
        db: the store, opened with ``full``.
        draft: the message.
        now: the present.

    Raises:
        RecipientError: nobody, or not certainly somebody, is meant.
        StoreError: the store takes nothing now.
    """

    def work(db: Connection) -> Outcome:
        known = "SELECT session FROM delivery WHERE message = ? ORDER BY id"
        found = db.execute(known, (draft.id,)).fetchall() if draft.via else []
        boxes = [str(row[0]) for row in found]
        if boxes:
            from attendd.hot import answer

            people = answer.recipients(Directory(db, "", "", now), boxes)
            sql = "SELECT depth FROM message WHERE id = ?"
            depth = db.execute(sql, (draft.id,)).fetchone()[0]
        else:
            people, depth = _accept(db, draft, now)
        outcome = Outcome(draft.id, people)
        _find_bells(db, outcome)
        if depth >= DEEP:
            from attendd.hot import rings

            outcome.held.update(rings.hold(db, draft.id, now.wall))
        return outcome

    return write(db, work)


def ring(outcome: Outcome) -> None:
    """Wake who reads for the recipients, and note who does."""
    for box, paths in outcome.bells.items():
        heard = [knock(path) or _comes(path, outcome) for path in paths if path]
        if any(heard):
            outcome.rang.add(box)


def _comes(path: str, outcome: Outcome) -> bool:
    """Tell whether a reader left its bell only to become the host; it looks as it begins."""
    return folders.exists(path) and process.alive(*outcome.readers[path]) is True


def knocker(bell_path: str) -> str:
    """Name the FIFO beside a bell. It wakes as well, and costs no socket module."""
    return f"{bell_path.removesuffix('.bell')}.post"


def knock(bell_path: str) -> bool:
    """Wake a reader by its FIFO, or by its bell if it is of a release that has none.

    Returns:
        Whether somebody is there.
    """
    try:
        fd = posix.open(knocker(bell_path), posix.O_WRONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except FileNotFoundError:
        from attendd.hot import bell

        return bell.ring(bell_path)
    except OSError:
        return False  # it is there, and nobody has it open
    try:
        posix.write(fd, b"!")
    except BlockingIOError:
        return True  # it is full of knocks
    except OSError:
        return False
    finally:
        posix.close(fd)
    return True


def author_of(db: Connection, draft: Draft) -> Author:
    """Say who a caller is to others. Names are numbered among those who were enrolled."""
    caller = draft.caller
    found = db.execute(_KNOWN, (caller.session,)).fetchone()
    origin, project, instance, depth = found or ("", "", 1, 0)
    box = box_of(caller.session)
    if box == USER or not project or not isinstance(project, str):
        project = identity.project_of(caller.workdir)
    if box == USER and draft.human:
        return Author(USER, "human", USER, caller.how, project)
    if box in ("", USER):
        name, how = ("a script", "no terminal") if box else (NAMELESS, caller.how)
        return Author("", "script", name, how, project)
    if caller.declared:
        return Author(box, "declared", box.partition(":")[2], caller.how, project, depth)
    name = persona.name(origin or project, instance or 1) if found else NAMELESS
    return Author(box, "agent", name, caller.how, project, depth)


_KNOWN = """SELECT origin, project, instance, coalesce((SELECT chain FROM heard
    WHERE heard.session = session.id), 0) FROM session WHERE id = ?"""


def _accept(db: Connection, draft: Draft, now: Moment) -> tuple[list[Person], int]:
    """Write a message down; return its recipients and its depth."""
    author = author_of(db, draft)
    directory = Directory(db, author.box, author.project, now)
    re, thread = draft.address.re, draft.id
    if re or draft.reply:
        from attendd.hot import answer

        parent = answer.parent(db, re or answer.meant(db, author.box))
        re, thread = parent["id"], parent["thread"]
    if draft.address.anybody or not re:
        targets = directory.resolve(draft.address)
    else:
        targets = answer.hearers(db, directory, parent, author.box)
    row = _row(draft.id, author, _storable(draft.body), draft.said or now) | {
        "target": draft.address.target.encode("utf-8", "replace").decode(),
        "closest": min((each.kind for each in targets), key=CLOSEST.index),
        "re": re,
        "thread": thread,
        "via": draft.via,
    }
    db.execute(_MESSAGE, row)
    for each in targets:
        way = {"way": each.kind, "channel": each.channel, "meant": each.meant}
        db.execute(_DELIVERY, row | way | {"session": each.person.box})
    return [each.person for each in targets], author.depth


_MESSAGE = """INSERT INTO message (id, author, author_kind, author_name, author_how, project,
    place, body, target, kind, re, thread, depth, seq, via, created_at, created_boot,
    created_bt) VALUES (:id, :box, :kind, :name, :how, :project, :place, :body, :target,
    :closest, :re, :thread, :depth,
    (SELECT coalesce(max(seq), 0) + 1 FROM message WHERE author = :box), :via, :wall, :boot,
    :bt)"""
_DELIVERY = """INSERT INTO delivery (session, lane, state, message, kind, channel, meant,
    created_at, created_boot, created_bt) VALUES (:session, 'message', 'stored', :id, :way,
    :channel, :meant, :wall, :boot, :bt)"""


def notice(db: Connection, box: str, text: str, now: Moment) -> None:
    """Tell a mailbox something on attend's own behalf.

    Raises:
        StoreError: the store takes nothing now.
    """
    write(db, lambda db: add_notice(db, new_id(), box, text, now))


def add_notice(db: Connection, message: str, box: str, text: str, now: Moment) -> bool:
    """Do as `notice`, as part of a transaction, unless there is a message of that id."""
    if db.execute("SELECT 1 FROM message WHERE id = ?", (message,)).fetchone():
        return False
    author = Author("", "script", "attend", ITSELF, "")
    row = _row(message, author, text, now) | {"session": box, "way": "directed"}
    db.execute(_MESSAGE, row)
    db.execute(_DELIVERY, row)
    return True


def _row(
    message: str, author: Author, body: "str | bytes", said: Moment
) -> "dict[str, object]":
    """Begin the row of a message; what most have in common."""
    named = {name: getattr(author, name) for name in Author.__slots__}
    return {
        **named,
        "id": message,
        "body": body,
        "target": "",
        "closest": "directed",
        "re": "",
        "thread": message,
        "via": "",
        "channel": "",
        "meant": "",
        "wall": said.wall,
        "boot": said.boot,
        "bt": said.bt,
    }


def _storable(body: bytes) -> "str | bytes":
    """Keep what is text as text, and what is none byte for byte."""
    try:
        return body if b"\0" in body else body.decode()
    except UnicodeDecodeError:
        return body


def _find_bells(db: Connection, outcome: Outcome) -> None:
    """Name the bells of all who read for the recipients; ``''`` stands for hooks alone."""
    sql = """SELECT session, bell, reader_pid, reader_start, pidns, boot FROM attachment
        WHERE ended_at IS NULL"""
    for session, path, *reader in db.execute(sql).fetchall():
        if box_of(session) in outcome.bells:
            outcome.bells[box_of(session)].append(path)
            outcome.readers[path] = tuple(reader)
