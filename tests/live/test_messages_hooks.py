"""Where a client has no monitors, messages come by its hooks: with a prompt, at a turn's end.

What proves that they came is read by the host, which is a person's own `attend run` here.
"""

import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.live import talk
from tests.live.box import Box, eventually, throw_away
from tests.live.client import Client
from tests.live.scene import LONG, SOON_S, TEACHING, Scene, Setting, prepare, scene
from tests.live.scripted_api import ScriptedApi
from tests.live.wire import Answer

FREE = "--dangerously-skip-permissions"
AT_END = "Stop hook additional context: "
AT_PROMPT = "UserPromptSubmit hook additional context: "


def test_without_monitors_a_message_comes_at_the_turns_end_or_with_the_next_prompt(
    older: Path, tmp_path: Path, record_property: talk.Record
) -> None:
    """At its end a turn goes on for it; an idle session is left in peace."""
    with scene(older, tmp_path / "requests.jsonl", Setting()) as old, hosted(old.box):
        old.prompt("write at length", Answer(LONG, held="middle"))
        assert old.api.wait_held("middle", SOON_S)
        began = time.time()
        first = talk.say(old.box, old.session, "the build is green")
        meanwhile = talk.fate(old.box, first)
        old.api.release("middle")
        at_end = talk.came(old, first)
        told = talk.fared(old.box, first, "answered")
        old.client.wait_resting()
        before = old.last()

        second = talk.say(old.box, old.session, "and now it is red")
        waits = talk.fate(old.box, second)
        with_prompt = old.prompt("what is new?")
        later = talk.fared(old.box, second, "answered")
        old.client.wait_resting()
        old.prompt("go on")
        old.client.wait_resting()

        assert (meanwhile["state"], waits["state"]) == ("stored", "stored")
        assert AT_END in at_end.news()
        assert "write at length" not in at_end.news()
        assert with_prompt.number == min(n for n in numbers(old.api) if n > before)
        assert AT_PROMPT in with_prompt.news()
        assert [each["conduit"] for each in (told, later)] == ["stop", "prompt"]
        assert [each["repeats"] for each in (told, later)] == [0, 0]
        talk.once(old, [first, second])
        record_property("ms", talk.figures(began, at_end, told))


def test_a_double_installation_teaches_and_tells_once(older: Path, tmp_path: Path) -> None:
    """The hooks stand in the plugin and in the settings, and run at the same moment."""
    with scene(older, tmp_path / "requests.jsonl", Setting(twice=True)) as old:
        first = old.prompt("hello there")
        old.client.wait_resting()
        messages = [talk.say(old.box, old.session, f"number {at}") for at in range(3)]
        old.prompt("what is new?")
        old.client.wait_resting()
        old.prompt("go on")
        old.client.wait_resting()

        assert first.whole().count(TEACHING) == 1
        talk.once(old, messages)


def test_without_monitors_what_waits_goes_along_to_the_session_after_clear(
    older: Path, tmp_path: Path
) -> None:
    """At its start the new session is told how much waits; its first prompt brings the text."""
    with scene(older, tmp_path / "requests.jsonl", Setting()) as old, hosted(old.box):
        old.prompt("hello there")
        old.client.wait_resting()
        first = old.session
        message = talk.say(old.box, first, "the build is green")

        old.client.type("/clear")
        assert eventually(lambda: old.client.record().get("sessionId") != first, SOON_S)
        old.client.wait_resting()
        asked = old.prompt("hello again")
        told = talk.fared(old.box, message, "answered")
        old.client.wait_resting()
        old.prompt("go on")

        assert "hello there" not in asked.whole()
        assert (told["meant"], told["session"]) == (first, old.session)
        assert (told["conduit"], told["repeats"]) == ("prompt", 0)
        talk.once(old, [message])


def test_without_monitors_what_waits_goes_along_to_a_fork(older: Path, tmp_path: Path) -> None:
    """The client tells of its start under the id of its origin."""
    with scene(older, tmp_path / "requests.jsonl", Setting()) as first:
        first.prompt("hello")
        first.client.wait_resting()
        session, api, box = first.session, first.api, first.box
        first.client.end()
        message = talk.say(box, session, "for the fork")
        with Client(older, box, FREE, "--resume", session, "--fork-session") as client:
            client.wait_resting()
            fork = Scene(api, box, client)
            fork.prompt("and on")
            client.wait_resting()
            fork.prompt("go on")
            client.wait_resting()

            assert fork.session != session
            talk.once(fork, [message])


def test_a_client_that_prints_gets_messages_by_its_hooks_also_when_it_goes_on_later(
    claude: Path, tmp_path: Path
) -> None:
    """It ends with its answer; what is said to it afterwards waits until it is resumed."""
    session = str(uuid.uuid4())
    with ScriptedApi(tmp_path / "requests.jsonl") as api, throw_away(api.url) as box:
        printing = [str(claude), *prepare(claude, box, Setting()), "--print"]
        with hosted(box):
            api.cue("write at length", Answer(LONG, held="middle"))
            with begun(box, *printing, "--session-id", session, "write at length") as running:
                assert api.wait_held("middle", SOON_S)
                first = talk.say(box, session, "the build is green")
                api.release("middle")
                printed, _ = running.communicate(timeout=SOON_S)
            told = talk.fared(box, first, "answered")
            second = talk.say(box, session, "and now it is red")
            waits = talk.fate(box, second)
            again = box.run(*printing, "--resume", session, "what is new?")
            later = talk.fared(box, second, "answered")

        requests = [one.news() for one in api.asked()]
        assert [printed, again.stdout] == ["ok\n", "ok\n"]
        assert waits["state"] == "stored"
        assert [(AT_END in news, AT_PROMPT in news) for news in requests] == [
            (False, False),
            (True, False),
            (False, True),
        ]
        assert [talk.shown(api.asked()[-1], each) for each in (first, second)] == [1, 1]
        assert [each["conduit"] for each in (told, later)] == ["stop", "prompt"]
        assert [each["repeats"] for each in (told, later)] == [0, 0]


def numbers(api: ScriptedApi) -> list[int]:
    return [one.number for one in api.asked()]


def begun(box: Box, *command: str) -> "subprocess.Popen[str]":
    """Start a program in the project that goes on beside the test."""
    return subprocess.Popen(
        command,
        cwd=box.project,
        env=box.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def hosted(box: Box) -> Iterator[None]:
    """Have somebody in the box who looks after all of its sessions."""
    with begun(box, str(box.programs / "attend"), "run", "--as", "watcher") as process:
        try:
            assert eventually(lambda: "embedded" in box.attend("status").stdout, SOON_S)
            yield
        finally:
            process.terminate()
            process.communicate(timeout=SOON_S)
