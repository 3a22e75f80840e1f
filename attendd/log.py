"""What attend says about itself, on stderr: text on a terminal, elsewhere JSON, one per line.

Where stderr is systemd's journal, the same JSON is the message of an entry that has fields
besides. stdout belongs to what sessions are told. structlog is imported with the first line
that is really written, so that a command that logs nothing does not pay for it.
"""

import os
import select
import sys
from collections.abc import Callable, MutableMapping
from typing import Any, Protocol

import msgspec

from attendd import journald
from attendd.errors import ConfigError

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_PRIORITIES = {"debug": 7, "info": 6, "warning": 4, "error": 3}
"""Level to what syslog(3) calls it."""
_FIRST = ("event", "level", "part")
_FIELDS = ("part", "session", "correlation")
"""Values that the journal can be asked for, as ``ATTEND_PART`` and so on."""
PRIVATE = ("text", "body")
"""Values that hold what somebody said: above debug, only their length is written."""

_MORE = "with standard error in a file the traceback is in there"
_MACHINERY = ("attendd.log", "structlog", "logging")
_CHUNK = 4096  # what a pipe that polls as writable takes without blocking

Event = MutableMapping[str, Any]


class Bound(Protocol):
    """What structlog gives us to write with."""

    def debug(self, event: str, **values: object) -> object: ...  # noqa: D102
    def info(self, event: str, **values: object) -> object: ...  # noqa: D102
    def warning(self, event: str, **values: object) -> object: ...  # noqa: D102
    def error(self, event: str, **values: object) -> object: ...  # noqa: D102


class Logger:
    """Writes what one part of attend has to say; never raises, never blocks for long.

    Values are keywords. ``exc_info=error`` adds a traceback.
    """

    __slots__ = ("_bound", "_generation", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._bound: Bound | None = None
        self._generation = -1

    def debug(self, event: str, **values: object) -> None:
        """Say what only somebody who is looking for a fault wants to know."""
        if _state.level <= LEVELS["debug"]:
            self._get().debug(event, **values)

    def info(self, event: str, **values: object) -> None:
        """Say what happened, once, in the past tense."""
        if _state.level <= LEVELS["info"]:
            self._get().info(event, **values)

    def warning(self, event: str, **values: object) -> None:
        """Say what went wrong while the rest goes on."""
        if _state.level <= LEVELS["warning"]:
            self._get().warning(event, **values)

    def error(self, event: str, **values: object) -> None:
        """Say what went wrong and needs somebody."""
        if _state.level <= LEVELS["error"]:
            self._get().error(event, **values)

    def _get(self) -> Bound:
        if self._bound is None or self._generation != _state.generation:
            self._bound = _state.bind(self._name)
            self._generation = _state.generation
        return self._bound


class _Mute:
    """Says nothing."""

    def say(self, event: str, **values: object) -> None:
        """Drop it."""

    debug = info = warning = error = say


class _State:
    """The level, and structlog set up for it once something is written."""

    def __init__(self) -> None:
        self.level = LEVELS["info"]
        self.generation = 0
        self._ready = False

    def set_level(self, level: int) -> None:
        self.level = level
        self.generation += 1
        self._ready = False

    def bind(self, name: str) -> Bound:
        try:
            structlog = library()
        except ImportError:  # it was uninstalled before the first line
            return _Mute()
        if not self._ready:
            structlog.configure(
                processors=_processors(self.level),
                wrapper_class=structlog.make_filtering_bound_logger(self.level),
                logger_factory=lambda *_: _Journal() if journald.is_stderr() else _Stderr(),
                cache_logger_on_first_use=False,
            )
            self._ready = True
        bound: Bound = structlog.get_logger(part=name)
        return bound


_state = _State()


def configure(level: str = "info") -> None:
    """Set what is written from now on, and send the standard library's log the same way.

    Args:
        level: ``debug``, ``info``, ``warning`` or ``error``.

    Raises:
        ConfigError: there is no such level.
    """
    if level not in LEVELS:
        known = ", ".join(LEVELS)
        raise ConfigError(f"there is no log level {level!r}", hint=f"levels are {known}")
    _state.set_level(LEVELS[level])
    _forward_standard_library()


def library() -> Any:  # noqa: ANN401 - a module
    """Import structlog, without rich, which is 4 MB and which it takes along where it finds it.

    Nothing of ours needs that: tracebacks are plain.

    Raises:
        ImportError: it is not installed any more.
    """
    alone = "structlog" not in sys.modules and "rich" not in sys.modules
    if alone:
        sys.modules["rich"] = None  # type: ignore[assignment] # as the import system documents it
    try:
        import structlog  # noqa: PLC0415 - costs more than all the rest of a short command
    finally:
        if alone:
            del sys.modules["rich"]
    return structlog


def get_logger(name: str) -> Logger:
    """Return the logger of one part of attend, named in each line it writes."""
    return Logger(name)


def _processors(level: int) -> list[Callable[[Any, str, Event], Any]]:
    from structlog import processors  # noqa: PLC0415 - see the module's first lines

    steps: list[Callable[[Any, str, Event], Any]] = [processors.add_log_level]
    if level > LEVELS["debug"]:
        steps.append(_unsaid)
    if sys.stderr is not None and sys.stderr.isatty():
        steps += [] if level <= LEVELS["debug"] else [_in_brief]
        return [*steps, processors.TimeStamper("%H:%M:%S", utc=False), _inert, _for_people()]
    if journald.is_stderr():
        return [*steps, processors.format_exc_info, _fields]
    return [*steps, processors.TimeStamper("iso", utc=True), processors.format_exc_info, _json]


def _unsaid(_logger: object, _method: str, event: Event) -> Event:
    """Replace what somebody said by its length."""
    for key in PRIVATE:
        if key in event:
            event[key] = f"({len(str(event[key]))} characters)"
    return event


def _in_brief(_logger: object, _method: str, event: Event) -> Event:
    """Say what was raised, and leave where to who looks for faults: a person reads lines."""
    error = event.pop("exc_info", None)
    if error is not None and "why" not in event:
        event["why"] = f"{type(error).__name__}: {error}".partition("\n")[0]
        event["more"] = _MORE
    return event


def _inert(_logger: object, _method: str, event: Event) -> Event:
    """Let no character of a path or a branch name move the terminal's cursor."""
    for key, value in event.items():
        if isinstance(value, str) and not value.isprintable():
            event[key] = repr(value)
    return event


def _for_people() -> Callable[[Any, str, Event], str]:
    from structlog import dev  # noqa: PLC0415 - see the module's first lines

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return dev.ConsoleRenderer(colors=not plain, exception_formatter=dev.plain_traceback)


def _fields(logger: object, method: str, event: Event) -> tuple[tuple[dict[str, str]], Event]:
    """Make the fields of a journal entry, those that systemd.journal-fields(7) knows first."""
    frame = sys._getframe()  # noqa: SLF001 - public, whatever its name
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_MACHINERY):
        frame = frame.f_back
    fields = {
        "MESSAGE": _json(logger, method, event),
        "PRIORITY": str(_PRIORITIES.get(str(event.get("level")), 6)),
        "CODE_FILE": frame.f_code.co_filename,
        "CODE_LINE": str(frame.f_lineno),
        "CODE_FUNC": frame.f_code.co_qualname,
    }
    fields |= {f"ATTEND_{name.upper()}": str(event[name]) for name in _FIELDS if name in event}
    return (fields,), {}


