"""Gets the real client, by a named version, into a folder that git ignores.

Run as a program it prints the client's path: ``python -m tests.live.install``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "2.1.328"
"""A bare name would get Node 20 a release of its own, `OLDER`."""

OLDER = "2.1.197"
"""Knows no monitors, so that nothing but hooks reaches its sessions."""

PACKAGE = "@anthropic-ai/claude-code"
FOLDER = Path(__file__).resolve().parents[2] / ".live"
LIMIT_S = 600


class NoClientError(Exception):
    """There is no client here, and no way to get one."""


def client() -> Path:
    """Return the client's path: $CLAUDE_BIN, or what was installed, now if need be.

    Raises:
        NoClientError: neither is possible; the message says why.
    """
    if named := os.environ.get("CLAUDE_BIN"):
        if not os.access(named, os.X_OK):
            raise NoClientError(f"CLAUDE_BIN names no program: {named}")
        return Path(named).resolve()
    return release(VERSION)


def release(version: str) -> Path:
    """Return the path of a client of a release, which is installed now if need be.

    Raises:
        NoClientError: it is not here and can't be got; the message says why.
    """
    return _installed(version) or _install(version)


def _installed(version: str) -> Path | None:
    owner, _, name = PACKAGE.partition("/")
    found = sorted((FOLDER / version / "node_modules" / owner).glob(f"{name}-*/claude"))
    return found[0] if found else None


def _install(version: str) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise NoClientError("neither npm nor CLAUDE_BIN is here")
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]
    folder = FOLDER / version
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [npm, "install", "--prefix", str(folder), *flags, f"{PACKAGE}@{version}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    found = _installed(version)
    if done.returncode or found is None:
        reason = (done.stderr or done.stdout).strip() or "it holds no program for this machine"
        raise NoClientError(f"npm could not install {PACKAGE}@{version}: {reason[-500:]}")
    return found


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{client()}\n")
    except (NoClientError, subprocess.TimeoutExpired) as error:
        sys.exit(f"{error}")
