"""What can be done to a town: each a function of the town, and undone or outlived by itself."""

import contextlib
import resource
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from benchmarks.process import Process
from benchmarks.town import Town

Fault = Callable[[Town], None]
Kinds = dict[str, tuple[Fault, int]]
"""Faults by name, and how often each is done in proportion."""
FEW_FILES = 4
"""So many descriptors more than it has a process may open while there are few."""
FEW_S = 5.0
RENEWED_S = 60.0
"""After a log-out who can't be rung looks for itself within so long."""


def kill_a_reader(town: Town) -> None:
    """SIGKILL to any reader."""
    _any(town).send(signal.SIGKILL)


def end_a_reader(town: Town) -> None:
    """SIGTERM to any reader."""
    _any(town).send(signal.SIGTERM)


def kill_the_host(town: Town) -> None:
    """SIGKILL to whoever is the host."""
    host = town.host()
    if host is not None:
        host.send(signal.SIGKILL)


def end_the_host(town: Town) -> None:
    """SIGTERM to whoever is the host."""
    host = town.host()
    if host is not None:
        host.send(signal.SIGTERM)


def stop_a_reader(town: Town) -> None:
    """SIGSTOP to any reader, for up to 20 s: longer than a lease."""
    _any(town).stop(town.dice.uniform(0.1, 20.0))


def stop_the_host(town: Town) -> None:
    """SIGSTOP to whoever is the host, for up to 20 s."""
    host = town.host()
    if host is not None:
        host.stop(town.dice.uniform(0.1, 20.0))


def log_out(town: Town) -> None:
    """Remove the folder of bells and locks, as a log-out does."""
    shutil.rmtree(town.runtime, ignore_errors=True)
    town.disturb(RENEWED_S)


def few_files(town: Town) -> None:
    """Let whoever is the host open hardly any file for a while."""
    host = town.host()
    if host is None:
        return
    host.disturb(FEW_S)
    with contextlib.suppress(OSError):
        pid = host.process.pid
        there = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (there + FEW_FILES, before[1]))
        town.live(FEW_S)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def upgrade(town: Town) -> None:
    """Install a release in place of the one that runs; everybody becomes it by and by."""
    number = town.tally.done["upgrade"] + 1
    town.installed.release(f"0.{number}")
    town.disturb(RENEWED_S)


def break_release(town: Town) -> None:
    """Install a release that does not start, and after a while one that does."""
    town.installed.replace("hot/mail.py", "import posix", "import no_such_posix")
    town.live(FEW_S)
    town.installed.replace("hot/mail.py", "import no_such_posix", "import posix")
    upgrade(town)


def fill_the_disk(town: Town) -> None:
    """Leave no room where the store is, for a while; needs a small disk of its own."""
    town.disturb(FEW_S)
    filler = town.home.path / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * 65536):
            pass
    for _ in range(10):
        town.write()
        town.live(FEW_S / 10)
    filler.unlink()


def _any(town: Town) -> Process:
    return town.dice.choice(list(town.readers.values()))


USUAL: Kinds = {
    "kill a reader": (kill_a_reader, 4),
    "end a reader": (end_a_reader, 2),
    "kill the host": (kill_the_host, 3),
    "end the host": (end_the_host, 1),
    "stop a reader": (stop_a_reader, 3),
    "stop the host": (stop_the_host, 1),
    "log out": (log_out, 1),
    "few files": (few_files, 1),
    "upgrade": (upgrade, 1),
}
"""What is done at random."""


def one(town: Town, faults: Kinds) -> None:
    """Do one of some faults, at random."""
    (name,) = town.dice.choices(list(faults), [weight for _, weight in faults.values()])
    faults[name][0](town)
    town.tally.done[name] += 1
