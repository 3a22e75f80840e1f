"""`attend build -- CMD…`: runs a command as it is, and reports how it went.

The command is our child, in our process group: the terminal's signals reach it as they would
without us, and what is sent to us alone is passed on. When it stops we stop, and we end as it
ended. Nothing that goes wrong with the report keeps it from running.
"""

import posix
import sys
import time

from attendd.hot import builds, frame, identity, moment, places, process, record
from attendd.hot.commands import explain, say
from attendd.hot.usage import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

NOT_FOUND = 127
NOT_RUNNABLE = 126
_LONGEST = 300
_PASSED = tuple(
    getattr(_signal, name)
    for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGTSTP",
                 "SIGCONT", "SIGWINCH", "SIGALRM")
)  # fmt: skip
_OURS = (_signal.SIGPIPE, _signal.SIGXFSZ)
"""Signals that Python ignores, which a command of its own would not."""
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
        raise UsageError("build", f"unrecognized arguments: {words[0]}")
    if not words:
        raise UsageError("build", "no command is named")
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, (*_PASSED, _signal.SIGCHLD))
    report = Report(words)
    report.begin()
    try:
        child = posix.posix_spawnp(
            words[0], words, posix.environ, setsigmask=before, setsigdef=_OURS
        )
    except OSError as error:
        report.end(NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE)
        say(f"attend: {frame.inert(words[0])}: {error.strerror}", "")
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
    code = wait(child)
    report.end(code)
    return code if code >= 0 else die(-code)


def environment() -> dict[bytes, bytes]:
    """Return what we were started with, without what Python adds where no locale is set."""
    found = dict(posix.environ)
    try:
        with open("/proc/self/environ", "rb", 0) as file:
            given = b"\0" + file.readall()
    except OSError:
        return found
    if b"\0LC_CTYPE=" not in given:
        found.pop(b"LC_CTYPE", None)
    return found


def wait(child: int) -> int:
    """Wait for a child, passing signals on; return its exit code, negative for a signal."""
    while True:
        number, by_kernel = _next_signal()
        if number != _signal.SIGCHLD:
            # What the terminal sends, it sends to the whole group, the child included.
            if not by_kernel:
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


class Report:
    """The report of one run. Says once on standard error if it can't be written."""

    def __init__(self, words: list[str]) -> None:
        self._text = frame.cut(frame.inert(" ".join(words)), _LONGEST)
        self._path = ""
        self._content: dict[str, object] = {}

    def begin(self) -> None:
        """Say that it runs."""
        pid = posix.getpid()
        try:
            caller = identity.resolve()
            project = identity.project_of(caller.workdir or "/")
            where = builds.folder(make=True)
            builds.prune(where, project, self._text)
            name = builds.name(project, self._text, time.time_ns(), pid)
            self._path = f"{where}/{name}"
            self._content = {
                "command": self._text,
                "project": project,
                "folder": identity.current_dir(),
                "session": caller.session or left_by(),
                "pid": pid,
                "start": process.start_time(pid) or "",
                "boot": process.boot_id(),
                "began_at": time.time(),
                "began_bt": moment.boot_seconds(),
                "ended_at": None,
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
        self._content |= {"ended_at": time.time(), "code": code}
        try:
            self._write()
        except OSError as error:
            self._fail(error)

    def _write(self) -> None:
        builds.write(self._path, self._content)

    def _fail(self, error: Exception) -> None:
        self._path = ""
        reason = getattr(error, "strerror", "") or error.args[0]
        say(f"attend: this run can't be reported: {frame.inert(str(reason))}", "")


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; tell which, and whether it came from the kernel, not a process."""
    watched = (*_PASSED, _signal.SIGCHLD)
    if hasattr(_signal, "sigwaitinfo"):
        found = _signal.sigwaitinfo(watched)
        return found.si_signo, found.si_code > _BY_USER
    number = _signal.sigwait(watched)
    terminal = (_signal.SIGINT, _signal.SIGQUIT, _signal.SIGTSTP, _signal.SIGWINCH)
    return number, sys.platform == "darwin" and number in terminal


def _send(child: int, number: int) -> None:
    try:
        posix.kill(child, number)
    except ProcessLookupError:
        return
