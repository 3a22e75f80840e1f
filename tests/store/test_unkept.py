"""That facts can't be kept is said to the person of their session once, at the end of a turn."""

import json
import resource
import sys
from pathlib import Path

import pytest

from attendd.hot import unkept
from attendd.hot.hook import Event
from tests.store.test_capturing import Talk, talk

__all__ = ["talk"]


class Turn(Event):
    """The end of a turn, with what was said to it."""

    notice = ""

    def __init__(self, session: str = "s1", last: str = "done") -> None:
        event = {"hook_event_name": "Stop", "session_id": session}
        super().__init__(json.dumps({**event, "last_assistant_message": last}))

    def answer(self, context: str, notice: str = "") -> None:
        assert context == ""
        self.notice = notice


def told(session: str = "s1") -> str:
    turn = Turn(session)
    unkept.tell(turn)
    return turn.notice


def test_trouble_is_told_once_to_those_whose_facts_wait(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        talk.says(talk.tag("deploy on friday"))
        talk.look()
        assert "can't be kept for now, they wait: texts can't be looked at" in told()
        talk.look()
        assert told() == ""
        assert told("s2") == ""

    talk.look()
    assert talk.facts() == ["deploy on friday"]

    monkeypatch.setattr(sys, "executable", "/bin/false")
    talk.says(talk.tag("the build needs make 4"))
    talk.look()
    assert "can't be kept" in told(), "that is another trouble"


def test_trouble_is_told_though_there_was_no_room_for_a_word_of_it(talk: Talk) -> None:
    """As on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        unkept.note(["s1"], "the disk is full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert told().endswith("they wait: attend's log says why")
    assert told() == ""
    assert told("s2") == "", "nothing of it waits"


def test_what_is_past_is_not_told(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        talk.says(talk.tag("deploy on friday"))
        talk.look()

    talk.look(talk.new_host())

    assert told() == ""


def test_what_is_told_at_once_the_host_does_not_repeat(home: Path) -> None:
    home.mkdir()
    (home / "state").write_text("no folder")

    assert told() == (
        "attend: facts of this session can't be kept for now, they wait:"
        f" {home / 'state'} is not a folder"
    )
    unkept.note(["s1"], "the same")
    assert told() == ""