def _json(_logger: object, _method: str, event: Event) -> str:
    event = {name: event[name] for name in _FIRST if name in event} | dict(event)
    try:
        return msgspec.json.encode(event, enc_hook=str).decode()
    except (TypeError, ValueError):  # half a character in a path, a key that is no string
        return msgspec.json.encode({ascii(k): ascii(v) for k, v in event.items()}).decode()


class _Stderr:
    """Writes lines to stderr; a line that would block, or that nobody reads, is dropped."""

    def msg(self, message: str) -> None:
        if sys.stderr is None:  # closed from the start: the number 2 may be another file by now
            return
        left = f"{message}\n".encode(errors="backslashreplace")
        try:
            while left and select.select([], [2], [], 0)[1]:
                left = left[os.write(2, left[:_CHUNK]) :]
        except (OSError, ValueError):
            return

    debug = info = warning = error = msg


class _Journal:
    """Hands entries to systemd's journal, or where it takes none, writes them to stderr."""

    def msg(self, fields: dict[str, str]) -> None:
        if not journald.send(fields):
            _Stderr().msg(f"<{fields['PRIORITY']}>{fields['MESSAGE']}")

    debug = info = warning = error = msg


def _forward_standard_library() -> None:
    """Let asyncio's and watchfiles' own log lines look like ours, and threads that fail."""
    import logging  # noqa: PLC0415 - only who logs needs it
    import threading  # noqa: PLC0415 - the same

    class Forward(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say = getattr(get_logger(record.name), _method(record.levelno))
            problem = record.exc_info[1] if record.exc_info else None
            say(record.getMessage(), **({"exc_info": problem} if problem else {}))

    def thread_failed(args: threading.ExceptHookArgs) -> None:
        if args.exc_type is SystemExit:  # as Python has it
            return
        name = args.thread.name if args.thread else ""
        get_logger("thread").error("a thread failed", name=name, exc_info=args.exc_value)

    threading.excepthook = thread_failed
    logging.root.handlers = [Forward()]
    logging.root.setLevel(max(_state.level, logging.WARNING))


def _method(level: int) -> str:
    return next((name for name in reversed(LEVELS) if level >= LEVELS[name]), "debug")
