"""attend is replaced while readers wait: they become what is installed, or stay what they are."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot import attach, bell, places
from tests.process.box import Box, Reading, eventually
from tests.process.installing import Installed
from tests.process.test_host import host, taught


@pytest.fixture
def installed(box: Box, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """An installation that soon counts as whole; the box's places are this process's as well."""
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])
    installed = Installed(box.home / "v")
    installed.replace("hot/upgrade.py", "SETTLE_S = 2.0", "SETTLE_S = 0.3")
    return installed


def ask(box: Box, sql: str) -> list[tuple[object, ...]]:
    """Ask the store something; nothing while it is only being made."""
    try:
        with closing(sqlite3.connect(f"file:{box.state}/attend.db?mode=ro", uri=True)) as db:
            return db.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []


def attached(box: Box) -> list[tuple[object, ...]]:
    """Return who reads: its process, and of which release it is."""
    return ask(box, "SELECT reader_pid, version FROM attachment WHERE ended_at IS NULL")


def start(box: Box, installed: Installed) -> Reading:
    """Start a reader that is never the host, and wait until it reads."""
    reading = box.start(installed.run("--as=me", "--host-after=-1"), box.home)
    eventually(lambda: attached(box) != [])
    return reading


def wake() -> None:
    """Have everybody who waits take a look, which they would take anyway, later."""
    bell.ring_all(places.runtime_dir())


def is_release(box: Box, reading: Reading, version: str) -> bool:
    """Tell whether a process reads as a release by now; it is woken to take a look."""
    wake()
    return any(
        pid == reading.process.pid and str(found).startswith(version)
        for pid, found in attached(box)
    )


def said(box: Box, *texts: str) -> None:
    """Send messages to the one reader."""
    for text in texts:
        assert box.hot("send", "--as=post", "--to=me", text).returncode == 0


def test_a_reader_becomes_the_release_that_was_installed_in_its_place(
    box: Box, installed: Installed
) -> None:
    reading = start(box, installed)
    said(box, "before")
    reading.out.until("before")

    installed.release("0.2.0")
    said(box, "while it was replaced")
    eventually(lambda: is_release(box, reading, "0.2.0"))
    said(box, "afterwards")

    shown = reading.out.until("afterwards")
    assert [line for line in shown if "(again)" in line] == []
    assert sum("while it was replaced" in line for line in shown) == 1
    assert len(ask(box, "SELECT id FROM attachment")) == 1
    (lock,) = Path(places.runtime_dir()).glob("reader-*.lock")
    assert lock.read_text().split()[0] == str(reading.process.pid)
    assert reading.kill(signal.SIGTERM) == 0
    assert list(Path(places.runtime_dir()).iterdir()) == []


def test_a_broken_release_is_told_once_and_the_old_one_goes_on(
    box: Box, installed: Installed
) -> None:
    reading = start(box, installed)

    installed.replace("hot/conduit.py", "import posix", "import no_such_posix")
    eventually(lambda: woken_says(box, "does not start"))
    wake()
    said(box, "still here")

    reading.out.until("still here")
    why = "ModuleNotFoundError: No module named 'no_such_posix'"
    line = f"attend: the attend that is installed now does not start ({why}); {attach.VERSION} goes on"
    assert reading.err.until("does not start")[-1] == line
    assert [said for said in reading.err.seen if "does not start" in said] == [line]
    installed.replace("hot/conduit.py", "import no_such_posix", "import posix")
    installed.release("0.2.0")
    eventually(lambda: is_release(box, reading, "0.2.0"))
    assert "does not start" not in box.run("status").stdout


def woken_says(box: Box, text: str) -> bool:
    """Tell whether `attend status` says something by now."""
    wake()
    return text in box.run("status").stdout


def test_a_reader_whose_interpreter_is_gone_reads_on_until_there_is_another(
    box: Box, installed: Installed
) -> None:
    reading = start(box, installed)
    away = installed.path.rename(box.home / "away")

    said(box, "with nothing there: žluťoučký 👩‍👩‍👧‍👦")
    reading.out.until("with nothing there")
    away.rename(installed.path)
    for each in (installed.path / "bin").glob("python*"):
        each.unlink()
        each.symlink_to("/nonexistent/python")
    installed.release("0.2.0")

    eventually(lambda: is_release(box, reading, "0.2.0"))
    said(box, "found again")
    reading.out.until("found again")
    assert reading.kill(signal.SIGTERM) == 0


def test_a_reader_that_finds_no_host_program_leaves_the_host_to_others(
    box: Box, installed: Installed
) -> None:
    """Its installation is incomplete from the start, so that nothing has changed since."""
    (installed.package / "step_up.py").unlink()
    reading = box.start(installed.run("--as=me"), box.home)
    assert "the host can't be started: No such file" in reading.err.until("can't be")[-1]

    daemon = box.daemon()

    eventually(lambda: host(box)[:1] == [str(daemon.process.pid)])
    said(box, "read all the same")
    reading.out.until("read all the same")
    assert reading.kill(signal.SIGTERM) == 0


def test_a_second_reader_that_stands_by_is_replaced_as_well(
    box: Box, installed: Installed
) -> None:
    first = start(box, installed)
    second = box.start(installed.run("--as=me", "--host-after=-1"), box.home)
    second.err.until("this one waits")

    installed.release("0.2.0")
    eventually(lambda: b"--quiet" in Path(f"/proc/{second.process.pid}/cmdline").read_bytes())

    first.kill()
    eventually(lambda: is_release(box, second, "0.2.0"))
    said(box, "to the second")
    second.out.until("to the second")


def hosting(box: Box, installed: Installed, *words: str) -> tuple[Path, Reading]:
    """Start a reader in a project of its own, and wait until it is the host there."""
    box.open_gates()
    project = box.repository()
    reading = box.start(installed.run("--as=me", *words), project)
    taught(reading)
    box.looked()
    return project, reading


def is_host(box: Box, kind: str, version: str = f"0.2.0+{attach.VERSION}") -> bool:
    """Tell whether the host is of a release by now; it is woken to take a look."""
    wake()
    return host(box)[2:] == [kind, version]


def test_the_host_in_a_reader_becomes_the_release_that_was_installed(
    box: Box, installed: Installed
) -> None:
    project, reading = hosting(box, installed)

    installed.release("0.2.0")
    eventually(lambda: is_host(box, "embedded"))
    box.git(project, "switch", "-q", "-c", "feat/x")
    reading.out.until("branch changed: main → feat/x")
    said(box, "afterwards")

    reading.out.until("afterwards")
    assert host(box)[0] == str(reading.process.pid)
    assert [line for line in reading.out.seen if "(again)" in line] == []
    assert sum("Text from other sessions" in line for line in reading.out.seen) <= 1
    assert reading.kill(signal.SIGTERM) == 0


def test_a_host_whose_new_release_is_broken_goes_on_and_reads_on_when_it_steps_back(
    box: Box, installed: Installed
) -> None:
    project, reading = hosting(box, installed)

    installed.replace("daemon.py", "import argparse", "import argsparse")
    installed.replace("hot/conduit.py", "import posix", "import no_such_posix")
    eventually(lambda: woken_says(box, "does not start"))
    box.git(project, "switch", "-q", "-c", "feat/x")
    reading.out.until("branch changed: main → feat/x")
    daemon = box.daemon()
    eventually(lambda: host(box)[2:3] == ["daemon"])
    said(box, "still here")
    reading.out.until("still here")
    assert daemon.kill(signal.SIGTERM) == 0
    said(box, "and again")
    reading.out.until("and again")
    assert reading.kill(signal.SIGTERM) == 0


def test_attendd_becomes_the_release_that_was_installed_and_keeps_the_lock(
    box: Box, installed: Installed
) -> None:
    daemon = box.daemon(interpreter=str(installed.python))
    eventually(lambda: host(box)[2:] == ["daemon", attach.VERSION])

    installed.release("0.2.0")

    eventually(lambda: is_host(box, "daemon"))
    assert host(box)[0] == str(daemon.process.pid)
    eventually(lambda: box.run("status", "--json").stdout.count('"daemon"') > 0)
    assert daemon.kill(signal.SIGTERM) == 0
