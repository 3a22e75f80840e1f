"""A home that takes no state: it is kept elsewhere, and a person is told so with a hint."""

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import Any

import pytest

from attendd.hot import places
from tests.process.box import DEADLINE_S, HOT, Box, Reading, eventually

pytestmark = pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare(1)")

INSIDE = ["unshare", "-Urm", "sh", "-c", f'mount --bind "$0" {places.VAR_TMP} && exec "$@"']
"""Has a folder of the test stand where states move to, for the command that follows it."""


class Home:
    """A home in which nothing can be made below ``.local/state``."""

    def __init__(self, box: Box, name: str) -> None:
        self.box = box
        self.name = name
        self.path = box.home / name
        (self.path / ".local").mkdir(parents=True)
        (self.path / ".local" / "state").write_text("in the way")
        self.env = {"HOME": str(self.path), "ATTEND_HOME": "", "XDG_RUNTIME_DIR": ""}
        self.shared = box.home / "var-tmp"
        self.shared.mkdir(exist_ok=True)
        usual = f"{self.path}/.local/state/attend"
        self.state = f"{places.VAR_TMP}/attend-0/{places.digest(usual)}"
        self.said = (
            f"the state is kept in {self.state}: {usual} cannot be looked at: Not a directory"
        )

    def inside(self, *words: str) -> list[str]:
        """Write a command that runs another one where this test's folder is."""
        return [*INSIDE, str(self.shared), sys.executable, *words]

    def reader(self) -> Reading:
        """Start `attend run`."""
        words = self.inside("-I", "-S", str(HOT), "run", f"--as={self.name}")
        return self.box.start(words, self.path, self.env)

    def attended(self) -> bool:
        """Tell whether `attend status` knows of a session."""
        return bool(self.status()["sessions"])

    def status(self) -> dict[str, Any]:
        """Return what `attend status --json` prints."""
        done = subprocess.run(
            self.inside("-P", "-m", "attendd", "status", "--json"),
            env=self.box.env | self.env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        known: dict[str, Any] = json.loads(done.stdout)
        return known


@pytest.fixture
def homes(box: Box) -> list[Home]:
    found = [Home(box, name) for name in ("one", "two")]
    probe = [*INSIDE, str(found[0].shared), "true"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    return found


def test_two_homes_whose_state_moved_have_nothing_in_common(homes: list[Home]) -> None:
    readings = [home.reader() for home in homes]
    for home, reading in zip(homes, readings, strict=True):
        assert "listening for" in reading.err.line()
        assert reading.err.until("the state is kept in")[-1] == f"attend: {home.said}"
        assert reading.err.line() == f"  hint: {places.MOVE}"

    for home in homes:
        eventually(home.attended)
        known = home.status()
        assert [each["session"] for each in known["sessions"]] == [f"as:{home.name}"]
        assert known["state"]["folder"] == home.state
        assert f"{home.said}; {places.MOVE}" in known["problems"]
    for reading in readings:
        os.kill(reading.process.pid, signal.SIGTERM)
        reading.process.wait(DEADLINE_S)
        assert "the state is kept in" not in "\n".join(reading.err.end())
