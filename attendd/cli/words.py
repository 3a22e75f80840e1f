"""How the commands say times, spans, sizes and places to people."""

import os
import time
from datetime import datetime

_DAY_S = 86_400
_UNITS = ((_DAY_S, "d"), (3600, "h"), (60, "min"), (1, "s"))
_KIB = 1024


def span(seconds: float) -> str:
    """Say how long something is, in its two largest units at most: ``12 s``, ``3 h 5 min``."""
    left = max(0, round(seconds))
    for index, (size, unit) in enumerate(_UNITS):
        if left >= size:
            whole, rest = divmod(left, size)
            finer, name = _UNITS[index + 1] if index + 1 < len(_UNITS) else (0, "")
            more = f" {rest // finer} {name}" if finer and rest >= finer else ""
            return f"{whole} {unit}{more}"
    return "0 s"


def ago(at: float | None, now: float | None = None) -> str:
    """Say how long ago a moment was.

    Args:
        at: wall clock; ``None`` means never.
        now: wall clock; ``None`` means now.
    """
    if at is None:
        return "never"
    passed = (time.time() if now is None else now) - at
    if passed < 0:
        return "just now" if passed > -1 else f"in {span(-passed)}"
    return "just now" if passed < 1 else f"{span(passed)} ago"


def lasting(at: float, now: float | None = None) -> str:
    """Say for how long something has gone on that began at a moment; wall clocks."""
    return f"for {span((time.time() if now is None else now) - at)}"


def moment(at: float) -> str:
    """Say when something was, in local time; with the date if it is not today's."""
    then = datetime.fromtimestamp(at).astimezone()
    today = then.date() == datetime.now().astimezone().date()
    return then.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S")


def size(count: int) -> str:
    """Say how many bytes: ``512 B``, ``1.5 MiB``."""
    if count < _KIB:
        return f"{count} B"
    amount, units = count / _KIB, ["KiB", "MiB", "GiB"]
    while amount >= _KIB and len(units) > 1:
        amount /= _KIB
        units.pop(0)
    return f"{amount:.1f} {units[0]}"


def number(value: float) -> str:
    """Say a magnitude or a threshold: one decimal, none where it is whole."""
    return f"{value:,.1f}".removesuffix(".0")


def of_enough(pending: float, threshold: float) -> str:
    """Say how much has come together of how much it takes; of no number, if none is enough."""
    enough = "" if threshold < 0 else f" of {number(threshold) if threshold else 'any'}"
    return f"{number(pending)}{enough}"


def place(path: str) -> str:
    """Say a path with the home folder as ``~``."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib raises where there is no home
    inside = home not in ("~", "/") and (path == home or path.startswith(home + "/"))
    return "~" + path[len(home) :] if inside else path


def project(path: str) -> str:
    """Say where a project lies: a repository by the folder that it is in."""
    return place(path.removesuffix("/.git"))


def short(session: str) -> str:
    """Say a session's id in brief: eight characters of a long one, a name whole."""
    return session if session.startswith(("as:", "tty:")) else session[:8]


def many(count: int, one: str, more: str = "") -> str:
    """Say how many of something: ``1 line``, ``2 lines``."""
    return f"{count} {one if count == 1 else more or one + 's'}"
