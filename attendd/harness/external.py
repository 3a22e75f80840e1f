"""A gauge that a command of the user's prints, in place of reading the transcript."""

import shlex
import subprocess
from typing import Annotated

import anyio
import msgspec

from attendd.model import Gauge

LIMIT_S = 10.0

_SAID = 200


class Reading(msgspec.Struct, frozen=True):
    """What came of running it.

    Attributes:
        gauge: what it printed; ``None`` if that can't be used.
        problem: empty, or one sentence: why not.
    """

    gauge: Gauge | None = None
    problem: str = ""


class _Printed(msgspec.Struct):
    tokens_used: Annotated[int, msgspec.Meta(ge=0)]
    tokens_total: Annotated[int, msgspec.Meta(gt=0)] | None = None
    model: str | None = None
    window_source: str | None = None
    session: str | None = None
    epoch: str | None = None


async def read(command: str, session: str, workdir: str, limit_s: float = LIMIT_S) -> Reading:
    """Run the command in the session's directory, and read the JSON it prints.

    Args:
        command: a program with its arguments, as in a shell but without one. ``{session}`` in
            an argument stands for the session's id.
        session: the session to be measured.
        workdir: where to run it; if that is gone, it runs in the root.
        limit_s: how long it may take; then it is killed.
    """
    try:
        words = [word.replace("{session}", session) for word in shlex.split(command)]
        if not words:
            return Reading(problem="context.command can't be run: it is empty")
        with anyio.fail_after(limit_s):
            done = await anyio.run_process(
                words,
                cwd=workdir if await anyio.Path(workdir).is_dir() else "/",
                check=False,
                stdin=subprocess.DEVNULL,
            )
    except TimeoutError:
        return Reading(problem=f"context.command took longer than {limit_s:g} s")
    except OSError as error:
        return Reading(problem=f"context.command can't be run: {words[0]}: {error.strerror}")
    except ValueError as error:
        return Reading(problem=f"context.command can't be run: {error}")
    if done.returncode != 0:
        return Reading(problem=f"context.command failed with exit code {done.returncode}")
    return parse(done.stdout, session)


def parse(printed: bytes, session: str) -> Reading:
    """Read what such a command printed, as ``attend context --json`` does."""
    try:
        said = msgspec.json.decode(printed, type=_Printed)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return Reading(problem=f"context.command printed no gauge: {str(error)[:_SAID]}")
    if said.session not in (None, "", session):
        return Reading(problem="context.command printed the gauge of another session")
    total = said.tokens_total
    if total is not None and said.tokens_used > total:
        total = None
    source = (said.window_source or "client") if total is not None else "unknown"
    return Reading(
        Gauge(
            session=session,
            tokens_used=said.tokens_used,
            tokens_total=total,
            model=said.model or "",
            window_source=source,
            method="external",
            epoch=said.epoch or session,
        )
    )
