"""What a host does about newer code in the place of its own: has it tried, and says why not."""

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module

import anyio

from attendd import log
from attendd.hot import attach, become, remark, upgrade
from attendd.registry import Registry

LATER = (
    "answer", "eaten", "graphemes", "groups", "handed", "inview", "lacking", "mimicry", "near",
    "outgrown", "unknown",
)  # fmt: skip
"""Modules that a host imports only when it needs them; a test knows them all."""
THEIRS = ("structlog", "watchfiles")
"""The same of others'. These take their time, so a service is ready before it loads them."""
THEIRS_S = 1.0
"""How long after that."""

_log = log.get_logger("upgrade")


def watch() -> upgrade.Upgrade:
    """Watch over attend's code from now on, best from when it has just been loaded.

    The folders that compiled code goes to are made first, where an installer left that to the
    first command that needs them: made later, they would look like an upgrade.
    """
    ours = [*_ours()]
    for folder in ours:
        with contextlib.suppress(OSError):
            if os.path.exists(f"{folder}/__init__.py"):  # noqa: PTH110 - as `os.walk` names it
                os.mkdir(f"{folder}/__pycache__")  # noqa: PTH102 - the same
    return upgrade.Upgrade(_trial, _tell, ours)


def load_later() -> None:
    """Load now what is needed later, when the code on the disk may be another's, or gone."""
    for module in LATER:
        import_module(f"attendd.hot.{module}")


def load_theirs() -> None:
    """Do the same for what is others', where it is still there."""
    with contextlib.suppress(ImportError):
        anyio.open_process, anyio.run_process  # noqa: B018 - it imports what it is asked for
        log.library()  # it leaves out what structlog would take along
        for module in THEIRS:
            import_module(module)


def plugins(registry: Registry) -> Iterator[str]:
    """Name where the plugins lie: the folder of one that is a package, else its file."""
    for plugin in registry.manager.get_plugins():
        folders = list(getattr(plugin, "__path__", ()))
        yield from folders or filter(None, [getattr(plugin, "__file__", "")])


def _ours() -> Iterator[str]:
    package = os.path.dirname(become.STEP_UP)  # noqa: PTH120 - as `os.walk` names them
    for folder, *_ in os.walk(package):
        if not folder.endswith("__pycache__"):
            yield folder


def _trial() -> list[str]:
    """Name what tries the full program, or where its interpreter is gone, the reader."""
    full = [sys.executable, "-E", "-P", "-X", "utf8", become.STEP_UP, upgrade.CHECK]
    there = os.access(sys.executable, os.X_OK) and os.access(become.STEP_UP, os.R_OK)
    return full if there else upgrade.command([upgrade.CHECK])


def _tell(why: str) -> None:
    if why:
        why = f"{why}; {attach.VERSION} goes on"
        _log.warning("newer code was not taken", what=why)
    remark.try_to_keep("upgrade", why)
