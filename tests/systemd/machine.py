"""A machine of its own with a real systemd: booted in namespaces, logged in to, thrown away."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from tests.process.reading import DEADLINE_S, Reading, eventually

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOME = "/root"
RUNTIME = "/run/user/0"
UNITS = f"{HOME}/.config/systemd/user"

NOTHING: Mapping[str, str] = MappingProxyType({})

_CGROUPS = (Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))
_SPACES = ("--mount", "--pid", "--cgroup", "--ipc", "--uts", "--net")
_ENV = {
    "HOME": HOME,
    "XDG_RUNTIME_DIR": RUNTIME,
    "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "GIT_AUTHOR_NAME": "Somebody Else",
    "GIT_AUTHOR_EMAIL": "else@example.org",
    "GIT_COMMITTER_NAME": "Somebody Else",
    "GIT_COMMITTER_EMAIL": "else@example.org",
}


class NoMachineError(Exception):
    """None can be had here; says why."""


class Machine:
    """What runs in it is root's, whose home is a folder of its own."""

    def __init__(self, init: int) -> None:
        """Take the pid of its first process, as seen from here."""
        self._started: list[Reading] = []
        self._enter = [
            "nsenter", f"--target={init}", *_SPACES, "--root", f"--wd=/proc/{init}/root/",
        ]  # fmt: skip

    def command(self, *words: str, env: Mapping[str, str] = NOTHING) -> list[str]:
        """Return the command line that runs words in it."""
        told = [f"{name}={value}" for name, value in {**_ENV, **env}.items()]
        return [*self._enter, "env", "-i", *told, *words]

    def run(self, *words: str, check: bool = True, env: Mapping[str, str] = NOTHING) -> str:
        """Run a command to its end; return what it printed.

        Raises:
            RuntimeError: it failed.
        """
        done = subprocess.run(
            self.command(*words, env=env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=4 * DEADLINE_S,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(f"{words} ended with {done.returncode}: {done.stderr}")
        return done.stdout + done.stderr

    def true(self, *words: str) -> bool:
        """Tell whether a command ends well."""
        return (
            subprocess.run(self.command(*words), capture_output=True, check=False).returncode
            == 0
        )

    def start(self, *words: str, env: Mapping[str, str] = NOTHING) -> Reading:
        """Start a command; it ends with the machine at the latest."""
        process = subprocess.Popen(
            self.command(*words, env=env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._started.append(Reading(process))
        return self._started[-1]

    def end(self) -> None:
        """Let go of all that was started."""
        for reading in self._started:
            reading.end()

    def write(self, path: str, text: str) -> None:
        """Write a file, and the folders to it."""
        self.run("sh", "-c", 'mkdir -p "${1%/*}" && printf %s "$2" >"$1"', "sh", path, text)

    def log_in(self, name: str = "one") -> None:
        """Begin a session on it, through PAM as `login` does; wait for the user's manager."""
        self.run("systemd-run", f"--unit=login-{name}", "-pPAMName=login", "-pUser=root",
                 "sleep", "infinity")  # fmt: skip
        eventually(lambda: self.true("systemctl", "--user", "show-environment"))

    def log_out(self, name: str = "one") -> None:
        """End a session."""
        self.run("systemctl", "stop", f"login-{name}")

    def service(self, what: str) -> str:
        """Return a property of attend's service."""
        return self.run(
            "systemctl", "--user", "show", "attend.service", f"--property={what}", "--value"
        ).strip()

    def project(self) -> str:
        """Make a repository; return its path."""
        path = f"{HOME}/project"
        self.run("git", "init", "-q", "-b", "main", path)
        self.run("git", "-C", path, "commit", "-q", "--allow-empty", "-m", "First")
        return path

    def reader(self, path: str, name: str) -> Reading:
        """Start `attend run` in a folder."""
        return self.start("sh", "-c", 'cd "$1" && exec attend run --as="$2"', "sh", path, name)


@contextmanager
def machine() -> Iterator[Machine]:
    """Boot one; end it and all that runs in it.

    Raises:
        NoMachineError: that can't be done here.
    """
    group = _group()
    work = Path(tempfile.mkdtemp(prefix="attend-machine-"))
    line = ["unshare", *_SPACES, "--fork", "--kill-child", "--propagation=private",
            str(HERE / "boot.sh"), str(work), *_kept()]  # fmt: skip
    join = 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"'
    with (work / "log").open("wb") as log:
        booted = subprocess.Popen(
            ["sh", "-c", join, "sh", str(group), *line],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        found = _up(booted, work / "log")
        try:
            yield found
        finally:
            found.end()
    finally:
        booted.kill()
        booted.wait(DEADLINE_S)
        shutil.rmtree(work, ignore_errors=True)
        _remove(group)


def _kept() -> list[str]:
    """Name what is needed of folders that are empty in it: the interpreter, and attend."""
    paths = {str(Path(path).resolve()) for path in (sys.prefix, sys.base_prefix, ROOT)}
    return sorted(path for path in paths if path.startswith((f"{HOME}/", "/tmp/", "/run/")))  # noqa: S108


def _group() -> Path:
    """Make a control group, whose namespace is then no root of the machine's."""
    lacking = [name for name in ("unshare", "nsenter", "systemd-run") if not shutil.which(name)]
    if os.geteuid() or lacking:
        raise NoMachineError(f"it takes root{' and '.join(['', *lacking])}")
    for base in _CGROUPS:
        path = base / f"attend-machine-{os.getpid()}"
        if (base / "cgroup.procs").exists():
            with suppress(OSError):
                path.mkdir()
                return path
    raise NoMachineError("there is no cgroup2 that may be written to")


def _up(booted: "subprocess.Popen[bytes]", log: Path) -> Machine:
    """Wait until it is up."""
    children = Path(f"/proc/{booted.pid}/task/{booted.pid}/children")

    def made() -> bool:
        if booted.poll() is not None:
            raise NoMachineError(f"systemd does not boot: {log.read_text()[-500:]}")
        return bool(children.read_text().strip())

    try:
        eventually(made)
        found = Machine(int(children.read_text()))
        eventually(lambda: made() and found.true("systemctl", "is-active", "systemd-logind"))
    except TimeoutError:
        raise NoMachineError(f"systemd does not boot: {log.read_text()[-500:]}") from None
    return found


def _remove(group: Path) -> None:
    def gone() -> bool:
        for path in [*sorted(group.rglob("*/"), reverse=True), group]:
            with suppress(OSError):
                path.rmdir()
        return not group.exists()

    with suppress(TimeoutError):
        eventually(gone, 5)
