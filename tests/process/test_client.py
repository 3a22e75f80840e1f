"""A stand-in for Claude Code: what its session is told, when, and what not."""

from tests.process.box import Box, Client, eventually
from tests.process.hookcalls import rows

GIT = "[attend sensor=git priority=medium] "


def attached(box: Box, client: Client) -> None:
    """Arm the monitor and wait until it listens."""
    client.monitor()
    client.err.until("listening for")
    box.looked()


def taught(client: Client) -> None:
    """Wait for the last line of the first disclosure."""
    client.out.until("`attend run` belongs")


def held(box: Box, client: Client, code: str) -> None:
    """Wait until the change of branch is held for that reason; nothing of it was told."""
    box.journalled(code, "branch changed")
    assert client.out.more(0.0) is None


def test_a_session_without_a_prompt_is_told_nothing(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)

    box.git(project, "switch", "-q", "-c", "feat/x")

    held(box, client, "held.unprompted")


def test_a_change_by_others_during_a_turn_is_told(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)

    box.git(project, "switch", "-q", "-c", "feat/x")

    assert client.out.until("sensor=git")[-1] == GIT + "branch changed: main → feat/x"


def test_what_its_own_tool_call_did_is_not_told(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)

    call = client.tool_call("Bash", command="git commit")
    box.git(project, "commit", "-q", "--allow-empty", "-m", "Mine")
    client.tool_result(call)
    box.journalled("own", "Mine")
    box.git(project, "switch", "-q", "-c", "feat/x")
    lines = client.out.until("branch changed")

    assert not any("Mine" in line for line in lines)


def test_an_idle_session_is_told_when_it_is_awake_again(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)
    client.answer()
    client.record("idle")
    eventually(lambda: " idle " in box.run("top").stdout)

    box.git(project, "switch", "-q", "-c", "feat/x")
    held(box, client, "held.idle")
    client.prompt("go on")

    assert client.out.until("sensor=git")[-1] == GIT + "branch changed: main → feat/x"


def test_a_reader_ends_with_its_client(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)

    client.process.kill()

    client.out.end()
    client.process.wait()


def test_a_session_is_followed_through_clear(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)

    client.clear()
    session = "SELECT session FROM attachment WHERE ended_at IS NULL"
    eventually(lambda: rows(box, session) == [(client.session,)])
    box.git(project, "switch", "-q", "-c", "feat/x")
    held(box, client, "held.unprompted")
    client.prompt("afresh")

    assert client.out.until("sensor=git")[-1] == GIT + "branch changed: main → feat/x"


def test_the_first_disclosure_is_not_repeated_while_it_is_in_view(box: Box) -> None:
    box.open_gates()
    project = box.repository()
    client = box.client(project)
    attached(box, client)
    client.prompt()
    taught(client)
    client.answer(tokens=5_000)

    box.git(project, "switch", "-q", "-c", "feat/x")
    lines = client.out.until("sensor=git")
    call = client.tool_call("Bash", command="git switch")
    box.git(project, "switch", "-q", "main")
    client.tool_result(call)
    box.journalled("own", "branch changed")

    assert not any("disclosure" in line for line in lines)
    assert client.out.more(0.0) is None
