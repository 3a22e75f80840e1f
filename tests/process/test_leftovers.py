"""What killed readers, hosts and senders leave behind goes, and nothing of those who live."""

import json
import os
import time
from pathlib import Path

import pytest

from attendd import leftovers
from attendd.hot import db, letter, locks, places, process, seal
from tests.process.box import Box, Reading, eventually
from tests.process.plugging import Plugged
from tests.process.posting import Office
from tests.process.talking import id_in, listen, send
from tests.process.test_messages_past import SWEEPS_AT_ONCE

HOSTS = {"control.sock", "host.bell", "host.post"}
LONG_AGO = (time.time() - 700, time.time() - 700)


@pytest.fixture
def runtime(office: Office) -> Path:
    """Name the folder of sockets and locks in the home that the office is in."""
    assert office.path
    return Path(places.runtime_dir())


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def attached(office: Office) -> int:
    sql = "SELECT count(*) FROM attachment WHERE ended_at IS NULL"
    return int(db.read(office.db, sql)[0][0])


def leave(path: Path, *, old: bool = True) -> Path:
    """Have a file there that only its user may read, made long ago or just now."""
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    path.touch(0o600)
    if old:
        os.utime(path, LONG_AGO)
    return path


def kill_some(box: Box, office: Office, web: Path) -> None:
    """Kill a host, a reader under a name, and one of a client."""
    host = box.reader(web, "--as=host")
    eventually((Path(places.runtime_dir()) / "control.sock").exists)
    declared = listen(box, office, web, "bob")
    client = box.client(web)
    client.monitor()
    eventually(lambda: attached(office) == 3)
    (monitor,) = db.read(
        office.db, "SELECT reader_pid FROM attachment WHERE conduit = 'monitor'"
    )
    for pid in (host.process.pid, declared.process.pid, monitor[0]):
        os.kill(pid, 9)
    eventually(lambda: process.start_time(monitor[0]) is None)
    for reading in (host, declared):
        assert reading.process.wait() == -9


def test_after_cleanup_the_runtime_folder_has_only_what_somebody_uses(
    box: Box, office: Office, web: Path, runtime: Path
) -> None:
    before = names(runtime)
    kill_some(box, office, web)
    dead = names(runtime) - before
    listen(box, office, web)
    live = names(runtime) - before - dead
    leave(runtime / "said-22222222")
    leave(runtime / "display" / "m-1")
    kept = leave(runtime / "said-33333333", old=False)

    planned = json.loads(box.run("cleanup", "--dry-run", "--json").stdout)["files"]
    done = json.loads(box.run("cleanup", "--json").stdout)["files"]

    assert len([name for name in dead if name.endswith(".post")]) == 4
    assert dead > HOSTS
    assert len(live) == 3  # a bell, a FIFO and a lock
    assert planned == done
    assert names(runtime) == before | live | {kept.name, "display"}
    assert names(runtime / "display") == set()
    send(box, web, "--to", "alice", "still here")
    assert box.run("cleanup", "--json").stdout.count("run/") == 0


def test_a_host_clears_away_by_itself(
    box: Box, office: Office, web: Path, runtime: Path
) -> None:
    before = names(runtime)
    kill_some(box, office, web)
    dead = names(runtime) - before - HOSTS

    Plugged(box, {"sweeping": SWEEPS_AT_ONCE}).reader(web, "--as=alice")

    eventually(lambda: not dead & names(runtime))
    eventually(lambda: names(runtime) > HOSTS)
    said = send(box, web, "--to", "alice", "are you there?")
    assert said.startswith(f"sent #{id_in(said)}")


def test_a_host_that_lives_keeps_its_door_and_its_bell(
    box: Box, office: Office, web: Path, runtime: Path
) -> None:
    box.reader(web, "--as=alice")
    eventually(lambda: names(runtime) > HOSTS)
    lock = f"{places.state_dir()}/host.lock"

    assert leftovers.in_runtime(str(runtime), lock) == []
    assert not leftovers.remove(str(runtime / "control.sock"), lock)
    assert not leftovers.remove(str(runtime / "host.bell"), lock)


def test_readers_that_start_while_it_is_cleared_away_are_heard(
    box: Box, office: Office, web: Path, runtime: Path
) -> None:
    """Under the names of those that were killed, so that their locks are at stake."""
    lock = f"{places.state_dir()}/host.lock"
    for turn in range(3):
        listen(box, office, web, f"n{turn}").kill(9)
    office.alter("DELETE FROM attachment")
    readings = [box.reader(web, f"--as=n{turn}", "--host-after=-1") for turn in range(3)]

    def clear() -> bool:
        for path in leftovers.in_runtime(str(runtime), lock):
            leftovers.remove(path, lock)
        return attached(office) == 3

    eventually(clear)
    assert all(_is_shown(box, web, n, reading) for n, reading in enumerate(readings))
    assert len([path for path in runtime.glob("reader-*") if locks.claimed(str(path))]) == 3


def _is_shown(box: Box, web: Path, number: int, reading: Reading) -> bool:
    said = send(box, web, "--to", f"n{number}", "hello")
    return letter.id_of(reading.out.until("hello")[-1]) == id_in(said)


def test_what_senders_and_readers_did_not_write_to_its_end_goes(
    box: Box, office: Office, web: Path
) -> None:
    office.enrol("as:alice", web)
    spool = Path(places.spools(str(web))[2])
    half = leave(spool / "000000000000001-k3f9q2xm.new")
    young = leave(spool / "000000000000002-k3f9q2xm.new", old=False)
    others = leave(spool / "000000000000003-k3f9q2xm.new")
    others.chmod(0o644)
    sealed = leave(spool / "000000000000004-k3f9q2xm.left")
    ignoring = leave(spool / ".gitignore")
    key = leave(Path(f"{seal.key_path()}.123-abcdef00"))

    done = json.loads(box.run("cleanup", "--json").stdout)["files"]

    assert done == [str(half), str(key)]
    assert names(spool) == {path.name for path in (young, others, sealed, ignoring)}
