"""What to say of a recipient nobody knows: who may have been meant. Imported on mistakes."""

from attendd.hot import frame, near
from attendd.hot.address import RecipientError
from attendd.hot.groups import elsewhere
from attendd.hot.who import Directory, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.db import Connection

_CHANNELS = "SELECT name FROM channel UNION SELECT channel FROM membership"


def person(directory: Directory, who: str) -> RecipientError:
    """Say that nobody goes by a name."""
    known = directory.people("1")
    names = {each.name: each for each in known}
    places = {each.place: each for each in known if each.place}
    channels = [f"#{name}" for name in _channels(directory.db)]
    hint = ""
    for word in near.suggest(who.removeprefix("@"), [*names, *places, *channels], 1):
        if word in names:
            hint = f"did you mean {names[word].shown}? --to {word}"
        elif word in places:
            hint = f"in {word} there is {listed([p for p in known if p.place == word])}"
        else:
            hint = f"did you mean {word}?"
    if "," in who:
        hint = (
            f"one name at a time: {' '.join(f'--to {_shown(each)}' for each in who.split(','))}"
        )
    return RecipientError(
        f"no session is known as {_shown(who)!r}", hint or elsewhere(directory)
    )


def channel(db: "Connection", name: str) -> RecipientError:
    """Say that there is no such channel."""
    meant = [f"#{each}" for each in near.suggest(name, _channels(db))]
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"`attend join {name}` makes it"
    return RecipientError(f"there is no channel #{name}", hint)


def _channels(db: "Connection") -> list[str]:
    return [str(row[0]) for row in db.execute(_CHANNELS).fetchall()]


def _shown(text: str) -> str:
    return frame.cut(frame.inert(text), 60)
