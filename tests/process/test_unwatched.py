"""Where paths can't be watched, a host looks by itself, and soon enough."""

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from attendd.api import Focus, Observation, SensorConfig, SensorType
from attendd.host.sensings import FIRST_S
from attendd.watch import Watcher
from attendd.watchplan import There, there
from tests.fakes_clock import SimClock
from tests.hosting import hosting, show_up

DEADLINE_S = 20
LIMIT = "echo 0 >/proc/sys/user/max_inotify_instances"


class Resting:
    """Keeps when it looked, until it has done so some times in a row without a long rest.

    The clock goes on while threads are at work, so it can't be said to the second.
    """

    def __init__(self, times: int) -> None:
        self.often = asyncio.Event()
        self._times = times
        self._looks: list[float] = []

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Look at the clock."""
        self._looks.append(focus.now)
        lately = self._looks[-self._times :]
        pauses = [b - a for a, b in itertools.pairwise(lately)]
        if len(lately) == self._times and max(pauses) <= FIRST_S / 2:
            self.often.set()
        return []


async def idle(home: Path) -> None:
    """Be the host of an idle session until a sensor of its that rests looks often."""
    show_up(home, "me")
    clock, sensor = SimClock(), Resting(5)
    kind = SensorType("resting", "looks", SensorConfig, lambda _: sensor, rests=True)
    async with hosting(home, kind, clock=clock, wait=clock.wait, client=True):
        await asyncio.wait_for(sensor.often.wait(), DEADLINE_S / 2)


def test_who_rests_in_an_idle_session_looks_every_minute(tmp_path: Path) -> None:
    """The limit is a namespace's own, so nothing of this machine is changed."""
    unshared = ["unshare", "-U", "-r", "sh", "-c"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*unshared, LIMIT], check=False).returncode
    ):
        pytest.skip("no namespace of users can be had here")
    script = f'{LIMIT} && exec "$@"'
    words = [sys.executable, "-m", "tests.process.test_unwatched", str(tmp_path)]
    env = {**os.environ, "ATTEND_HOME": str(tmp_path / "attend"), "HOME": str(tmp_path)}

    done = subprocess.run(
        [*unshared, script, "sh", *words],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE_S,
    )

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.asyncio
async def test_a_path_whose_disk_is_silent_keeps_no_other_from_being_watched(
    tmp_path: Path,
) -> None:
    answers, heard = threading.Event(), asyncio.Event()

    def look(name: str) -> There:
        if name == "/gone/p":
            assert answers.wait(DEADLINE_S)
        return there(name)

    watcher = Watcher(look)
    watcher.set_paths([tmp_path, Path("/gone/p")])
    watching = asyncio.create_task(watcher.run(lambda _paths: heard.set()))
    try:
        await asyncio.wait_for(watcher.settled(), DEADLINE_S / 2)
        (tmp_path / "index").write_text("x")
        await asyncio.wait_for(heard.wait(), DEADLINE_S / 2)
    finally:
        answers.set()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(idle(Path(sys.argv[1])))
