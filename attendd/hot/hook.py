"""`attend hook`: answers a client's hook event, or says nothing.

A hook stands in the way of a person's prompt. So whatever happens it ends with 0 within
`DEADLINE_S`, writes valid output or none, and never a word of complaint; what made it give up
is left in ``hook.log`` beside the store. What an event needs is imported only for that event.
"""

import gc
import posix
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Load = Callable[[str], None]

DEADLINE_S = 0.3
"""So long after its start a hook has ended, whatever it waited for, unless ``--within`` says
else. Its start is that of its process, which was the launcher first."""
INPUT_LIMIT = 1 << 20
"""Bytes of input beyond which an event is not looked at."""
CONTEXT_LIMIT = 9_000
"""UTF-16 units of context in one answer; from 10,000 on the client puts it in a file."""
PROMPT, START, STOP, SHOW = "UserPromptSubmit", "SessionStart", "Stop", "MessageDisplay"

_WITHIN = "--within="
_LAST_WORDS = 1 / 6
"""This share of its time a hook keeps for leaving a trace."""
_UNHEARD = 2 / 3
"""So much of that share is left when a deadline that nothing heard of is seen to."""
_TICKS = 100
"""In a second, of the clock by which Linux tells when a process was started."""
_PIPE_SIZE, _UNREAD = 1032, 0x541B
"""F_GETPIPE_SZ and FIONREAD of Linux."""


class Event:
    """One event of a client, as far as every handler needs it.

    Attributes:
        name: what happened: ``SessionStart``, …
        session: the client's id of the session.
        source: why a session started; ``''`` for other events.
        prompt: what was typed; ``''`` for other events.
        workdir: the session's current directory; it may have been deleted.
        transcript: path of its transcript, which may not exist yet.
        text: the whole event, JSON.
        patience_s: how long an answer may wait for the locks of others.
        answered: whether something was said to it.
    """

    __slots__ = (
        "answered", "name", "patience_s", "prompt", "session", "source", "text", "transcript",
        "workdir",
    )  # fmt: skip

    def __init__(self, text: str, deadline_s: float = DEADLINE_S) -> None:
        """Take an event apart.

        Args:
            text: what the client wrote.
            deadline_s: how long the hook has.

        Raises:
            ValueError: it is not JSON, or lacks what every event has.
        """
        from attendd.hot import db

        paths = ("hook_event_name", "session_id", "source", "cwd", "transcript_path", "prompt")
        found = db.json_get(text, *(f"$.{path}" for path in paths))
        words = [part if isinstance(part, str) else "" for part in found or ()]
        if len(words) < len(paths) or not words[0] or not words[1]:
            raise ValueError("the event is not JSON, or names no session")
        self.text = text
        self.answered = False
        self.patience_s = deadline_s / 3
        self.name, self.session, self.source = words[:3]
        self.workdir, self.transcript, self.prompt = words[3:]

    def answer(self, context: str, notice: str = "") -> None:
        """Put a text into the session's context, in one write.

        Args:
            context: what the model gets, as it is; may be empty.
            notice: what the person is shown of it; the model doesn't get that.

        Raises:
            OSError: nobody takes our output; see `write`.
        """
        said = f'"hookEventName":{quoted(self.name)},"additionalContext":{quoted(context)}'
        parts = [f'"hookSpecificOutput":{{{said}}}'] if context else []
        parts += [f'"systemMessage":{quoted(notice)}'] if notice else []
        write(f"{{{','.join(parts)}}}\n", self.patience_s)
        self.answered = True


def _session_start(event: Event, _load: "Load") -> None:
    from attendd.hot import session_start

    session_start.handle(event)


def _turn(event: Event, load: "Load") -> None:
    from attendd.hot import turn

    turn.handle(event, load)


def _display(event: Event, _load: "Load") -> None:
    from attendd.hot import display

    display.handle(event)


HANDLERS: "dict[str, Callable[[Event, Load], None]]" = {
    START: _session_start,
    PROMPT: _turn,
    STOP: _turn,
    SHOW: _display,
}
"""What answers each event; all others get no answer."""


def main(words: "list[str]", load: "Load") -> int:
    """Read an event from standard input, answer it if there is something to say, return 0.

    Args:
        words: what follows the command.
        load: loads modules of ours cheaply; see `commands.start`.
    """
    deadline_s = deadline_of(words)
    try:
        end = time.monotonic() + deadline_s - _spent_s(deadline_s)
        _set_deadline(deadline_s, end)
        if words and not deadline_of(words, 0.0):
            give_up(f"not understood: {' '.join(words)[:80]}")
        data = _input()
        if any(name.encode() in data for name in HANDLERS):
            gc.disable()
            _outlast_libraries(deadline_s, end)
            load("lite db folders places")
            event = Event(data.decode("utf-8", "replace"), deadline_s)
            if event.name in HANDLERS:
                HANDLERS[event.name](event, load)
    except BaseException as error:  # noqa: BLE001 - a bug of ours must not fail a prompt
        give_up(f"{type(error).__name__}: {error}")
    return 0


