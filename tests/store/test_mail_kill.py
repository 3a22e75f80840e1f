"""Whatever system call a sender or a reader dies at: nothing accepted is lost or said thrice."""

import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from attendd.hot import conduit, moment, outside, seal
from attendd.hot import db as hot
from tests.process.reading import eventually
from tests.store import child_mail, given, killing, mailing

pytestmark = pytest.mark.timeout(900)

MAIN = Path(hot.__file__).with_name("main.py")


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduit, "APART_S", 0.0)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a home in which two messages wait for s1."""
    home = tmp_path_factory.mktemp("ready")
    home.chmod(0o700)
    (home / "state").mkdir(0o700)
    with given.opened(home / "state" / "attend.db") as db:
        given.enrol(db)
        given.enrol(db, "s2")
        given.attach(db)
        for text in (b"first", b"second"):
            mailing.send(db, "s2", "--to", "s1", body=text)
    return home


def store(home: Path) -> Path:
    return home / "state" / "attend.db"


def shown(home: Path) -> dict[str, list[str]]:
    """Return, for each message, how each showing of it was marked."""
    found: dict[str, list[str]] = {"first": [], "second": []}
    for line in (home / "shown").read_text().splitlines():
        if line.startswith("["):
            mark = "again" if "] (again) message" in line else "plain"
            mark = "pointer" if "was perhaps not shown" in line else mark
            key = line.split()[-1]
            found.setdefault(key, []).append(mark)
    return found


def test_a_reader_killed_at_any_call_loses_nothing_and_repeats_once_marked(
    ready: Path, tmp_path: Path
) -> None:
    def task(home: Path) -> list[str]:
        return given.command("mail.letters", store(home), str(home / "shown"))

    seen = set()
    for home, call in killing.each_call(task, lambda at: _copy(ready, at), tmp_path):
        with given.opened(store(home)) as db:
            db.execute("UPDATE delivery SET lease_bt = 0 WHERE state = 'claimed'")
        child_mail.letters(str(store(home)), str(home / "shown"))

        with given.opened(store(home)) as db:
            assert hot.read(db, "PRAGMA integrity_check") == [("ok",)], call
            assert {row[1] for row in mailing.fates(db)} == {"offered"}, call
        for marks in shown(home).values():
            assert marks in (["plain"], ["again"], ["plain", "again"]), call
            seen.add(tuple(marks))

    assert ("plain",) in seen


def test_a_reader_stopped_at_any_call_beyond_its_lease_leaves_it_to_the_next(
    ready: Path, tmp_path: Path
) -> None:
    """What it had claimed and not written another shows, marked; it asks before it writes."""

    def task(home: Path) -> list[str]:
        return given.command("mail.letters_unsure", store(home), str(home / "shown"))

    def prepare(home: Path) -> None:
        """Have somebody use the store already: putting its log in order takes nobody's time."""
        _copy(ready, home)
        users[home] = hot.connect(str(store(home)), patience_s=0.1)

    users: dict[Path, hot.Connection] = {}
    found = set()
    for home, call, go_on in killing.each_stop(task, prepare, tmp_path, sample=12):
        with suppress(hot.StoreError):
            hot.write(users[home], lambda db: db.execute("UPDATE delivery SET lease_bt = 0"))
            child_mail.letters(str(store(home)), str(home / "shown"), "0.1")
        _let_it_be_too_late()
        go_on()

        assert {row[1] for row in mailing.fates(users[home])} == {"offered"}, call
        users[home].close()
        for marks in shown(home).values():
            assert marks in (["plain"], ["again"], ["plain", "again"]), call
            found.add(tuple(marks))

    assert found & {("plain",), ("again",)}


@pytest.mark.parametrize("begun", [True, False], ids=["in a store", "in a store to be made"])
def test_a_sender_killed_at_any_call_has_sent_all_of_a_message_or_nothing(
    ready: Path, tmp_path: Path, *, begun: bool
) -> None:
    """And what it said was sent is there."""

    def prepare(home: Path) -> None:
        if begun:
            _copy(ready, home)
        else:
            home.mkdir(0o700)

    def task(home: Path) -> list[str]:
        script = f'cd / && ATTEND_HOME="$1" exec "$2" -I -S "$3" {words} >"$1/out"'
        return ["sh", "-c", script, "sh", str(home), sys.executable, str(MAIN)]

    words = "send --as bob --to s1 third" if begun else "send --as bob --to @user third"
    for home, call in killing.each_call(task, prepare, tmp_path):
        out = home / "out"
        said = out.read_text() if out.exists() else ""
        store(home).parent.mkdir(0o700, exist_ok=True)
        with given.opened(store(home)) as db:
            there = hot.read(
                db,
                """SELECT message.id, count(delivery.id) FROM message LEFT JOIN delivery
                    ON delivery.message = message.id WHERE body = 'third' GROUP BY 1""",
            )
            assert hot.read(db, "PRAGMA integrity_check") == [("ok",)], call

        assert there == [] or there[0][1] == 1, call
        assert said == "" or there[0][0] in said, call


def test_a_reader_killed_at_any_call_of_taking_a_message_in_takes_it_once(
    ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was left outside a sandbox: it is in the store or in its file, and once."""
    draft = child_mail.draft_of("as:bob", "third")
    draft.said = moment.now()
    monkeypatch.setenv("ATTEND_HOME", str(ready))
    seal.make()
    data = seal.sealed(outside.packed(draft))

    def prepare(home: Path) -> None:
        _copy(ready, home)
        (home / "left").write_bytes(data)

    def task(home: Path) -> list[str]:
        taking = given.command("mail.take_in", home / "left")
        return ["env", f"ATTEND_HOME={home}", *taking]

    for home, call in killing.each_call(task, prepare, tmp_path, sample=12):
        monkeypatch.setenv("ATTEND_HOME", str(home))
        child_mail.take_in(str(home / "left"))

        assert not (home / "left").exists(), call
        with given.opened(store(home)) as db:
            sql = "SELECT message.id FROM message JOIN delivery ON message = message.id"
            assert hot.read(db, f"{sql} WHERE body = 'third'") == [(draft.id,)], call
            assert hot.read(db, "PRAGMA integrity_check") == [("ok",)], call


def test_messages_wait_in_the_order_in_which_they_were_accepted(path: Path) -> None:
    """Sixteen writers at full speed: each one's messages are all there, in its order."""
    with given.opened(path) as db:
        given.enrol(db)
        given.attach(db)

    said = given.together(16, "mail.say_often", path, "12")

    acknowledged = [line.split() for out in said for line in out.splitlines()]
    with given.opened(path) as db:
        kept = hot.read(
            db,
            """SELECT message.id, message.body, message.author, message.seq FROM delivery
                JOIN message ON message.id = delivery.message ORDER BY delivery.id""",
        )
        assert hot.read(db, "PRAGMA integrity_check") == [("ok",)]
    assert sorted(acknowledged) == sorted([row[0], row[1]] for row in kept)
    for writer in range(16):
        own = [row for row in kept if row[2] == f"as:sender-{writer}"]
        assert [row[1] for row in own] == [f"{writer}.{at}" for at in range(12)]
        assert [row[3] for row in own] == list(range(1, 13))


def _let_it_be_too_late() -> None:
    until = time.monotonic() + child_mail.SURE_S
    eventually(lambda: time.monotonic() > until)


def _copy(ready: Path, home: Path) -> None:
    shutil.copytree(ready, home)
