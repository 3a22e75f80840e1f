"""Which hot command is which: run it, and leave with its exit code."""

import gc
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_FOR_SENDING = (
    "ids address lite db folders places process record identity moment persona who post send"
)
_PLAIN = {
    "statusline": "lite db gaugeline folders places stated statusline",
    "peers": "",
    "build": "",
}
"""Commands that are the ``main`` of a module of their name; what of ours each begins with."""
UNREAD = 141
"""What a command exits with if whoever read its output went away, as SIGPIPE would have it."""
INTERRUPTED = 130


def start(words: list[str], load: "Callable[[str], None]") -> None:
    """Run the command that these words begin with, and leave; never returns.

    Args:
        words: what the program was called with.
        load: loads modules of ours, each named after those that it imports, cheaply.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        hold_standard_streams()
    leave(main(words, load))


def main(words: list[str], load: "Callable[[str], None]") -> int:
    """Run one hot command and return its exit code."""
    try:
        return _run(words, load)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if not isinstance(error, OSError) and not hasattr(error, "hint"):
            raise
        return _explained(error)


def _run(words: list[str], load: "Callable[[str], None]") -> int:
    command = words[0] if words else ""
    if command == "hook":
        load("hook")
        from attendd.hot import hook

        return hook.main(words[1:], load)
    if command in ("send", "reply"):
        gc.disable()
        load(_FOR_SENDING)
        from attendd.hot import send

        return send.main(command, words[1:])
    if command in _PLAIN:
        gc.disable()
        load(_PLAIN[command])
        name = f"attendd.hot.{command}"
        __import__(name)
        return int(sys.modules[name].main(words[1:]))
    if command == "run":
        from attendd.hot import run

        return run.main(words[1:])
    say(f"attend: {command!r} is no hot command", "'attend --help' lists what is there")
    return 2


def _explained(error: Exception) -> int:
    """Say what kept a command from being done; return the exit code."""
    if isinstance(error, BrokenPipeError):
        return UNREAD
    if isinstance(error, OSError):
        say(f"attend: {error.strerror}: {error.filename or 'standard output'}", "")
        return 1
    say(f"attend: {error.args[0]}", getattr(error, "hint", ""))
    return int(getattr(error, "exit_code", 1))


def put(text: str) -> None:
    """Write to standard output, all of it.

    Raises:
        BrokenPipeError: whoever read it went away.
        OSError: it takes nothing.
    """
    data = text.encode("utf-8", "replace")
    while data:
        data = data[posix.write(1, data) :]


def explain(command: str) -> "NoReturn":
    """Become the full program, which explains every command as ``docs/cli.md`` does."""
    full = [sys.executable, "-E", "-P", "-X", "utf8", "-m", "attendd", command, "--help"]
    posix.execv(sys.executable, full)


def say(sentence: str, hint: str) -> None:
    """Tell a person on standard error, if there is one."""
    text = f"{sentence}\n  hint: {hint}\n" if hint else f"{sentence}\n"
    try:
        posix.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return


def hold_standard_streams() -> None:
    """Open what is closed of descriptors 0 to 2, so that no file of ours gets their numbers."""
    while (fd := posix.open("/dev/null", posix.O_RDWR)) <= 2:  # noqa: PLR2004 - standard error
        posix.set_inheritable(fd, True)  # noqa: FBT003 - its only form
    posix.close(fd)


def leave(code: int) -> None:
    """End at once: what a process does on its way out takes longer than most of its work."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            continue  # nobody reads it any more
    posix._exit(code)  # noqa: SLF001 - public, whatever its name