def give_up(reason: str) -> None:
    """Leave a line in ``hook.log``, if there is a place for it. Never fails."""
    try:
        from attendd.hot import hooklog

        hooklog.add(reason)
    except Exception:  # noqa: BLE001 - there is nobody left to tell
        return


def deadline_of(words: "list[str]", usual_s: float = DEADLINE_S) -> float:
    """Return how long a hook has, by its own words if they say so."""
    for word in " ".join(words).replace("--within ", _WITHIN).split():
        try:
            if word.startswith(_WITHIN) and (seconds := float(word[len(_WITHIN) :])) > 0:
                return min(seconds, 60.0)
        except ValueError:
            continue
    return usual_s


def _spent_s(deadline_s: float) -> float:
    """Return for how long this process has been there: at most half of its time.

    One that is older was something else before it became a hook.
    """
    try:
        fd = posix.open("/proc/self/stat", posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            ticks = int(posix.read(fd, 1024).rpartition(b")")[2].split()[19])
        finally:
            posix.close(fd)
        spent_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / _TICKS
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0  # no Linux
    return min(max(spent_s, 0.0), deadline_s / 2)


def _set_deadline(deadline_s: float, end: float) -> None:
    # The public module is this one and five milliseconds of enumerations.
    from _signal import (  # type: ignore[import-not-found]
        ITIMER_REAL,
        SIGALRM,
        setitimer,
        signal,
    )

    def leave(_number: int, _frame: object) -> None:
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    last_words_s = deadline_s * _LAST_WORDS

    def give_up_now(_number: int, _frame: object) -> None:
        signal(SIGALRM, leave)
        setitimer(ITIMER_REAL, last_words_s)
        give_up(f"no answer within {(deadline_s - last_words_s) * 1000:.0f} ms")
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    signal(SIGALRM, give_up_now)
    setitimer(ITIMER_REAL, max(0.001, end - last_words_s - time.monotonic()))


def _outlast_libraries(deadline_s: float, end: float) -> None:
    """End in time also while SQLite works or waits by itself, and no signal is heard of."""
    import _thread

    last_words_s = deadline_s * _LAST_WORDS * _UNHEARD

    def leave(after_s: float) -> None:
        time.sleep(max(0.0, after_s))
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    def give_up_now() -> None:
        time.sleep(max(0.0, end - last_words_s - time.monotonic()))
        _thread.start_new_thread(leave, (end - time.monotonic(),))  # the disk may be slow, too
        give_up("no answer, and nothing heard of the deadline")
        posix._exit(0)  # noqa: SLF001 - public, whatever its name

    _thread.start_new_thread(give_up_now, ())


def _input() -> bytes:
    """Read all of standard input; ``b''``, and a trace, where it is longer than we look at."""
    parts, size = [], 0
    try:
        while part := posix.read(0, 65_536):
            size += len(part)
            if size <= INPUT_LIMIT:
                parts.append(part)
    except OSError:
        return b""
    if size > INPUT_LIMIT:
        give_up(f"an event of {size:,} bytes is not looked at: over {INPUT_LIMIT:,}")
        return b""
    return b"".join(parts)


class CutError(OSError):
    """Nobody took the rest of an output that had begun; a part of it is out."""


def write(text: str, patience_s: float = DEADLINE_S / 3) -> None:
    """Write our output, at once as far as a pipe takes it.

    Args:
        text: all of it.
        patience_s: how long a pipe may take nothing.

    Raises:
        CutError: only a part of it was written.
        OSError: nobody takes it, and nothing of it was written.
    """
    data = left = text.encode("utf-8", "replace")
    until = time.monotonic() + patience_s
    while not _fits(len(data)):
        if time.monotonic() > until:
            raise TimeoutError("no room in the output")
        time.sleep(0.005)
    try:
        while left:
            left = left[posix.write(1, left) :]
    except OSError as error:
        if len(left) < len(data):
            raise CutError(str(error)) from error
        raise


def quoted(text: str) -> str:
    """Write a text in JSON."""
    marks = {34: '\\"', 92: "\\\\"} | {code: f"\\u{code:04x}" for code in range(32)}
    return f'"{text.translate(marks)}"'


def _fits(size: int) -> bool:
    """Whether a pipe takes this much at once, so that the deadline can't cut it in two."""
    import fcntl

    try:
        whole = fcntl.fcntl(1, _PIPE_SIZE)
        unread = int.from_bytes(fcntl.ioctl(1, _UNREAD, bytes(4)), "little")
    except OSError:
        return True  # no pipe
    return whole - unread >= size or whole < size
