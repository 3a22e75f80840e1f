"""What to say of a recipient nobody knows: who may have been meant. Imported on mistakes."""

from attendd.hot import frame, near
from attendd.hot.address import RecipientError
from attendd.hot.who import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.db import Connection
    from attendd.hot.who import Person

_CHANNELS = "SELECT name FROM channel UNION SELECT channel FROM membership"


def person(db: "Connection", who: str, known: "list[Person]", elsewhere: str) -> RecipientError:
    """Say that nobody goes by a name.

    Args:
        db: the store.
        who: the name.
        known: everybody that there is.
        elsewhere: what to say where nobody can have been meant.
    """
    names = {each.name: each for each in known}
    places = {each.place: each for each in known if each.place}
    channels = [f"#{name}" for name in _channels(db)]
    hint = elsewhere
    for word in near.suggest(who.removeprefix("@"), [*names, *places, *channels], 1):
        if word in names:
            hint = f"did you mean {names[word].shown}? --to {word}"
        elif word in places:
            hint = f"in {word} there is {listed([p for p in known if p.place == word])}"
        else:
            hint = f"did you mean {word}?"
    return RecipientError(f"no session is known as {_shown(who)!r}", hint)


def channel(db: "Connection", name: str) -> RecipientError:
    """Say that there is no such channel."""
    meant = [f"#{each}" for each in near.suggest(name, _channels(db))]
    hint = f"did you mean {' or '.join(meant)}?" if meant else "nobody has joined it yet"
    return RecipientError(f"there is no channel #{name}", hint)


def _channels(db: "Connection") -> list[str]:
    return [str(row[0]) for row in db.execute(_CHANNELS).fetchall()]


def _shown(text: str) -> str:
    return frame.cut(frame.inert(text), 60)
