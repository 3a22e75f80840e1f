"""The user's service manager, asked through systemd's own programs."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

from attendd.cli.units import SERVICE, SOCKET
from attendd.errors import AttendError

_BOOTED = Path("/run/systemd/system")
"""There where systemd runs; see sd_booted(3)."""
_LINGERS = Path("/var/lib/systemd/linger")
_LIMIT_S = 90.0
_SHOWN = (
    "LoadState", "FragmentPath", "UnitFileState", "ActiveState", "SubState", "Result",
    "MainPID", "NRestarts", "StatusText", "ExecMainStatus", "ActiveEnterTimestamp",
)  # fmt: skip


def insist() -> None:
    """Make sure that there is a manager of this user's services, and find it.

    Raises:
        AttendError: there is none; the hint says what works instead.
    """
    if not _BOOTED.is_dir() or shutil.which("systemctl") is None:
        raise AttendError(
            "systemd does not run here, so there is no service to speak of",
            hint="attend needs none: the first `attend run` looks after all sessions, and when"
            " it ends another one does",
        )
    runtime = f"/run/user/{os.geteuid()}"
    if not os.environ.get("XDG_RUNTIME_DIR") and Path(runtime).is_dir():
        os.environ["XDG_RUNTIME_DIR"] = runtime
    done = _systemctl("show-environment")
    if done.returncode:
        raise AttendError(
            f"your service manager can't be reached ({_first(done.stderr)})",
            hint="log in as this user, not by su or sudo; attend works without a service, too",
        )


def run(*words: str) -> str:
    """Have `systemctl` do something; return what it prints.

    Raises:
        AttendError: it could not be done.
    """
    done = _systemctl(*words)
    if done.returncode:
        raise AttendError(
            f"`systemctl --user {' '.join(words)}` failed: {_first(done.stderr)}",
            hint="`attend service logs` may tell why",
        )
    return done.stdout


def shown(unit: str = SERVICE) -> dict[str, str]:
    """Return what the manager knows of a unit, by property."""
    told = run("show", unit, f"--property={','.join(_SHOWN)}")
    return dict(line.split("=", 1) for line in told.splitlines() if "=" in line)


def enabled(unit: str) -> bool:
    """Tell whether a unit is started by itself."""
    return shown(unit).get("UnitFileState") == "enabled"


def active(unit: str = SERVICE) -> bool:
    """Tell whether a unit is up."""
    return shown(unit).get("ActiveState") in ("active", "reloading")


def lingers() -> bool:
    """Tell whether the manager runs while its user is logged out."""
    return (_LINGERS / _user()).exists()


def lingering() -> str:
    """Say what becomes of the service while nobody is logged in."""
    if lingers():
        return "on: it runs from boot on, whether anybody is logged in or not"
    return "off: it ends with your last log-in; `loginctl enable-linger` keeps it running"


def show_log(words: list[str]) -> NoReturn:
    """Become `journalctl`, for what the service and the manager said of it.

    Raises:
        AttendError: it can't be started.
    """
    line = ["journalctl", f"--user-unit={SERVICE}", *words]
    try:
        os.execvp(line[0], line)  # noqa: S606 - the same terminal, pager and signals
    except OSError as error:
        raise AttendError(
            f"journalctl can't be started: {error.strerror}",
            hint="without systemd's journal, attend writes to the terminal it was started on",
        ) from None


def stop() -> None:
    """Stop the service, and what would start it again before it."""
    run("stop", SOCKET, SERVICE)


def _systemctl(*words: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "LC_ALL": "C", "SYSTEMD_PAGER": "", "SYSTEMD_COLORS": "0"}
    try:
        return subprocess.run(
            ["systemctl", "--user", "--no-ask-password", *words],  # noqa: S607 - as PATH has it
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AttendError(f"systemctl gave no answer: {error}") from None


def _first(text: str) -> str:
    return next(iter(text.strip().splitlines()), "no reason was given")


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
