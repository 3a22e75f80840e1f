"""The transcript in the README is played by a real shell, and has to come out as it stands."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.box import Box, boxed
from tests.process.reading import Reading, eventually

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TRANSCRIPT = README.partition("```console\n")[2].partition("```")[0].splitlines()
QUICK = "[governor]\ngap_s = 0.1\n"
"""The pauses between notifications would take a minute; the README does not show them."""


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        (found.home / "attend").mkdir(mode=0o700)
        (found.home / "attend" / "config.toml").write_text(QUICK)
        found.env["PATH"] = f"{ROOT / 'bin'}{os.pathsep}{found.env['PATH']}"
        yield found


@pytest.fixture
def shell(box: Box) -> Iterator[Reading]:
    """Start a shell in a repository; whatever it leaves in the background is ended."""
    reading = Reading(
        subprocess.Popen(
            ["bash"],
            cwd=box.repository(),
            env=box.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )
    try:
        yield reading
    finally:
        type_in(reading, "kill $(jobs -p); wait; exit")
        reading.process.wait(10)
        reading.end()


def type_in(shell: Reading, line: str) -> None:
    assert shell.process.stdin is not None
    shell.process.stdin.write(f"{line}\n".encode())
    shell.process.stdin.flush()


def looked(box: Box) -> bool:
    """Tell whether the repository has been looked at: what came earlier is no change."""
    found = json.loads(box.run("sensors", "--json").stdout)["sessions"]
    return any(each["sensor"] == "git" for session in found for each in session["sensors"])


def test_the_transcript_in_the_readme_is_true(box: Box, shell: Reading) -> None:
    """An ellipsis stands for the rest of a line; lines in between may be left out."""
    for line in TRANSCRIPT:
        if line.startswith("$ "):
            if "git" in line:
                eventually(lambda: looked(box))
            type_in(shell, line.removeprefix("$ "))
            continue
        expected = re.compile(".*".join(map(re.escape, line.split("…"))))
        while not expected.fullmatch(shell.out.line()):
            pass


def test_the_transcript_is_short() -> None:
    assert 4 <= len(TRANSCRIPT) <= 8
