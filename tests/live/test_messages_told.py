"""What a client did not pass on is told again, and what its model has not seen is not answered."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.live import talk
from tests.live.box import Box, eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene
from tests.live.wire import Answer

COUNT = 12


def say_as(box: Box, name: str, to: str, text: str) -> str:
    """Say something under a name; return the message's id."""
    done = box.attend("send", "--as", name, "--to", to, text)
    assert done.returncode == 0, done
    return talk.id_in(done.stdout)


def many_at_once(attended: Scene) -> list[str]:
    """Have so many messages come while the reader is stopped that one line tells of them."""
    status = json.loads(attended.box.attend("status", "--json").stdout)
    reader = status["sessions"][0]["listener"]["pid"]
    os.kill(reader, signal.SIGSTOP)
    sent = [say_as(attended.box, "ann", attended.session, f"word {n}") for n in range(COUNT)]
    os.kill(reader, signal.SIGCONT)
    announced = ("announced",)
    assert eventually(lambda: states(attended.box, sent) == announced, SOON_S), attended.state()
    return sent


def states(box: Box, sent: list[str]) -> tuple[str, ...]:
    return tuple({talk.fate(box, each)["state"] for each in (sent[0], sent[-1])})


def told(scene: Scene) -> list[str]:
    """The lines of the conversation's last request that tell how many wait."""
    mine = [one for one in scene.api.asked() if one.session == scene.session]
    lines = mine[-1].whole().split("\\n") if mine else []
    return [line for line in lines if f"{COUNT} messages wait" in line]


def test_a_line_that_a_killed_client_held_is_told_again(claude: Path, tmp_path: Path) -> None:
    with scene(claude, tmp_path / "requests.jsonl", Setting()) as killed:
        session = killed.session
        with talk.busy(killed, "run the long one"):
            sent = many_at_once(killed)
            killed.await_queued(f"{COUNT} messages wait")
            before = killed.last()
            os.kill(killed.client.pid, signal.SIGKILL)
        assert eventually(lambda: not killed.box.processes(), SOON_S), killed.state()

        resume = ("--dangerously-skip-permissions", "--resume", session)
        with Client(claude, killed.box, *resume) as client:
            client.wait_resting()
            resumed = Scene(killed.api, killed.box, client)
            asked = resumed.await_asked(lambda one: "messages wait" in one.news(), after=before)
            fate = talk.fate(killed.box, sent[0])
            proved = eventually(lambda: talk.fate(killed.box, sent[0])["evidence"], SOON_S)
            client.wait_resting()
            resumed.prompt("go on")
            client.wait_resting()

        assert f"(again) {COUNT} messages wait (#{sent[0]} to #{sent[-1]})" in asked.news()
        assert proved, (fate, killed.state())


def test_a_line_that_came_in_is_told_once(attended: Scene) -> None:
    attended.client.wait_resting()
    before = attended.last()
    with talk.busy(attended, "run the long one"):
        sent = many_at_once(attended)
        attended.await_queued(f"{COUNT} messages wait")
    attended.await_asked(lambda one: "messages wait" in one.news(), after=before)
    assert eventually(lambda: talk.fate(attended.box, sent[0])["evidence"], SOON_S)
    attended.client.wait_resting()

    asked = attended.prompt("go on")

    assert asked.whole().count(f"{COUNT} messages wait") == 1
    assert talk.fate(attended.box, sent[-1])["repeats"] == 0


@pytest.mark.parametrize("known", [True, False], ids=["later", "at once"])
def test_a_reply_goes_to_whom_the_model_has_heard(attended: Scene, *, known: bool) -> None:
    """What comes while it composes its answer is not what it answers."""
    attended.client.wait_resting()
    answer = talk.heredoc("attend reply", "the answer\n")
    attended.api.cue("question of ann's", Answer("I think", held="think", calls=(answer,)))
    say_as(attended.box, "ann", attended.session, "question of ann's")
    assert attended.api.wait_held("think", SOON_S)
    other = say_as(attended.box, "zed", attended.session, "question of zed's")
    if known:
        talk.fared(attended.box, other, "queued")
    attended.api.release("think")
    asked = attended.await_asked(lambda one: " for 1 session, " in one.news())

    assert " for 1 session, ann" in asked.news()


def test_a_message_that_wakes_an_idle_session_is_answered_at_once(attended: Scene) -> None:
    """However quick the model is: each goes to whoever spoke last."""
    attended.client.wait_resting()
    for name in ("ann", "zed", "ann"):
        answer = talk.heredoc("attend reply", f"to {name}\n")
        attended.api.cue(f"question of {name}'s", Answer("so", calls=(answer,)))
        before = attended.last()
        say_as(attended.box, name, attended.session, f"question of {name}'s")
        asked = attended.await_asked(lambda one: " for 1 session, " in one.news(), after=before)
        assert f" for 1 session, {name}" in asked.news()
        attended.client.wait_resting()
