"""`attend statusline`: keeps what the client says of its session, and says one line in return.

A client draws what is printed here under its prompt, at its start and after each message. So
whatever happens it ends soon and with 0: with the line, with as much of it as is known, or with
nothing. Given a command, that one's line is drawn instead; it gets the input untouched.
"""

import posix
import time

from attendd.hot import db, gaugeline, places, stated
from attendd.hot.commands import UNREAD, explain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable
else:
    import _signal  # the public module brings enum along

DEADLINE_S = 0.5
"""After this long we print what we have."""
INPUT_LIMIT = 1 << 20
"""Bytes of input beyond which it is not looked at."""
SETTING = '"statusLine": {"type": "command", "command": "attend statusline"}'
"""What a person puts into the client's settings."""
USUAL_COLUMNS = 80
_PATIENCE_S = 0.1
_MOST_COLUMNS = 1000


class Draft:
    """The line as far as it is known.

    Attributes:
        data: what the client wrote.
        figures: what it says; ``None`` if that is not known, or nothing to go by.
        known: what attend has to say; ``None`` if that is not known.
        note: why the user's own line is not shown, ever more shortly; empty if it is.
    """

    __slots__ = ("data", "figures", "known", "note")

    def __init__(self) -> None:
        self.data = b""
        self.figures: stated.Figures | None = None
        self.known: stated.Known | None = None
        self.note: tuple[str, ...] = ()

    def take_in(self) -> None:
        """Understand the input, keep what it says, ask what there is to say. Never fails."""
        if len(self.data) > INPUT_LIMIT:
            return
        self.figures = stated.parse(self.data.decode("utf-8", "replace"))
        if self.figures is None:
            return
        try:
            store = db.connect(patience_s=_PATIENCE_S)
            self.known = stated.look(store, self.figures.session)
            stated.keep(store, self.figures, time.time())
        except (db.StoreError, places.PlaceError):
            return  # `attend status` says what is wrong with it

    def show(self) -> bool:
        """Print the line, if there is one; return whether it could be."""
        line = gaugeline.compose(self.figures, self.known, columns(), self.note)
        return put(f"{line}\n".encode()) if line else True


def main(words: list[str]) -> int:
    """Say the line, or have a command say it; return the exit code."""
    command = words[1:] if words[:1] == ["--"] else []
    if words and words[0] in ("-h", "--help"):
        explain("statusline")
    if words and words[0] != "--":
        say(
            f"attend: {words[0]!r} is not understood",
            "a command goes after --: attend statusline -- COMMAND",
        )
        return 2
    if posix.isatty(0):
        say(
            "attend: the client calls this, and writes JSON to its standard input",
            f"to have it do so, put this into {places.client_dir()}/settings.json: {SETTING}",
        )
        return 2
    draft = Draft()
    if command:
        from attendd.hot import passing

        return passing.run(command, draft)
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    end_in(DEADLINE_S, draft.show)
    draft.data = standard_input()
    draft.take_in()
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    return 0 if draft.show() else UNREAD


def end_in(seconds: float, last_words: "Callable[[], object]") -> None:
    """Have this process end after a time, whatever it is waiting for."""

    def end(_number: int, _frame: object) -> None:
        last_words()
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    _signal.signal(_signal.SIGALRM, end)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)


def standard_input() -> bytes:
    """Read standard input to its end; of what is too long only so much that it shows."""
    data = b""
    try:
        while len(data) <= INPUT_LIMIT and (part := posix.read(0, 1 << 16)):
            data += part
    except OSError:
        return data
    return data


def columns() -> int:
    """Return how wide a line may be, as the client says in ``$COLUMNS``."""
    told = places.env("COLUMNS")
    if not told.isascii() or not told.isdecimal() or not int(told[:9]):
        return USUAL_COLUMNS
    return min(int(told[:9]), _MOST_COLUMNS)


def put(data: bytes) -> bool:
    """Write it to standard output; return whether somebody reads that."""
    try:
        while data:
            data = data[posix.write(1, data) :]
    except OSError:
        return False
    return True
