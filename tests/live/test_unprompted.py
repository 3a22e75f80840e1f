"""A session that nobody has typed at costs nothing, whatever happens around it."""

import time

import pytest

from tests.live.scene import QUIET_S, SOON_S, TEACHING, Unprompted


def test_a_session_without_a_prompt_makes_no_request(unprompted: Unprompted | None) -> None:
    """Watched from before the first test on, so that the five minutes are shared with them."""
    if unprompted is None:
        pytest.fail("the session was not started")
    scene, since = unprompted
    assert scene.reader_runs(), scene.state()

    scene.box.git("switch", "-q", "elsewhere")
    scene.box.git("commit", "-q", "--allow-empty", "-m", "somebody's")
    (scene.box.project / "dirty").write_text("dirt\n", encoding="utf-8")
    scene.await_journal("git", "held.unprompted")
    asked = scene.api.wait_asked(lambda _: True, since + QUIET_S - time.monotonic())

    assert asked is None, asked.news()
    assert scene.api.asked("side") == []
    assert scene.reader_runs(), scene.state()
    assert time.monotonic() - since >= QUIET_S
    assert TEACHING in scene.prompt("hello there").whole()
    assert scene.api.wait_asked(lambda one: "[attend " in one.news(), SOON_S) is not None
