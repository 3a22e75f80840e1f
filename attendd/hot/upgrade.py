"""A newer attend in the place of the one that runs: noticed, tried, and then become.

A client arms a reader once, so it can't wait to be started anew after an upgrade. At looks that
it takes anyway it sees that the folder of its code has changed, lets whoever changes it finish,
and has the new program try itself in a child. Only what has passed that is become, by an exec;
what has not is told once, and the old program goes on.
"""

import posix
import sys

from attendd.hot.moment import boot_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HOT = __file__.rpartition("/")[0]
MAIN = f"{HOT}/main.py"
CHECK = "--self-check"
"""The word that has a program try itself and end."""
SETTLE_S = 2.0
"""Code that has not changed for so long is whole."""
GONE_S = 30.0
"""The same where it has vanished, as while an installer is about to put it back."""
TRIAL_S = 30.0
"""How long a trial may take."""
AGAIN_S = 600.0
"""What has failed its trial is tried once more after so long, or once it has changed."""
FAR_S = float("inf")

_LOOK_S = 0.2
_SAID_BYTES = 1 << 16


class Upgrade:
    """Watches over the code that a process was started from.

    Attributes:
        ready: whether there is newer code that has passed its trial.
    """

    def __init__(
        self,
        command: "Callable[[], list[str]]",
        tell: "Callable[[str], None]",
        folders: "Sequence[str]" = (HOT,),
    ) -> None:
        """Take the code as it is now for the code that runs.

        Args:
            command: names the command line that tries the newer program; empty while there
                is none.
            tell: is told in a sentence why it is not become; empty once it can be.
            folders: where the code lies.
        """
        self.ready = False
        self._command = command
        self._tell = tell
        self._folders = [*folders]
        self._own = self._known = self._seen = self._mark()
        self._since = 0.0
        self._again_at = FAR_S
        self._trial: Trial | None = None
        self._said = ""

    def look(self) -> float:
        """Take one cheap look.

        Returns:
            After how many seconds to look again; `FAR_S`: when there is reason to wake anyway.
        """
        now = boot_seconds()
        if self._trial is not None:
            return self._judge(self._trial, now)
        if self.ready:
            return FAR_S
        mark = self._mark()
        if mark != self._seen:
            self._seen, self._since = mark, now
        if mark == self._known and now < self._again_at:
            return FAR_S
        settled_in = self._since + (SETTLE_S if all(mark) else GONE_S) - now
        if settled_in > 0:
            return settled_in
        return self._begin(now)

    def also(self, places: "Iterable[str]") -> None:
        """Watch over more folders, or files, as they are now."""
        self._folders += places
        more = self._mark()[len(self._own) :]
        self._own, self._known, self._seen = (
            [*marks, *more] for marks in (self._own, self._known, self._seen)
        )

    def is_other(self) -> bool:
        """Tell whether the code that lies there is not the one that runs."""
        return self._mark() != self._own

    def refuse(self, why: str) -> None:
        """Stay with the code that runs, and say why; once for each reason."""
        self.ready = False
        self._known, self._again_at = self._seen, boot_seconds() + AGAIN_S
        if why != self._said:
            self._said = why
            self._tell(f"the attend that is installed now does not start ({why})")

    def _begin(self, now: float) -> float:
        command = self._command()
        if not command:
            return FAR_S
        try:
            self._trial = Trial(command, now)
        except OSError as error:
            self.refuse(f"{command[0]}: {error.strerror}")
            return FAR_S
        return _LOOK_S

    def _judge(self, trial: "Trial", now: float) -> float:
        failed = trial.failed(now)
        if failed is None:
            return _LOOK_S
        self._trial = None
        if failed:
            self.refuse(failed)
            return FAR_S
        self.ready = True
        self._tell("")
        return 0.0

    def _mark(self) -> list[tuple[int, int, int] | None]:
        """Name what is in the folders now: replacing a file changes its folder."""
        found: list[tuple[int, int, int] | None] = []
        for folder in self._folders:
            try:
                there = posix.stat(folder)
            except OSError:
                found.append(None)
            else:
                found.append((there.st_dev, there.st_ino, there.st_mtime_ns))
        return found


class Trial:
    """A program that tries itself in a child; only what it says on standard error is kept."""

    def __init__(self, command: list[str], now: float) -> None:
        """Start it.

        Raises:
            OSError: it can't be started.
        """
        self._until = now + TRIAL_S
        self._errors, theirs = posix.pipe()
        try:
            self._pid = posix.posix_spawn(
                command[0],
                command,
                posix.environ,
                file_actions=[
                    (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
                    (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0),
                    (posix.POSIX_SPAWN_DUP2, theirs, 2),
                ],
            )
        except BaseException:
            posix.close(self._errors)
            raise
        finally:
            posix.close(theirs)

    def failed(self, now: float) -> str | None:
        """Say why it failed, ``''`` if it did not; ``None`` while it is at it."""
        ended, status = posix.waitpid(self._pid, posix.WNOHANG)
        late = not ended and now > self._until
        if late:
            posix.kill(self._pid, 9)
            posix.waitpid(self._pid, 0)
        elif not ended:
            return None
        posix.set_blocking(self._errors, False)
        try:
            said = posix.read(self._errors, _SAID_BYTES).decode("utf-8", "replace").split("\n")
        except BlockingIOError:  # a child of its own has it open still
            said = []
        posix.close(self._errors)
        if late:
            return f"it did not answer within {TRIAL_S:.0f} s"
        if not status:
            return ""
        last = [line.strip() for line in said if line.strip()][-1:]
        return last[0] if last else f"it ended with {posix.waitstatus_to_exitcode(status)}"


def command(words: "Sequence[str]") -> list[str]:
    """Name the command line of `attend run` with some words, as it is installed now.

    Returns:
        This program's own interpreter and place as long as both are there; else a launcher,
        which finds them anew. Empty where there is none.
    """
    if posix.access(sys.executable or "", posix.X_OK) and posix.access(MAIN, posix.R_OK):
        return [sys.executable, "-I", "-S", "-X", "utf8", MAIN, "run", *words]
    for folder in (sys.executable.rpartition("/")[0], *_path()):
        launcher = f"{folder}/attend"
        if folder.startswith("/") and posix.access(launcher, posix.X_OK):
            return [launcher, "run", *words]
    return []


def _path() -> list[str]:
    """List where a person's commands are looked for."""
    said = posix.environ.get(b"PATH", b"").decode("utf-8", "surrogateescape")
    home = posix.environ.get(b"HOME", b"").decode("utf-8", "surrogateescape")
    return [*said.split(":"), f"{home}/.local/bin"]
