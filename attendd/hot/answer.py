"""Answers: which message one belongs to, and who hears it."""

from attendd.hot.address import RecipientError
from attendd.hot.db import Connection
from attendd.hot.ids import USER
from attendd.hot.who import NAMELESS, Directory, Person, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def last_shown(db: Connection, box: str) -> str:
    """Return the id of the message that a mailbox was shown last.

    Raises:
        RecipientError: there is none.
    """
    found = db.execute("SELECT message FROM heard WHERE session = ?", (box,)).fetchone()
    if not found or not found[0]:
        raise RecipientError(
            "no message was shown to this session yet, so there is nothing to answer",
            "attend send --to WHO begins a talk; attend send --re ID answers any message",
        )
    return str(found[0])


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
