"""From a client's own sandbox `attend send` reaches another session without any setting.

Nothing of attend's can be written there and no socket be opened, so a message is handed over:
through a FIFO if it is short, in a file if it is not.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.live import talk
from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene
from tests.live.scripted_api import Asked
from tests.live.wire import Answer

SHORT = f"is that so?\n{talk.ODD}"
TOO_LONG_FOR_A_FIFO = "all of it\n" + "All work and no play.\n" * 300


@pytest.mark.skipif(
    not (shutil.which("bwrap") and shutil.which("socat")),
    reason="the client's sandbox needs bubblewrap and socat",
)
def test_out_of_a_sandbox_messages_and_replies_come_once_and_whole(
    claude: Path, tmp_path: Path, record_property: talk.Record
) -> None:
    """With the documented rules nobody is asked; nothing of the sandbox is opened."""
    setting = Setting(allowed=talk.documented_rules(), sandbox=True)
    with (
        scene(claude, tmp_path / "requests.jsonl", setting) as one,
        Client(claude, one.box, "--permission-mode", "default") as client,
    ):
        other = Scene(one.api, one.box, client)
        for each, hello in ((one, "hello there"), (other, "hello, other one")):
            each.client.wait_resting()
            each.prompt(hello)
            each.client.wait_resting()
        assert eventually(lambda: one.readers() == 2, SOON_S), one.state()

        one.api.cue(
            "is that so", Answer("I say", calls=(talk.heredoc("attend reply", "No.\n"),))
        )
        question = talk.id_in(says(one, other, SHORT).news())
        asked = talk.came(other, question)
        reply = talk.id_in(told_of_sending(other, after=asked.number).news())
        talk.came(one, reply)
        one.client.wait_resting()
        long = talk.id_in(says(one, other, TOO_LONG_FOR_A_FIFO).news())
        talk.came(other, long)
        told = {each: talk.fared(one.box, each, "answered") for each in (question, reply, long)}
        for each in (one, other):
            each.client.wait_resting()
            each.prompt(f"go on, {each.session}")

        assert [way(one, each) for each in told] == ["fifo", "fifo", "spool"]
        assert [each["repeats"] for each in told.values()] == [0, 0, 0]
        assert talk.body(one.box, other.session, question) == SHORT
        assert talk.body(one.box, one.session, reply) == "No.\n"
        assert talk.body(one.box, other.session, long) == TOO_LONG_FOR_A_FIFO
        assert talk.left_behind(one.box.project) == []
        talk.once(other, [question, long])
        talk.once(one, [reply])
        record_property(
            "ms", talk.figures(told[question]["accepted_at"], asked, told[question])
        )


def says(author: Scene, to: Scene, text: str) -> Asked:
    """Have a session say something to another; return the request that brings the result."""
    call = talk.heredoc(f"attend send --to {to.session}", text)
    prompted = author.prompt(f"say: {text[:9]}", Answer("I say it", calls=(call,)))
    return told_of_sending(author, after=prompted.number)


def told_of_sending(author: Scene, *, after: int) -> Asked:
    """Wait for a request in which a session hears that it has said something."""

    def tells(asked: Asked) -> bool:
        return asked.session == author.session and "sent #" in asked.news()

    return author.await_asked(tells, after=after)


def way(scene: Scene, message: str) -> str:
    """How a message was committed."""
    done = scene.box.attend("sent", message, "--json")
    return str(json.loads(done.stdout)["messages"][0]["via"])
