"""`attend build -- CMD…`: runs a command as it is, and reports how it went.

The command is our child, in our process group, with all that we were started with: the
terminal's signals reach it as they would without us, and what is sent to us alone is passed on.
When it stops we stop, and we end as it ended. Nothing that goes wrong with the report keeps it
from running.
"""

import posix
import sys
import time

from attendd.hot import (
    builds,
    frame,
    identity,
    inherited,
    moment,
    places,
    process,
    record,
    shell,
)
from attendd.hot.commands import explain, say
from attendd.hot.usage import UsageError, strange

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

NOT_FOUND = 127
NOT_RUNNABLE = 126
_LONGEST = 300
_OURS = (_signal.SIGKILL, _signal.SIGSTOP, _signal.SIGCHLD)
"""Signals that can't be passed on, or that are meant for us."""
_TO_GROUP = tuple(
    getattr(_signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGWINCH",
                 "SIGCONT")
)  # fmt: skip
"""Signals that the terminal sends to a whole process group, the command included."""
_TO_LEADER = (_signal.SIGHUP, _signal.SIGCONT)
"""What it sends to the leader of its session alone when the line is cut."""
_BY_USER = 0
"""``si_code`` of signals sent by a process is not above it; the kernel's own are."""


def main(words: list[str]) -> int:
    """Run a command; return its exit code, or end by the signal that ended it.

    Raises:
        UsageError: no command is named.
    """
    if words[:1] in (["-h"], ["--help"]):
        explain("build")
    if words[:1] == ["--"]:
        words = words[1:]
    elif words and words[0].startswith("-"):
        raise strange("build", words[0])
    if not words:
        raise UsageError("build", "no command is named")
    passed = tuple(_signal.valid_signals() - set(_OURS))
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (*passed, _signal.SIGCHLD))
    report = Report(words)
    try:
        child = spawn(words, before)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        report.begin(0)
        report.end(NOT_FOUND if missing else NOT_RUNNABLE)
        hint = "behind -- stands a program with its arguments; a shell's words need `sh -c`"
        say(f"attend: build: {frame.inert(words[0])}: {error.strerror}", hint)
        return NOT_FOUND if missing else NOT_RUNNABLE
    report.begin(child)
    code = wait(child, passed)
    report.end(code)
    return code if code >= 0 else die(-code)


def spawn(words: list[str], mask: "set[int]") -> int:
    """Start a command with what we were started with.

    Args:
        words: the command.
        mask: the signals that were blocked.

    Raises:
        OSError: it can't be started.
    """
    return posix.posix_spawnp(
        words[0],
        words,
        inherited.environment(),
        file_actions=inherited.closed(),
        setsigmask=mask,
        setsigdef=inherited.to_reset(),
    )


def wait(child: int, passed: tuple[int, ...]) -> int:
    """Wait for a child, passing signals on; return its exit code, negative for a signal."""
    while True:
        number, pass_on = _next_signal(passed)
        if number != _signal.SIGCHLD:
            if pass_on:
                _send(child, number)
            continue
        found, status = posix.waitpid(child, posix.WNOHANG | posix.WUNTRACED)
        if found and posix.WIFSTOPPED(status):
            posix.kill(posix.getpid(), _signal.SIGSTOP)
        elif found:
            return posix.waitstatus_to_exitcode(status)


def die(number: int) -> int:
    """End by the same signal, without leaving a second core file."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        say("attend: a core file of attend itself may be left", "")
    if number not in (_signal.SIGKILL, _signal.SIGSTOP):
        _signal.signal(number, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    posix.kill(posix.getpid(), number)
    return 128 + number


def left_by() -> str:
    """Name the session whose shell left us in the background; ``''`` where there is none.

    The environment alone says so. That is enough for a report, and for nothing else.
    """
    named = places.env("CLAUDE_PID")
    found = record.read(int(named)) if named.isdecimal() else None
    if found is None or found.problem or not process.alive(int(named), found.start):
        return ""
    return found.session


def has_terminal() -> bool:
    """Whether we belong to a terminal, and so to a person at it."""
    try:
        posix.close(posix.open("/dev/tty", posix.O_RDONLY | posix.O_NOCTTY | posix.O_CLOEXEC))
    except OSError:
        return False
    return True


class Report:
    """The report of one run. Says once on standard error if it can't be written."""

    def __init__(self, words: list[str]) -> None:
        self._text = frame.cut(frame.inert(shell.typed(words)), _LONGEST)
        self._path = ""
        self._content: dict[str, object] = {}
        self._began = (time.time(), moment.boot_seconds())

    def begin(self, child: int) -> None:
        """Say that it runs.

        Args:
            child: its process; 0 if it could not be started.
        """
        pid, now = posix.getpid(), moment.now()
        try:
            caller = identity.resolve()
            project = identity.project_of(caller.workdir or "/")
            where = builds.folder(make=True)
            builds.prune(where, project, self._text, now)
            name = builds.name(project, self._text, time.time_ns(), child or pid)
            self._path = f"{where}/{name}"
            self._content = {
                "command": self._text,
                "project": project,
                "folder": identity.current_dir(),
                "session": caller.session or left_by(),
                "pid": pid,
                "start": process.start_time(pid) or "",
                "child": child,
                "child_start": (process.start_time(child) if child else "") or "",
                "above": [above for above, _, _ in process.ancestors()],
                "terminal": has_terminal(),
                "boot": now.boot,
                "began_at": self._began[0],
                "began_bt": self._began[1],
                "ended_at": None,
                "ended_bt": None,
                "code": None,
            }
            self._write()
        except (OSError, identity.IdentityError, places.PlaceError) as error:
            self._fail(error)

    def end(self, code: int) -> None:
        """Say how it ended.

        Args:
            code: its exit code, negative for the signal that ended it.
        """
        if not self._path:
            return
        ended = {"ended_at": time.time(), "ended_bt": moment.boot_seconds()}
        self._content |= {**ended, "code": code}
        try:
            self._write()
        except OSError as error:
            self._fail(error)

    def _write(self) -> None:
        builds.write(self._path, self._content)

    def _fail(self, error: Exception) -> None:
        self._path = ""
        reason = getattr(error, "strerror", "") or error.args[0]
        said = f"attend: build: this run can't be reported: {frame.inert(str(reason))}"
        say(said, "the command runs all the same; `attend status` says more")


def _next_signal(passed: tuple[int, ...]) -> tuple[int, bool]:
    """Wait for a signal; tell which, and whether the command has to be sent it by us."""
    watched = (*passed, _signal.SIGCHLD)
    if hasattr(_signal, "sigwaitinfo"):
        found = _signal.sigwaitinfo(watched)
        number, by_kernel = found.si_signo, found.si_code > _BY_USER
        own = not by_kernel and found.si_pid == posix.getpid()  # as when nobody reads us
        alone = number in _TO_LEADER and posix.getsid(0) == posix.getpid()
    else:
        number, own, alone = _signal.sigwait(watched), False, False
        by_kernel = sys.platform == "darwin"
    return number, not own and (alone or not (by_kernel and number in _TO_GROUP))


def _send(child: int, number: int) -> None:
    try:
        posix.kill(child, number)
    except ProcessLookupError:
        return
