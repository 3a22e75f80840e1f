"""A caller is found through the process tree, or is nobody; never somebody else."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import identity, process
from tests.process.box import Box, Client, boxed
from tests.unit.asking import ask, probe, read, rewrite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with boxed(tmp_path / "h") as found:
        (found.home / "work").mkdir()
        yield found


@pytest.fixture
def client(box: Box) -> Client:
    return box.client(box.home / "work")


def test_the_client_is_found_by_its_pid_and_its_record(client: Client) -> None:
    client.prompt()

    found = ask(client)

    assert found == {
        "session": client.session,
        "harness": "claude-code",
        "declared": False,
        "client_pid": client.pid,
        "client_start": process.start_time(client.pid),
        "client_pidns": process.pid_namespace(),
        "workdir": str(client.workdir),
        "transcript": str(client.transcript),
        "how": "CLAUDE_PID",
        "record_path": str(client.record_path),
        "contract": "",
    }


@pytest.mark.parametrize(
    "how",
    [
        "{}",
        "sh -c '{}; true'; true",
        "sh -c \"sh -c '{}; true'; true\"; true",
        'env -i HOME="$HOME" {}',
        "nohup {} 2>/dev/null",
        "setsid -w {}",
        "cd / && {}",
    ],
)
def test_the_client_is_found_through_whatever_lies_between(client: Client, how: str) -> None:
    found = ask(client, how, pid=False)

    assert (found["session"], found["how"]) == (client.session, "ancestor")
    assert found["transcript"] == ""


def test_who_lost_its_way_to_the_client_is_unresolved(box: Box, client: Client) -> None:
    """Reparented, it still has the client's pid in its environment, which proves nothing."""
    os.mkfifo(box.home / "gate")
    waiting = f"(read go <{box.home}/gate; exec {probe(client)}) & echo started"

    client.do(f"CLAUDE_PID={client.pid} sh -c {shlex.quote(waiting)}; echo ended")
    assert [client.out.line(), client.out.line()] == ["started", "ended"]
    (box.home / "gate").write_text("go\n")
    found = read(client.out.line())

    assert (found["session"], found["how"], found["client_pid"]) == ("", "unresolved", None)


def test_the_process_tree_wins_over_a_forked_environment(box: Box, client: Client) -> None:
    other = box.client(box.home / "work")

    client.do(f"export CLAUDE_PID={other.pid} CLAUDE_CODE_SESSION_ID={other.session}")

    assert ask(client, pid=False)["session"] == client.session


def test_a_client_within_a_client_is_the_one_that_calls(client: Client) -> None:
    client.do("sh -c 'echo $$; while read -r line; do eval \"$line\"; done'")
    inner = int(client.out.line())
    record = json.loads(client.record_path.read_text())
    record |= {"pid": inner, "sessionId": "inner", "procStart": process.start_time(inner)}
    client.record_path.with_name(f"{inner}.json").write_text(json.dumps(record))

    found = ask(client)  # it names the outer client, as an old inner one would leave it

    assert (found["session"], found["client_pid"]) == ("inner", inner)
    assert found["how"] == "ancestor"


def test_the_record_of_a_recycled_pid_is_nobodys(client: Client) -> None:
    rewrite(client, procStart="1")

    assert ask(client)["how"] == "unresolved"
    found = ask(client, pid=False)
    assert found["how"] == "terminal"
    assert found["session"].startswith("tty:")


def test_a_record_left_by_a_killed_client_is_no_session(box: Box, client: Client) -> None:
    dead = box.client(box.home / "work")
    dead.kill()
    client.record_path.unlink()

    client.do(f"export CLAUDE_PID={dead.pid}")

    assert dead.record_path.exists()
    assert ask(client, pid=False)["how"] == "unresolved"


def test_two_clients_of_one_session_are_two(box: Box, client: Client) -> None:
    second = box.client(box.home / "work", client.session)

    first, other = ask(client), ask(second)

    assert first["session"] == other["session"] == client.session
    assert (first["client_pid"], other["client_pid"]) == (client.pid, second.pid)


def test_a_sandbox_that_hides_the_client_does_not_hide_the_session(client: Client) -> None:
    """There is another process with the client's pid in it, or none; neither is the client."""
    inside = "unshare --user --map-root-user --pid --fork --mount-proc sh -c '{}; true' 2>&1"
    found = {}
    client.do(
        "unshare --user --map-root-user --pid --fork --mount-proc true && echo y || echo n"
    )
    while (said := client.out.line()) not in ("y", "n"):
        pass
    if said == "n":
        pytest.skip("no namespaces here")

    machine = (
        Path("/etc/machine-id").read_text().strip() if Path("/etc/machine-id").exists() else ""
    )
    rewrite(client, pidDomain=f"linux:{machine}:{process.pid_namespace()}")
    found = ask(client, inside)

    assert (found["session"], found["how"]) == (client.session, "CLAUDE_PID")
    assert found["client_pidns"] == process.pid_namespace()
    assert found["client_start"] == process.start_time(client.pid)

    rewrite(client, pidDomain=f"linux:another{machine}:{process.pid_namespace()}")
    if machine:
        assert ask(client, inside)["how"] == "unresolved"
    rewrite(client, pidDomain=None)
    assert ask(client, inside)["how"] == "unresolved"


def test_inside_a_client_nobody_goes_by_another_name(client: Client) -> None:
    found = ask(client, "{} alice")
    assert found["error"] == (
        "this process belongs to a client's session, so it can't go by 'alice'"
    )
    assert found["hint"]

    client.do("export ATTEND_AS=alice")
    assert ask(client)["session"] == client.session


def test_outside_a_client_a_name_is_a_claim(client: Client) -> None:
    client.record_path.unlink()

    found = ask(client, "{} web-1", pid=False)
    assert (found["session"], found["declared"], found["how"]) == ("as:web-1", True, "--as")
    client.do("export ATTEND_AS=alice")
    found = ask(client, pid=False)
    assert (found["session"], found["declared"], found["how"]) == (
        "as:alice",
        True,
        "ATTEND_AS",
    )
    found = ask(client)
    assert found["session"] == "as:alice"


@pytest.mark.parametrize(
    "name", ["a" * 41, "a b", "a/b", "é", "-", "..", "a\nb", "@user", "#x"]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(identity.IdentityError) as error:
        identity._checked(name)  # noqa: SLF001 - the environment of the tests may name a client

    assert error.value.hint == "a name has 1 to 40 letters, digits, dots, dashes or underscores"


def test_a_terminal_is_named_by_its_first_process(client: Client) -> None:
    client.record_path.unlink()
    number = "cut -d ' ' -f 1,22 /proc/$$/stat"
    shell = f"{number}; {probe(client)}; {probe(client)}; true"
    client.do(f"setsid -w sh -c {shlex.quote(shell)}")
    leader, start = client.out.line().split()

    found, again = read(client.out.line()), read(client.out.line())

    assert found["session"] == f"tty:{leader}:{start}"
    assert found["workdir"] == str(client.workdir)
    assert again == found
    assert ask(client, "setsid -w {}", pid=False)["session"] != found["session"]


def test_a_deleted_directory_is_still_a_place_to_call_from(client: Client) -> None:
    client.record_path.unlink()
    client.do(f"mkdir '{client.workdir}/gone' && cd '{client.workdir}/gone'")
    client.do(f"rmdir '{client.workdir}/gone'")

    assert ask(client, pid=False)["workdir"] == f"{client.workdir}/gone"
