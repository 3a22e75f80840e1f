"""Says to people what keeps the sensor from seeing all that it could, and what helps."""

from pathlib import Path

from sensors.git import words

NOWHERE = "no repository here"

_HINTS = {
    "git is not installed": "install git, or have it on the PATH of what runs attend's host",
    "is older than": "install a newer git",
    "takes longer than": "sensors.git.status_limit_s in config.toml gives it longer",
    "belongs to another user": "git's safe.directory names repositories to trust",
    "git config failed": "`git config --list` there says it whole",
    "git status failed": "`git status` there says it whole",
}
"""What can be done, by what a caveat has in it."""


def gone(folder: Path) -> bool:
    """Tell whether a folder is not there any more. May block on a slow file system."""
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def of_gone(folder: Path) -> str:
    """Say that the session's folder is not there."""
    hint = "make it again, or let the session go on in a folder that is there"
    return f"{words.place(str(folder))} is gone; {hint}"


def of_caveat(caveat: str) -> str:
    """Say what a look could not do, with what helps where something does."""
    hint = next((hint for part, hint in _HINTS.items() if part in caveat), "")
    return f"{caveat}; {hint}" if hint else caveat
