"""Runs git so that it reads and nothing else: no locks, no prompts, no programs, no network.

The person's configuration still counts where it only says what to show. Everything that
would start a program is switched off here or refused in `sensors.git.safety`.
"""

import contextlib
import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL, PIPE

import anyio
import anyio.abc
import anyio.to_thread
import msgspec

OLDEST = (2, 30)
"""The oldest git whose answers are tested; an older one is not asked."""

MOST_BYTES = 1024 * 1024
"""How much of an answer is read; some 20,000 files."""

_DROPPED = re.compile(r"GIT_|LC_|LANG$|LANGUAGE$")
_SET = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch what is missing
    "GIT_NO_LAZY_FETCH": "1",
}
_ALWAYS = (
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "log.showSignature=false",
    "-c",
    "i18n.logOutputEncoding=UTF-8",
)


class Ran(msgspec.Struct, frozen=True):
    """How a run of git went.

    Attributes:
        code: its exit code; ``None`` where it was stopped, by us or otherwise.
        out: what it wrote, at most the number of bytes asked for.
        cut: whether there was more.
        late: whether it was stopped for taking too long.
        problem: the first line it complained with.
    """

    code: int | None
    out: bytes = b""
    cut: bool = False
    late: bool = False
    problem: str = ""


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return a process environment free of git settings, locale and relative ``PATH`` parts."""
    kept = {key: value for key, value in inherited.items() if not _DROPPED.match(key)}
    parts = inherited.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(part for part in parts if part.startswith("/"))
    return kept | _SET | {"PATH": path}


async def find() -> str | None:
    """Return the absolute path of git; ``None`` where none is installed."""
    path = environment(os.environ)["PATH"]
    return await anyio.to_thread.run_sync(lambda: shutil.which("git", path=path))


async def version(program: str) -> tuple[int, int]:
    """Return git's version; (0, 0) where it does not tell."""
    ran = await _start([program, "version"], limit_s=5.0, most=4096)
    match = re.match(rb"git version (\d+)\.(\d+)", ran.out)
    return (int(match[1]), int(match[2])) if match else (0, 0)


async def run(
    program: str, folder: str, args: Sequence[str], *, limit_s: float, most: int = MOST_BYTES
) -> Ran:
    """Run git in a folder.

    Args:
        program: git's absolute path.
        folder: where it works.
        args: more options for git itself, the command, and its options.
        limit_s: after so many seconds it is stopped.
        most: after so many bytes it is stopped.
    """
    return await _start([program, "-C", folder, *_ALWAYS, *args], limit_s=limit_s, most=most)


async def _start(line: list[str], *, limit_s: float, most: int) -> Ran:
    process = await anyio.open_process(
        line,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        cwd="/",  # the folder of a repository must not decide which programs are found
        env=environment(os.environ),
        start_new_session=True,
    )
    async with process:
        late = True
        out, errors = bytearray(), bytearray()
        try:
            with anyio.move_on_after(limit_s):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(_drain, process.stderr, errors)
                    await _fill(process.stdout, out, most)
                    if len(out) > most:
                        tasks.cancel_scope.cancel()
                    else:
                        await process.wait()
                late = False
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    problem = errors.decode("utf-8", "backslashreplace").partition("\n")[0]
    cut = len(out) > most
    code = None if late or cut else process.returncode
    return Ran(code, bytes(out[:most]), cut, late, problem)


async def _fill(stream: anyio.abc.ByteReceiveStream | None, into: bytearray, most: int) -> None:
    """Read until the end, or until there is more than enough."""
    if stream is not None:
        async for chunk in stream:
            into += chunk
            if len(into) > most:
                return


async def _drain(stream: anyio.abc.ByteReceiveStream | None, into: bytearray) -> None:
    """Read to the end, keep the beginning."""
    if stream is not None:
        async for chunk in stream:
            into += chunk[: max(0, 4096 - len(into))]
