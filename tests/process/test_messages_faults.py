"""Bursts, deaths and pauses: each message is shown once, or announced and there to be fetched."""

import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from attendd.hot import db, letter, mail, moment, seal
from tests.process.box import DEADLINE_S, HOT, Box, eventually
from tests.process.posting import Office
from tests.process.talking import id_in, listen, send, settled

SENDERS = 200
KILLS = 4
STRACE = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=write"]
STRACE += ["-e", "inject=write:signal=KILL:when=2"]  # a reader's first write is its banner


def killed_before_its_first_line(box: Box, office: Office, web: Path) -> None:
    """Run a reader that has claimed what waits, and dies at the write."""
    seal.make()  # as the first reader did, which is a write as well
    done = subprocess.run(
        [*STRACE, sys.executable, "-I", "-S", str(HOT), "run", "--as=carol", "--host-after=-1"],
        cwd=web,
        env=box.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=3 * DEADLINE_S,
        check=False,
    )
    assert done.stdout == b""
    lapse(office, "as:carol")


def lapse(office: Office, box: str) -> None:
    """Let the time of all claims on a mailbox run out."""
    office.alter(
        "UPDATE delivery SET lease_bt = 0 WHERE state = 'claimed' AND session = ?", box
    )


def announced(lines: list[str]) -> int:
    """Count the messages that digests told of."""
    parts = [line.partition(" messages wait")[0] for line in lines if "messages wait" in line]
    return sum(int(part.split()[-1]) for part in parts)


def shown(lines: list[str]) -> list[tuple[str, bool]]:
    """Return the ids of the texts that were shown, and whether each was marked."""
    return [(letter.id_of(line), "] (again) " in line) for line in lines if letter.id_of(line)]


def all_told(office: Office, box: str) -> bool:
    sql = """SELECT 1 FROM delivery WHERE session = ? AND message IS NOT NULL
        AND state NOT IN ('offered', 'announced')"""
    return not db.read(office.db, sql, (box,))


@pytest.mark.timeout(180)
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_burst_loses_nothing_while_a_reader_is_killed_again_and_again(
    box: Box, office: Office, web: Path
) -> None:
    readers = {name: listen(box, office, web, name) for name in ("alice", "bob")}
    office.enrol("as:carol", web)

    def one(number: int) -> str:
        return id_in(send(box, web, f"text {number}", name=f"s{number}"))

    with ThreadPoolExecutor(8) as pool:
        sending = [pool.submit(one, number) for number in range(SENDERS)]
        for _ in range(KILLS):
            eventually(lambda: not all_told(office, "as:carol"))
            killed_before_its_first_line(box, office, web)
        sent = {each.result() for each in sending}
    readers["carol"] = listen(box, office, web, "carol")

    assert len(sent) == SENDERS
    for name, reading in readers.items():
        eventually(lambda name=name: all_told(office, f"as:{name}"))  # type: ignore[misc]
        reading.kill(signal.SIGTERM)
        lines = reading.out.end()
        texts = shown(lines)
        again = {message for message, marked in texts if marked}
        assert len(texts) == len(set(texts))
        assert {message for message, _ in texts} <= sent
        if name != "carol":
            assert again == set()
            assert announced(lines) + len(texts) == SENDERS
    bodies = db.read(office.db, "SELECT id, body FROM message")
    assert {row[0] for row in bodies} == sent
    assert {row[1] for row in bodies} == {f"text {number}" for number in range(SENDERS)}


def test_a_reader_stopped_beyond_its_lease_shows_nothing_twice(
    box: Box, office: Office, web: Path
) -> None:
    """What it had not claimed yet goes to whoever asks, here somebody like a hook."""
    alice = listen(box, office, web)
    alice.process.send_signal(signal.SIGSTOP)
    sent = {id_in(send(box, web, "--to", "alice", f"text {at}")) for at in range(6)}
    taken = {each.id for each in office.show("as:alice", "prompt", limit=3)}

    alice.process.send_signal(signal.SIGCONT)

    eventually(lambda: all_told(office, "as:alice"))
    alice.kill(signal.SIGTERM)
    texts = shown(alice.out.end())
    assert {message for message, _ in texts} == sent - taken
    assert not any(marked for _, marked in texts)


def test_a_claim_that_ran_out_before_the_write_is_not_written(
    box: Box, office: Office, web: Path
) -> None:
    """The reader is stopped at its write; another shows it meanwhile, marked."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    office.enrol("as:carol", web)
    sent = id_in(send(box, web, "--to", "carol", "slow"))
    killed_before_its_first_line(box, office, web)

    carol = listen(box, office, web, "carol")

    (line, *_) = carol.out.until("slow")
    assert shown([line]) == [(sent, True)]
    settled(office, "offered")


def test_a_message_in_doubt_twice_is_pointed_to(box: Box, office: Office, web: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    office.enrol("as:carol", web)
    sent = id_in(send(box, web, "--to", "carol", "doubtful"))
    for _ in range(3):
        killed_before_its_first_line(box, office, web)

    carol = listen(box, office, web, "carol")

    line = carol.out.line()
    assert f"#{sent} from bob" in line
    assert f"was perhaps not shown; attend inbox {sent}" in line
    settled(office, "announced")


def test_a_reader_looks_again_when_a_dead_ones_claim_has_run_out(
    box: Box, office: Office, web: Path
) -> None:
    """Nobody rings for that."""
    office.enrol("as:alice", web)
    send(box, web, "--to", "alice", "left behind")
    now = moment.now()
    taken = mail.take(office.db, mail.waiting(office.db, ["as:alice"], now), "a dead one", now)
    office.alter("UPDATE delivery SET lease_bt = lease_bt - 14 WHERE state = 'claimed'")
    assert len(taken) == 1

    alice = listen(box, office, web)

    assert "] (again) message from bob" in alice.out.line(5.0)


def test_a_bell_that_is_gone_is_no_reason_to_say_that_somebody_listens(
    box: Box, office: Office, web: Path
) -> None:
    alice = listen(box, office, web)
    ((bell,),) = db.read(office.db, "SELECT bell FROM attachment")
    Path(bell).unlink()
    Path(bell).with_suffix(".post").unlink()

    said = send(box, web, "--to", "alice", "hello")

    assert alice.process.poll() is None
    assert "nobody is listening there now" in said


def test_who_becomes_the_host_is_listening_all_the_while(
    box: Box, office: Office, web: Path
) -> None:
    """Its bell is there, and for a second nobody waits at it; what was sent is shown then."""
    alice = box.reader(web, "--as=alice", "--host-after=0.2")
    sql = "SELECT 1 FROM attachment WHERE session = 'as:alice'"
    eventually(lambda: bool(db.read(office.db, sql)))
    said: list[str] = []
    while not (box.state / "host.lock").exists() or not said[8:]:
        said.append(send(box, web, "--to", "alice", f"number {len(said)}"))

    assert {each.split(" ")[0] for each in said} == {"sent"}
    eventually(lambda: all_told(office, "as:alice"))
    assert alice.process.poll() is None
