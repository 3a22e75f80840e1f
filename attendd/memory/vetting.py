"""Has every text looked at for secrets before it counts as a fact.

The detectors take 17 MB and 0.2 s to load. A command that ends soon loads them itself. The
host, which lives for weeks and has 45 MB for all it does, asks a process that is started for
the texts at hand and gone a moment later. What can't be looked at is not kept.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
import msgspec

from attendd import fingerprint, points
from attendd.errors import AttendError

LIMIT_S = 20.0
"""How long that process may take."""

_PLAIN = "a text like any other"
_BEYOND = "it can't be looked at for secrets"
_LENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")


class VettingError(AttendError):
    """Texts could not be looked at for secrets."""


def detectors_in_use() -> str:
    """Name the detectors: by another name, others are in use.

    Raises:
        VettingError: they are missing.
    """
    try:
        own = Path(__file__).with_name("detectors.py").read_bytes()
        return f"{points.version('detect-secrets')} {fingerprint.of(own).hex()}"
    except (OSError, ImportError) as error:
        raise VettingError(f"the detectors of secrets are missing: {error}") from error


def objection(text: str) -> str:
    """Say in a few words why a text must not be kept; ``''`` if it may be.

    Raises:
        VettingError: it could not be looked at.
    """
    return objections([text])[0]


def objections(texts: Sequence[str]) -> list[str]:
    """Say the same of several texts.

    Raises:
        VettingError: they could not be looked at.
    """
    try:
        from attendd.memory import detectors  # noqa: PLC0415 - dear
    except ImportError as error:
        raise VettingError(
            f"nothing can be remembered: the detectors of secrets are missing ({error})",
            hint="install attend anew, or `pip install detect-secrets` where it is installed",
        ) from error
    return [detectors.objection(each) for each in texts]


async def ask(texts: Sequence[str], limit_s: float = LIMIT_S) -> list[str]:
    """Have another process say it of several texts.

    One with which that process fails, or never ends, must not keep back all others for ever. So
    where others can be looked at and it can't, that is what is said of it.

    Raises:
        VettingError: no text can be looked at.
    """
    try:
        return await _ask(texts, limit_s)
    except VettingError:
        await _ask([_PLAIN], limit_s)
    if len(texts) == 1:
        return [_BEYOND]
    half = len(texts) // 2
    return [*await ask(texts[:half], limit_s), *await ask(texts[half:], limit_s)]


async def _ask(texts: Sequence[str], limit_s: float) -> list[str]:
    command = [sys.executable, "-E", "-P", "-X", "utf8", "-m", "attendd.memory.vetting"]
    env = {name: os.environ[name] for name in _LENT if name in os.environ}
    try:
        with anyio.fail_after(limit_s):
            done = await anyio.run_process(
                command, input=msgspec.json.encode(list(texts)), check=False, env=env, cwd="/"
            )
        found = msgspec.json.decode(done.stdout, type=list[str])
    except TimeoutError:
        raise VettingError(f"looking for secrets took longer than {limit_s:g} s") from None
    except (OSError, ExceptionGroup, msgspec.MsgspecError) as error:  # it may end unasked
        raise VettingError(f"texts can't be looked at for secrets: {error}") from error
    if done.returncode or len(found) != len(texts):
        raise VettingError("texts can't be looked at for secrets: the process for it failed")
    return found


def main() -> int:
    """Read a list of texts as JSON from standard input, and write what is said of each."""
    texts = msgspec.json.decode(sys.stdin.buffer.read(), type=list[str])
    sys.stdout.buffer.write(msgspec.json.encode(objections(texts)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
