"""The unit files of attend's service: carried along, filled in, and where they go."""

import os
import sysconfig
from pathlib import Path

from attendd.errors import AttendError
from attendd.hot import attach, places

SERVICE, SOCKET = "attend.service", "attend.socket"
NAMES = (SOCKET, SERVICE)

_PACKAGE = Path(__file__).parents[1]
_CARRIED = (_PACKAGE / "units", _PACKAGE.parent / "systemd")
"""Where they lie in what was installed, and in a clone."""
_PLACES = ("ATTEND_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""What moves files of attend or the client: a service that didn't know would look elsewhere."""


def folder() -> Path:
    """Return where systemd looks for a user's own units."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if config.startswith("/") else Path(places.home()) / ".config"
    return base / "systemd" / "user"


def filled() -> dict[str, str]:
    """Return the unit files as they are to be for this user and this shell.

    Raises:
        AttendError: a part of this installation is missing, or a path can't stand in a unit.
    """
    environment = [f"Environment={_quoted(f'{k}={v}')}" for k, v in surroundings().items()]
    service = _carried(SERVICE).replace(
        "ExecStart=/usr/bin/env attendd", "\n".join([_command(program()), *environment])
    )
    path = attach.service_door()
    usual = f"{os.environ.get('XDG_RUNTIME_DIR', '')}/attend/service.sock"
    socket = _carried(SOCKET)
    if path != usual:
        socket = socket.replace("%t/attend/service.sock", _plain(path))
    return {SOCKET: socket, SERVICE: service}


def program() -> str:
    """Return the path of `attendd` as it is installed.

    Raises:
        AttendError: it is not.
    """
    schemes = [None, f"{os.name}_user"]
    for scheme in schemes:
        where = (
            sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        )
        found = Path(where) / "attendd"
        if os.access(found, os.X_OK):
            return str(found)
    raise AttendError(
        "the program `attendd` is not beside this Python, so no service can start it",
        hint="install attend with pip, pipx or uv, and call it from there",
    )


def surroundings() -> dict[str, str]:
    """Return the variables of this shell that the service needs in order to find the same."""
    kept = {name: os.environ[name] for name in _PLACES if os.environ.get(name)}
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    there = [part for part in parts if part.startswith("/") and Path(part).is_dir()]
    return {"PATH": os.pathsep.join(dict.fromkeys(there)), **kept}


def _carried(name: str) -> str:
    for where in _CARRIED:
        if (where / name).is_file():
            return (where / name).read_text("utf-8")
    raise AttendError(f"{name} is missing here", hint="reinstall attendd; a part of it is gone")


def _command(path: str) -> str:
    """Write the line that starts a program.

    Source:
        systemd refuses a program with a quote or a backslash in its path, but not an argument;
        the colon keeps it from looking for variables in that.
    """
    odd = any(char in path for char in "\"'\\")
    return f"ExecStart={':/usr/bin/env ' if odd else ''}{_quoted(path)}"


def _quoted(word: str) -> str:
    """Write a word so that systemd reads it as it is.

    Source:
        systemd.syntax(7), quoting; systemd.unit(5), specifiers.
    """
    return '"' + _plain(word).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(word: str) -> str:
    if not word.isprintable():
        raise AttendError(
            f"{word!r} can't stand in a unit file", hint="use a path without such characters"
        )
    return word.replace("%", "%%")
