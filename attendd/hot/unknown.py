"""What to say of a recipient nobody knows: who may have been meant. Imported on mistakes."""

from attendd.hot import frame, near, shell
from attendd.hot.address import RecipientError
from attendd.hot.groups import elsewhere
from attendd.hot.who import Directory, Person, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.db import Connection

_CHANNELS = "SELECT name FROM channel UNION SELECT channel FROM membership"
_FOLDERS = "SELECT id, workdir FROM session WHERE successor = '' AND workdir <> ''"


def person(directory: Directory, who: str) -> RecipientError:
    """Say that nobody goes by a name."""
    if "," in who:
        each = (f"--to {shell.quoted(_shown(part.strip()))}" for part in who.split(","))
        hint = f"one name at a time: {' '.join(each)}"
    else:
        hint = _meant(directory, who.removeprefix("@")) or elsewhere(directory)
    return RecipientError(f"no session is known as {_shown(who)!r}", hint)


def channel(db: "Connection", name: str) -> RecipientError:
    """Say that there is no such channel."""
    meant = [f"#{each}" for each in near.suggest(name, _channels(db))]
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"`attend join {name}` makes it"
    return RecipientError(f"there is no channel #{name}", hint)


def _meant(directory: Directory, asked: str) -> str:
    """Say what is called nearly so: a session, a place or folder where some are, a channel."""
    known = directory.people("1")
    names = {each.name: each for each in known}
    others = [each for each in known if not each.successor and each.box != directory.own]
    inside = _foldered(directory.db, others, asked) | _placed(others)
    channels = [f"#{name}" for name in _channels(directory.db)]
    for word in near.suggest(asked, [*names, *inside, *channels], 1):
        if word in names:
            return f"did you mean {names[word].shown}? --to {word}"
        if word in inside:
            one = inside[word][0].name if len(inside[word]) == 1 else "names one"
            return f"in {_shown(word)} there is {listed(inside[word])}; --to {one}"
        return f"did you mean {word}?"
    return ""


def _placed(people: list[Person]) -> "dict[str, list[Person]]":
    """Return who is in a place, by its name as it is shown behind theirs."""
    found: dict[str, list[Person]] = {}
    for each in people:
        if each.place:
            found.setdefault(each.place, []).append(each)
    return found


def _foldered(db: "Connection", people: list[Person], asked: str) -> "dict[str, list[Person]]":
    """Return who works in a folder, by its name alone, as that of a work tree.

    It is looked at no disk, which may not answer: of the folders above, only that which is
    asked for counts.
    """
    at = {_text(session): _text(path) for session, path in db.execute(_FOLDERS).fetchall()}
    found: dict[str, list[Person]] = {}
    for each in people:
        parts = at.get(each.session, "").strip("/").split("/")
        for name in dict.fromkeys(part for part in parts if part in (asked, parts[-1])):
            if name:
                found.setdefault(name, []).append(each)
    return found


def _channels(db: "Connection") -> list[str]:
    return [str(row[0]) for row in db.execute(_CHANNELS).fetchall()]


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _shown(text: str) -> str:
    return frame.cut(frame.inert(text), 60)
