"""A reader by itself, with the test in the place of the host."""

import fcntl
import signal
import time
from pathlib import Path

import pytest

from attendd.hot import bell, db, ledger, process
from tests.process.box import Box, Reading, eventually
from tests.store import given

HEADER = "[attend sensor=test priority=high]"


class Sender:
    """Puts batches as the host would."""

    def __init__(self, box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("HOME", "ATTEND_HOME"):
            monkeypatch.setenv(name, box.env[name])
        self.store = db.connect()
        self._count = 0

    def attachment(self) -> tuple[str, str, str]:
        """Wait for the one that is attached; return its id, session and bell."""
        sql = "SELECT id, session, bell FROM attachment WHERE ended_at IS NULL"
        eventually(lambda: bool(db.read(self.store, sql)))
        found = db.read(self.store, sql)[0]
        return found[0], found[1], found[2]

    def put(self, text: str) -> int:
        """Commit one line and ring."""
        key, session, path = self.attachment()
        self._count += 1
        delivery = given.put_batch(
            self.store,
            attachment=key,
            session=session,
            lane="event",
            text=f"{HEADER} {text}\n",
            correlation=f"c{self._count}",
            wall=time.time(),
            boot=process.boot_id(),
            bt=time.clock_gettime(time.CLOCK_BOOTTIME),
        )
        bell.ring(path)
        return delivery

    def state(self, delivery: int) -> tuple[str, int]:
        """Return how a delivery fares: its state and its repeats."""
        sql = "SELECT state, repeats FROM delivery WHERE id = ?"
        found = db.read(self.store, sql, (delivery,))[0]
        return found[0], found[1]

    def lapse(self, delivery: int) -> None:
        """Let the lease of a claim run out."""
        db.write(
            self.store,
            lambda store: store.execute(
                "UPDATE delivery SET lease_bt = 0 WHERE id = ?", (delivery,)
            ),
        )


@pytest.fixture
def sender(box: Box, monkeypatch: pytest.MonkeyPatch) -> Sender:
    return Sender(box, monkeypatch)


def start(box: Box, *words: str) -> Reading:
    return box.reader(box.home, "--as=me", "--host-after=-1", *words)


def test_a_line_is_shown_once_and_recorded(box: Box, sender: Sender) -> None:
    reading = start(box)

    delivery = sender.put("built")

    assert reading.out.line() == f"{HEADER} built"
    eventually(lambda: sender.state(delivery) == ("offered", 0))
    assert reading.kill(signal.SIGTERM) == 0
    assert reading.out.end() == []


def test_an_output_that_takes_nothing_is_said_to_be_blocked_and_loses_nothing(
    box: Box, sender: Sender
) -> None:
    reading = start(box)
    sender.attachment()
    assert reading.process.stdout is not None
    fcntl.fcntl(reading.process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    for _ in range(6):  # more than it holds
        sender.put("x" * 2000)

    blocked = "SELECT 1 FROM attachment WHERE blocked_at IS NOT NULL"
    eventually(lambda: bool(db.read(sender.store, blocked)))
    lines = [reading.out.line() for _ in range(6)]

    assert {len(line) for line in lines} == {len(HEADER) + 1 + 2000}
    eventually(lambda: not db.read(sender.store, blocked))
    waiting = "SELECT count(*) FROM delivery WHERE state <> 'offered' OR repeats > 0"
    eventually(lambda: db.read(sender.store, waiting)[0][0] == 0)


def test_a_reader_whose_output_is_closed_ends_and_leaves_nothing(
    box: Box, sender: Sender
) -> None:
    reading = start(box)
    _, _, path = sender.attachment()
    assert reading.process.stdout is not None

    reading.process.stdout.close()

    assert reading.process.wait(20) == 0
    assert not Path(path).exists()
    assert db.read(sender.store, "SELECT end_reason FROM attachment") == [("output closed",)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_a_clean_end(box: Box, sender: Sender, number: int) -> None:
    reading = start(box)
    _, _, path = sender.attachment()

    assert reading.kill(number) == 0
    assert not Path(path).exists()
    assert db.read(sender.store, "SELECT end_reason FROM attachment") == [("signal",)]


def test_a_second_reader_of_one_session_stands_by_and_takes_over(
    box: Box, sender: Sender
) -> None:
    first = start(box)
    key, session, _ = sender.attachment()
    second = start(box)
    pid = first.process.pid
    assert second.err.line() == (
        f"attend: pid {pid} listens for {session} already; this one waits until that has ended"
    )
    assert second.err.line().startswith("  hint: ")
    sender.put("one")
    assert first.out.line() == f"{HEADER} one"

    first.kill()
    live = "SELECT id FROM attachment WHERE ended_at IS NULL AND id <> ?"
    eventually(lambda: bool(db.read(sender.store, live, (key,))))
    ledger.detach(sender.store, key, first.process.pid, "killed", time.time())
    sender.put("two")

    assert second.out.line() == f"{HEADER} two"
    assert "listening for" in second.err.line()


def test_a_repeat_after_a_death_between_write_and_record_is_marked(
    box: Box, sender: Sender
) -> None:
    """Nobody can know whether the dead one had written it."""
    reading = start(box)
    key, session, _ = sender.attachment()
    reading.process.send_signal(signal.SIGSTOP)
    delivery = sender.put("perhaps seen")
    other = db.connect()
    claimed = ledger.claim(
        other, key, session, process.boot_id(), time.clock_gettime(time.CLOCK_BOOTTIME)
    )
    assert [row[0] for row in claimed] == [delivery]
    sender.lapse(delivery)

    reading.process.send_signal(signal.SIGCONT)
    sender.put("sure")

    assert reading.out.line() == f"{HEADER} (again) perhaps seen"
    assert reading.out.line() == f"{HEADER} sure"


def test_bad_words_are_refused_with_a_hint(box: Box) -> None:
    done = box.hot("run", "--broadcast")

    assert done.returncode == 2
    assert done.stderr == (
        "attend: unknown option --broadcast\n  hint: `attend run --help` says what it takes\n"
    )


def test_a_name_that_is_none_is_refused(box: Box) -> None:
    done = box.hot("run", "--as=../x")

    assert done.returncode == 4
    assert "can't be a name" in done.stderr


def test_a_store_that_takes_nothing_is_said_once_and_tried_again(box: Box) -> None:
    state = Path(box.env["ATTEND_HOME"]) / "state"
    state.mkdir(parents=True)
    (state / "attend.db").mkdir()
    reading = start(box)

    line = reading.out.line()

    assert line.startswith("[attend sensor=attend priority=medium] ")
    assert "attend.db" in line
    assert reading.kill(signal.SIGTERM) == 0
    assert reading.out.end() == []


def test_a_reader_is_small(box: Box, sender: Sender) -> None:
    reading = start(box)
    sender.put("x")
    reading.out.line()

    status = Path(f"/proc/{reading.process.pid}/status").read_text()
    rss_kb = int(status.partition("VmRSS:")[2].split()[0])
    assert rss_kb <= 12 * 1024


def test_a_deleted_directory_does_not_end_a_reader(box: Box, sender: Sender) -> None:
    folder = box.home / "gone"
    folder.mkdir()
    reading = box.reader(folder, "--as=me", "--host-after=-1")
    sender.attachment()
    folder.rmdir()

    sender.put("still here")

    assert reading.out.line() == f"{HEADER} still here"
