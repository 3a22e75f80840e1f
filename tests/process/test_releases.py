"""Host and readers of neighbouring releases work together, whichever came first."""

import signal
import subprocess

import pytest

from tests.process.box import DEADLINE_S, ROOT, Box, eventually
from tests.process.installing import Installed
from tests.process.test_host import host, taught

BACK = 20
"""So many commits ago stands for the previous release where none has been tagged."""


def git(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, timeout=DEADLINE_S, check=False
    )


@pytest.fixture
def earlier(box: Box) -> Installed:
    """An installation of the previous release, out of this repository's history."""
    tag = git("describe", "--tags", "--abbrev=0", "HEAD~1").stdout.decode().strip()
    archive = git("archive", tag or f"HEAD~{BACK}")
    if archive.returncode:
        pytest.skip(f"no earlier build to try: {archive.stderr.decode().strip()}")
    source = box.home / "source"
    source.mkdir()
    subprocess.run(["tar", "x", "-C", str(source)], input=archive.stdout, check=True)
    return Installed(box.home / "earlier", source)


@pytest.fixture(params=["the earlier hosts", "the later hosts"])
def pair(
    box: Box, earlier: Installed, request: pytest.FixtureRequest
) -> tuple[Installed, Installed]:
    """Two installations: that of the host, that of the other reader."""
    both = (earlier, Installed(box.home / "later"))
    return both if request.param == "the earlier hosts" else (both[1], both[0])


def send(box: Box, sender: Installed, to: str, text: str) -> None:
    words = [str(sender.attend), "send", "--as=post", f"--to={to}", text]
    done = subprocess.run(
        words, cwd=box.home, env=box.env, capture_output=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_a_host_and_a_reader_of_two_releases_tell_and_write_to_each_other(
    box: Box, pair: tuple[Installed, Installed]
) -> None:
    box.open_gates()
    project = box.repository()
    first = box.start(pair[0].run("--as=one"), project)
    taught(first)
    second = box.start(pair[1].run("--as=two"), project)
    taught(second)
    box.looked(2)

    box.git(project, "switch", "-q", "-c", "feat/x")
    for reading in (first, second):
        reading.out.until("branch changed: main → feat/x")
    for installed in pair:
        for name in ("one", "two"):
            send(box, installed, name, f"to {name}")
    for name, reading in (("one", first), ("two", second)):
        assert sum(f"to {name}" in line for line in reading.out.until(f"to {name}")) == 1
        reading.out.until(f"to {name}")

    first.kill()
    eventually(lambda: host(box)[:1] == [str(second.process.pid)])
    box.git(project, "switch", "-q", "main")
    second.out.until("branch changed: feat/x → main")
    again = box.start(pair[0].run("--as=one"), project)
    send(box, pair[0], "one", "once more")
    assert not any("to one" in line for line in again.out.until("once more"))
    for reading in (second, again):
        assert reading.kill(signal.SIGTERM) == 0


def test_what_an_earlier_release_left_behind_is_no_hindrance(
    box: Box, earlier: Installed
) -> None:
    """Neither its store, nor its locks, nor its checkpoints."""
    box.open_gates()
    project = box.repository()
    reading = box.start(earlier.run("--as=one"), project)
    taught(reading)
    box.looked()
    reading.kill()
    send(box, earlier, "one", "meanwhile")

    earlier.put(ROOT)
    again = box.start(earlier.run("--as=one"), project)

    again.out.until("meanwhile")
    taught(again)
    assert again.kill(signal.SIGTERM) == 0
