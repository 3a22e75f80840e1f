"""One id from what a sensor saw to the line that was shown, and nothing private in the log."""

import signal
import sqlite3
from contextlib import closing
from typing import Any

from tests.process.box import Box, eventually
from tests.process.hooking import Hooks, rows, send
from tests.process.plugging import Plugged, sensor
from tests.process.test_host import host, taught

FAILING = """
    def poll(self, focus):
        raise RuntimeError("it fails")
"""


def entries(box: Box, **wanted: str) -> list[dict[str, Any]]:
    """Return the entries of the journal that have these values, oldest first."""
    with closing(sqlite3.connect(f"file:{box.state}/journal.db?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        found = [dict(row) for row in db.execute("SELECT * FROM entry ORDER BY id")]
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def test_one_id_leads_from_the_observation_to_the_line_and_back(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    reading = box.reader(project, "--as=me")
    taught(reading)
    box.looked()

    (project / "new").write_text("new")
    box.git(project, "add", "new")
    box.journalled("low", "1 file newly changed")
    (low,) = entries(box, sensor="git", code="low")
    waits = box.run("why", low["correlation"]).stdout
    box.git(project, "switch", "-q", "-c", "feat/x")
    line = reading.out.until("branch changed: main → feat/x")[-1]
    eventually(lambda: len(entries(box, code="offered")) == 2)

    (fired,) = entries(box, code="fired", sensor="git")
    told = entries(box, correlation=fired["correlation"])
    assert [row["code"] for row in told] == ["observed", "fired", "offered"]
    assert {row["batch"] for row in told[1:]} == {fired["correlation"]}
    stored = "SELECT text FROM outbox WHERE correlation = ?"
    ((text,),) = rows(box, stored, fired["correlation"])
    assert line in text
    why = box.run("why", fired["correlation"]).stdout
    for said in (f"batch {fired['correlation']}", line, "it was shown (terminal, "):
        assert said in why
    assert f"git {low['correlation']}" in waits
    assert "not told to as:me" in waits
    assert (
        f"git {low['correlation']}: it went along" in box.run("why", low["correlation"]).stdout
    )
    assert f"batch {fired['correlation']}" in box.run("why", low["correlation"]).stdout


def test_what_a_hook_told_is_known_by_its_batch(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    daemon = box.daemon()
    eventually(lambda: host(box)[2:3] == ["daemon"])
    client = box.client(project)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.prompt("begin")
    hooks.prompt("begin")
    box.looked()
    box.git(project, "switch", "-q", "-c", "feat/x")
    eventually(lambda: rows(box, "SELECT 1 FROM outbox WHERE text LIKE '%feat/x%'") != [])

    assert "branch changed: main → feat/x" in hooks.prompt("and now")

    eventually(lambda: entries(box, code="fired", sensor="git") != [])
    ((batch,),) = rows(box, "SELECT correlation FROM outbox WHERE text LIKE '%feat/x%'")
    (fired,) = entries(box, code="fired", sensor="git")
    assert fired["batch"] == batch
    assert f"git {fired['correlation']}: it was told" in box.run("why", batch).stdout
    assert daemon.kill(signal.SIGTERM) == 0


LISTENS = """
from attendd.api import hookimpl

@hookimpl
def attend_emitted(session, observations):
    told = " and ".join(each.text for each in observations)
    print("heard", session, told, flush=True)
"""


def test_a_plugin_hears_what_a_reader_shows_and_what_a_hook_shows_each_once(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    daemon = box.daemon(interpreter=Plugged(box, {"listens": LISTENS}).python)
    eventually(lambda: host(box)[2:3] == ["daemon"])
    taught(box.reader(project, "--as=me"))
    client = box.client(project)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.prompt("begin")
    hooks.prompt("begin")
    box.looked(2)
    box.git(project, "switch", "-q", "-c", "feat/x")
    at_reader = "heard as:me branch changed: main → feat/x"
    before = daemon.err.until(at_reader)
    text = "SELECT 1 FROM outbox JOIN delivery ON outbox.id = batch WHERE text LIKE ?"
    eventually(
        lambda: rows(box, f"{text} AND delivery.session = ?", "%feat/x%", client.session) != []
    )
    assert not any(f"heard {client.session}" in line for line in before)

    assert "branch changed: main → feat/x" in hooks.prompt("and now")

    after = daemon.err.until(f"heard {client.session} branch changed: main → feat/x")
    assert daemon.kill(signal.SIGTERM) == 0
    said = [*before, *after, *daemon.err.end()]
    assert len([line for line in said if f"heard {client.session}" in line]) == 1
    assert len([line for line in said if at_reader in line]) == 1


def test_no_text_of_a_message_and_nothing_of_the_environment_is_in_the_log(box: Box) -> None:
    """A busy time: messages, failures, a change of host; all that is said about it is read."""
    box.open_gates()
    box.env["CANARY"] = "canary-of-the-environment"
    project = box.repository()
    plugged = Plugged(box, {"broken": sensor("broken", FAILING), "no": "raise OSError"})
    daemon = box.daemon(interpreter=plugged.python)
    eventually(lambda: host(box)[2:3] == ["daemon"])
    reading = plugged.reader(project, "--as=me")
    taught(reading)
    for number in range(3):
        send(box, "me", f"canary-of-a-message {number}")
    reading.out.until("canary-of-a-message 2")
    box.git(project, "switch", "-q", "-c", "feat/x")
    reading.out.until("branch changed: main → feat/x")

    assert daemon.kill(signal.SIGTERM) == 0
    eventually(lambda: host(box)[2:3] == ["embedded"])
    send(box, "me", "canary-of-a-message again")
    reading.out.until("canary-of-a-message again")
    assert reading.kill(signal.SIGTERM) == 0

    said = [*daemon.err.end(), *reading.err.end(), (box.state / "journal.db").read_bytes()]
    assert "a sensor began to fail" in str(said)
    assert "canary-of" not in str(said)
