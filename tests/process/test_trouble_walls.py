"""A Monitor inside the client's sandbox: a line names the way out, and it costs nothing else."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.process import walls
from tests.process.box import HOT, Box, Client, eventually
from tests.process.test_client import attached, taught

LINE = (
    "[attend sensor=attend priority=medium] attend: no state can be kept from inside this"
    " client's sandbox; install attend's plugin, whose monitor runs outside it: in a clone of"
    " attend, `claude plugin marketplace add ./` and `claude plugin install attend@attend`"
)


def arm(box: Box, client: Client, *, sockets: bool) -> None:
    """Have a client arm `attend run` behind its walls."""
    run = [sys.executable, "-I", "-S", str(HOT), "run"]
    words = walls.command([box.home], run, sockets=sockets)
    client.do(f"CLAUDECODE=1 CLAUDE_PID={client.pid} {shlex.join(words)} </dev/null &")


def children(client: Client) -> list[int]:
    path = Path(f"/proc/{client.pid}/task/{client.pid}/children")
    return [int(word) for word in path.read_text().split()]


def state_of(pid: int) -> str:
    """Return the letter for a process' state; an X where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return "X"


@pytest.mark.parametrize("sockets", [True, False])
def test_a_monitor_behind_walls_names_the_plugin_once(box: Box, *, sockets: bool) -> None:
    client = box.client(box.repository())
    client.prompt()
    (box.home / "attend").mkdir()

    arm(box, client, sockets=sockets)

    assert client.out.line() == LINE
    assert "attend: no state can be kept" in client.err.until("no state")[-1]
    (walled,) = children(client)
    assert client.process.stdout is not None
    client.process.stdout.close()  # as a client's death does
    eventually(lambda: state_of(walled) in "ZX")
    assert list((box.home / "attend").iterdir()) == []


def test_a_monitor_behind_walls_leaves_the_one_outside_alone(box: Box) -> None:
    project = box.repository()
    client = box.client(project)
    box.open_gates()
    attached(box, client)
    client.prompt()
    taught(client)

    arm(box, client, sockets=False)
    client.out.until(LINE)
    box.git(project, "switch", "-q", "-c", "feat/x")

    assert client.out.until("sensor=git")[-1].endswith("branch changed: main → feat/x")
    assert client.out.more(0.0) is None


def test_a_session_that_nobody_prompted_is_not_woken_for_it(box: Box) -> None:
    client = box.client(box.repository())
    (box.home / "attend").mkdir()

    arm(box, client, sockets=True)

    client.err.until("no state can be kept")
    assert client.out.more(0.0) is None


def test_a_client_that_forbids_sockets_but_shows_its_processes_is_told_of_the_plugin(
    box: Box,
) -> None:
    """As on a system whose sandbox has no namespaces."""
    client = box.client(box.repository())
    client.prompt()
    run = [sys.executable, "-I", "-S", str(HOT), "run"]
    words = walls.without_sockets(run)

    client.do(f"CLAUDECODE=1 CLAUDE_PID={client.pid} {shlex.join(words)} </dev/null &")

    line = client.out.line()
    assert "a socket of attend: Operation not permitted; if it is the client's sandbox" in line
    assert line.endswith(
        "install attend's plugin, whose monitor runs outside it: in a clone of attend,"
        " `claude plugin marketplace add ./` and `claude plugin install attend@attend`"
    )
    assert len(children(client)) == 1
    client.process.kill()
    client.out.end()
    eventually(lambda: client.process.poll() is not None)
