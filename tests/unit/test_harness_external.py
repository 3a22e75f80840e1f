"""A gauge that a command of the user's prints."""

import shlex
import sys
from pathlib import Path

import pytest

from attendd.harness.external import parse, read
from attendd.model import Gauge

GOOD = '{"tokens_used": 500, "tokens_total": 1000, "model": "m", "pct_used": 50}'


def python(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


@pytest.mark.asyncio
async def test_what_the_command_prints_is_the_gauge(tmp_path: Path) -> None:
    reading = await read(python(f"print('{GOOD}')"), "one", str(tmp_path))

    assert reading.problem == ""
    assert reading.gauge == Gauge(
        session="one",
        tokens_used=500,
        tokens_total=1000,
        model="m",
        window_source="client",
        method="external",
        epoch="one",
    )


@pytest.mark.asyncio
async def test_the_command_is_told_the_session_and_runs_in_its_directory(
    tmp_path: Path,
) -> None:
    code = (
        "import json, os, sys; assert sys.argv[1:] == ['a b', 'one']; "
        "print(json.dumps({'tokens_used': 1, 'model': os.getcwd()}))"
    )
    reading = await read(f"{python(code)} 'a b' {{session}}", "one", str(tmp_path))

    assert reading.gauge is not None
    assert reading.gauge.model == str(tmp_path)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (python("print('hello')"), "printed no gauge"),
        (python("raise SystemExit(3)"), "failed with exit code 3"),
        (python("import sys; sys.stdin.read(); print('{}')"), "tokens_used"),
        ("/no/such/program", "can't be run: /no/such/program: No such file"),
        ("'unclosed", "can't be run"),
        ("", "can't be run"),
    ],
)
async def test_a_command_that_is_no_gauge_is_said_to_be_none(
    tmp_path: Path, command: str, said: str
) -> None:
    reading = await read(command, "one", str(tmp_path))

    assert reading.gauge is None
    assert said in reading.problem


@pytest.mark.asyncio
async def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    endless = python("import signal; signal.pause()")
    reading = await read(endless, "one", str(tmp_path), limit_s=0.2)

    assert (reading.gauge, "took longer than 0.2 s" in reading.problem) == (None, True)


@pytest.mark.asyncio
async def test_a_directory_that_is_gone_does_no_harm(tmp_path: Path) -> None:
    reading = await read(python(f"print('{GOOD}')"), "one", str(tmp_path / "gone"))

    assert reading.gauge is not None


@pytest.mark.parametrize(
    "printed",
    [
        b"",
        b"[]",
        b"{}",
        b'{"tokens_used": "many"}',
        b'{"tokens_used": -1}',
        b'{"tokens_used": 1, "tokens_total": 0}',
        b'{"tokens_used": 1, "session": "two"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_nothing_it_prints_raises_or_is_guessed_at(printed: bytes) -> None:
    reading = parse(printed, "one")

    assert reading.gauge is None
    assert reading.problem.startswith("context.command printed")
    assert len(reading.problem) < 300


def test_more_than_all_means_that_the_window_is_unknown() -> None:
    reading = parse(b'{"tokens_used": 1001, "tokens_total": 1000}', "one")

    assert reading.gauge is not None
    assert (reading.gauge.tokens_total, reading.gauge.window_source) == (None, "unknown")
