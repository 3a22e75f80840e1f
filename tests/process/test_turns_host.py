"""What happens around a session reaches it through hooks, where a host runs."""

import json
import signal
from contextlib import closing
from pathlib import Path

import pytest

from attendd.hot import db, ledger, moment
from tests.process.box import Box, Client, eventually
from tests.process.hooking import Hooks, hosting, rows, send

READY = "SELECT text FROM delivery JOIN outbox ON outbox.id = batch WHERE state = 'stored'"
MAIN_TO_X = "[attend sensor=git priority=medium] branch changed: main → feat/x"
X_TO_MAIN = "[attend sensor=git priority=medium] branch changed: feat/x → main"

MAIN_TO_X_HIGH, X_TO_MAIN_HIGH = (
    text.replace("medium", "high") for text in (MAIN_TO_X, X_TO_MAIN)
)
"""Together they weigh more."""


@pytest.fixture
def project(box: Box) -> Path:
    return box.repository()


@pytest.fixture
def client(box: Box, project: Path) -> Client:
    """A client that has had its first prompt, with a host that knows it."""
    hosting(box)
    client = box.client(project)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.prompt("begin")
    assert hooks.prompt("begin") == ""
    client.answer()
    client.record("idle")
    box.looked()
    return client


def ready(box: Box, text: str) -> None:
    """Wait until a text lies ready for a hook."""
    eventually(lambda: any(text in row[0] for row in rows(box, READY)))


def test_what_others_did_meanwhile_comes_with_the_next_prompt(
    box: Box, project: Path, client: Client
) -> None:
    hooks = Hooks(box, client=client)
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")

    assert hooks.prompt() == MAIN_TO_X
    assert "1 note on what happened around it" in hooks.last
    assert hooks.stop() == ""


def test_what_is_newer_joins_what_lies_ready(box: Box, project: Path, client: Client) -> None:
    hooks = Hooks(box, client=client)
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")
    box.git(project, "switch", "-q", "main")
    ready(box, "feat/x → main")

    assert hooks.prompt().split("\n") == [MAIN_TO_X_HIGH, X_TO_MAIN_HIGH]
    assert rows(box, "SELECT state FROM delivery WHERE batch IS NOT NULL") == [("offered",)]


def test_what_happened_puts_a_turns_end_off_once(
    box: Box, project: Path, client: Client
) -> None:
    hooks = Hooks(box, client=client)
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")
    assert hooks.stop() == MAIN_TO_X
    box.git(project, "switch", "-q", "main")
    ready(box, "feat/x → main")

    assert hooks.stop() == ""
    send(box, client.session, "hello")

    shown = hooks.stop()
    assert "] message from bob" in shown
    assert X_TO_MAIN in shown, "it goes along with a message"


def test_low_lines_ride_on_a_prompt_also_beside_a_monitor(
    box: Box, project: Path, client: Client
) -> None:
    hooks = Hooks(box, client=client)
    client.monitor()
    eventually(lambda: rows(box, "SELECT conduit FROM attachment") == [("monitor",)])
    (project / "new").write_text("x")
    box.git(project, "add", "new")
    ready(box, "priority=low")

    assert hooks.stop() == "", "it is not worth a turn"
    shown = hooks.prompt()

    assert shown.startswith("[attend sensor=git priority=low] ")
    client.record("busy")
    box.git(project, "switch", "-q", "-c", "feat/x")
    assert client.out.until("sensor=git")[-1] == MAIN_TO_X
    assert hooks.prompt() == ""


def test_what_a_hook_had_in_hand_and_gave_back_is_laid_ready_again(
    box: Box, project: Path, client: Client
) -> None:
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")
    place = rows(box, "SELECT attachment FROM delivery WHERE state = 'stored'")[0][0]
    now = moment.now()
    with closing(db.connect(str(box.state / "attend.db"))) as store:
        taken = ledger.claim(store, place, client.session, now.boot, now.bt, limit=1)
        box.git(project, "switch", "-q", "main")
        box.journalled("observed", "feat/x → main")
        ledger.release(store, [delivery for delivery, _, _ in taken], place)

    ready(box, "feat/x → main")
    assert Hooks(box, client=client).prompt().split("\n") == [MAIN_TO_X_HIGH, X_TO_MAIN_HIGH]
    assert rows(box, "SELECT state FROM delivery WHERE batch IS NOT NULL") == [("offered",)]


def test_what_a_hook_showed_while_no_host_ran_is_not_told_again(
    box: Box, project: Path, client: Client
) -> None:
    hooks = Hooks(box, client=client)
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")
    first = box.running[0]

    assert first.kill(signal.SIGKILL) < 0
    assert hooks.prompt() == MAIN_TO_X
    box.daemon()
    box.git(project, "switch", "-q", "main")
    ready(box, "feat/x → main")

    assert hooks.prompt() == X_TO_MAIN


def test_what_lay_ready_when_the_host_died_is_told_once(
    box: Box, project: Path, client: Client
) -> None:
    hooks = Hooks(box, client=client)
    box.git(project, "switch", "-q", "-c", "feat/x")
    ready(box, "main → feat/x")

    assert box.running[0].kill(signal.SIGKILL) < 0
    box.daemon()
    box.git(project, "switch", "-q", "main")
    ready(box, "feat/x → main")

    assert hooks.prompt().split("\n") == [MAIN_TO_X_HIGH, X_TO_MAIN_HIGH]


def troubles(box: Box) -> list[str]:
    """Say what `attend status` has to complain about that concerns the host."""
    found: list[str] = json.loads(box.run("status", "--json").stdout)["problems"]
    return [each for each in found if "host" in each]


def test_without_a_host_a_message_is_shown_and_it_is_said_that_nobody_proves_it(
    box: Box, project: Path
) -> None:
    client = box.client(project)
    hooks = Hooks(box, client=client)
    hooks.start()
    message = send(box, client.session, "to hooks")
    client.prompt()
    shown = {"type": "hook_additional_context", "content": [hooks.prompt()]}
    client.row("attachment", attachment=shown | {"hookEvent": "UserPromptSubmit"})
    client.answer()
    state = "SELECT state FROM delivery WHERE message = ?"

    (said,) = troubles(box)
    assert said.startswith(
        "there is no host, and only hooks reach 1 session: messages are shown"
    )
    assert said.endswith("; `attend service install` or `attendd` runs a host")
    assert rows(box, state, message) == [("offered",)]
    assert (hooks.prompt(), hooks.stop()) == ("", "")

    hosting(box)

    eventually(lambda: rows(box, state, message) in ([("seen",)], [("answered",)]))
    assert troubles(box) == []
