"""What is said to a session comes into its conversation once, and its sender can prove it.

Two sessions of one project share one box: one may do everything, the other only what the skill
tells a person to allow.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.live import talk
from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import LONG, SOON_S, Scene, Setting, scene
from tests.live.scripted_api import ScriptedApi
from tests.live.wire import Answer


class Pair(NamedTuple):
    """Two sessions that have been prompted once, and that attend listens for."""

    free: Scene
    careful: Scene

    @property
    def api(self) -> ScriptedApi:
        return self.free.api


@pytest.fixture(scope="module")
def pair(claude: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two sessions, for all tests of this file."""
    log = tmp_path_factory.mktemp("pair") / "requests.jsonl"
    with (
        scene(claude, log, Setting(allowed=talk.documented_rules())) as careful,
        Client(claude, careful.box, "--dangerously-skip-permissions") as client,
    ):
        free = Scene(careful.api, careful.box, client)
        for each, hello in ((careful, "hello, careful one"), (free, "hello, free one")):
            each.client.wait_resting()
            each.prompt(hello)
            each.client.wait_resting()
        assert eventually(lambda: careful.readers() == 2, SOON_S), careful.state()
        yield Pair(free, careful)


def test_a_message_from_a_shell_wakes_an_idle_session_and_is_seen_then_answered(
    pair: Pair, record_property: talk.Record
) -> None:
    """Seen while the model has not answered yet; it has when its answer is there."""
    pair.api.cue("the build is green", Answer(LONG, held="reading"))
    began = time.time()

    message = talk.say(pair.free.box, pair.free.session, "the build is green")
    asked = talk.came(pair.free, message)
    assert pair.api.wait_held("reading", SOON_S)
    seen = talk.fared(pair.free.box, message, "seen")
    record_property("ms_until_sent_said_seen", round(1000 * (time.time() - began)))
    pair.api.release("reading")
    told = talk.fared(pair.free.box, message, "answered")
    pair.free.client.wait_resting()
    pair.free.prompt("what was it?")

    assert seen["state"] == "seen"
    assert (told["conduit"], told["repeats"], told["evidence"] != "") == ("monitor", 0, True)
    talk.once(pair.free, [message])
    record_property("ms", talk.figures(began, asked, told))


def test_what_is_said_during_a_tool_call_is_queued_until_it_ends_and_shown_once(
    pair: Pair, record_property: talk.Record
) -> None:
    with talk.busy(pair.free, "run the long one"):
        before, began = pair.free.last(), time.time()
        message = talk.say(pair.free.box, pair.free.session, "meanwhile it broke")
        queued = talk.fared(pair.free.box, message, "queued")
        assert pair.free.last() == before
        assert queued["state"] == talk.fate(pair.free.box, message)["state"] == "queued"
        assert queued["seen_at"] is None
    asked = talk.came(pair.free, message)
    told = talk.fared(pair.free.box, message, "answered")
    pair.free.client.wait_resting()
    pair.free.prompt("and what now?")

    assert "tool_result" in asked.brought()
    assert (told["conduit"], told["repeats"]) == ("monitor", 0)
    talk.once(pair.free, [message])
    record_property("ms", talk.figures(began, asked, told))


def test_what_a_session_says_and_what_another_replies_passes_unasked_and_whole(
    pair: Pair, record_property: talk.Record
) -> None:
    """In the form that is taught, whatever the text holds, with the documented rules alone."""
    api, careful, free = pair.api, pair.careful, pair.free
    send = f"attend send --to {free.session}"
    api.cue("is that so", Answer("I answer", calls=(talk.heredoc("attend reply", talk.ODD),)))
    api.cue("a heading, and", Answer("On", calls=(talk.heredoc("attend reply", "Fine.\n"),)))

    first = talk.heredoc(send, f"is that so?\n{talk.ODD}")
    careful.prompt("ask the other one", Answer("I ask", calls=(first,)))
    sent = careful.await_asked(
        lambda one: one.session == careful.session and "sent #" in one.news()
    )
    question = talk.id_in(sent.news())
    talk.came(free, question)
    replied = free.await_asked(
        lambda one: one.session == free.session and "sent #" in one.news()
    )
    reply = talk.id_in(replied.news())
    asked = talk.came(careful, reply)
    answered = careful.await_asked(lambda one: "sent #" in one.news(), after=asked.number)
    last = talk.id_in(answered.news())
    talk.came(free, last)
    told = [talk.fared(careful.box, each, "answered") for each in (question, reply, last)]
    for each, text in ((careful, "and on"), (free, "and on with it")):
        each.client.wait_resting()
        each.prompt(text)

    assert talk.body(free.box, free.session, question) == f"is that so?\n{talk.ODD}"
    assert talk.body(free.box, careful.session, reply) == talk.ODD
    assert [each["repeats"] for each in told] == [0, 0, 0]
    assert talk.left_behind(free.box.project) == []
    talk.once(free, [question, last])
    talk.once(careful, [reply])
    record_property("ms", talk.figures(told[1]["accepted_at"], asked, told[1]))
