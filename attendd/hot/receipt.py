"""What became of a message that was sent just now, as a JSON document, for programs. Pure."""

from attendd.hot import jsonout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.post import Outcome
    from attendd.hot.who import Person


def document(outcome: "Outcome", said: str) -> str:
    """Write what was decided about a message.

    Args:
        outcome: of the commit, after `post.ring`.
        said: the same in a sentence.
    """
    people = [
        {"name": each.shown, "session": each.box, "state": _state(outcome, each)}
        for each in outcome.people
    ]
    states = {each["state"] for each in people}
    state = next((each for each in ("sent", "stored") if each in states), "held")
    return _written(outcome.id, state, people, said)


def handed_over(message: str, said: str) -> str:
    """Write the same of a message that another process was handed, which says less.

    Args:
        message: its id.
        said: what that said of it, which begins with what was done, or that it was left.
    """
    return _written(message, said.partition(" ")[0], None, said)


def _state(outcome: "Outcome", person: "Person") -> str:
    if person.box in outcome.held:
        return "held"
    return "sent" if person.box in outcome.rang else "stored"


def _written(message: str, state: str, people: "list[dict[str, str]] | None", said: str) -> str:
    known = {"id": message, "state": state, "recipients": people, "said": said}
    return jsonout.document(known)
