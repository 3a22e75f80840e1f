"""What a hot command says of words that it can't go by."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class UsageError(Exception):
    """A command line that can't be carried out; ``args[0]`` says why.

    Attributes:
        hint: what to do instead.
        exit_code: what the process exits with.
    """

    exit_code = 2

    def __init__(self, command: str, why: str, hint: str = "") -> None:
        super().__init__(f"{command}: {why}")
        self.hint = hint or f"`attend {command} --help` says what it takes"


def strange(command: str, word: str, known: "Sequence[str]" = ()) -> UsageError:
    """Say that a command does not take a word, and which of its options is near to it."""
    from attendd.hot import frame, near

    shown = frame.inert(word.partition("=")[0] if word.startswith("-") else word)
    if not word.startswith("-"):
        return UsageError(command, f"{shown!r} is one word too many")
    meant = near.suggest(shown, known, 1)
    hint = f"did you mean {meant[0]}?" if meant else ""
    return UsageError(command, f"unknown option {shown}", hint)
