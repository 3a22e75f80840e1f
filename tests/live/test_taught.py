"""A session learns what attend is before its first answer, and again when it forgot."""

from tests.live.scene import SOON_S, TEACHING, Scene
from tests.live.wire import Answer, Usage


def test_the_first_request_brings_the_teaching_and_the_skill(attended: Scene) -> None:
    """By the hook, so that no turn is spent on it; and once, not by the monitor as well."""
    first = attended.prompt("hello there")

    assert first.whole().count(TEACHING) == 1, first.whole()[-6000:]
    assert "SessionStart hook additional context" in first.whole()
    assert "- attend:attend: " in first.whole()
    assert attended.client.wait_drawn("attend told the session: how to use it", SOON_S)


def test_the_skill_is_loaded_when_the_person_calls_it(attended: Scene) -> None:
    attended.client.type("/attend:attend")

    asked = attended.await_asked(lambda one: "Never start `attend run` from Bash" in one.news())

    assert "attend why --silence" in asked.news()


def test_the_teaching_is_given_again_after_compaction(attended: Scene) -> None:
    """Compaction is when it was lost; the summary need not have it."""
    attended.prompt("hello there", Answer("hello", usage=Usage(cached=60_000)))
    attended.client.wait_resting()
    before = attended.last()

    attended.compact()
    after = attended.prompt("go on", Answer("on", usage=Usage(cached=3_000)))
    attended.client.wait_resting()
    later = attended.prompt("and on", Answer("and on", usage=Usage(cached=3_100)))

    assert after.number > before
    assert after.whole().count(TEACHING) == 1, after.whole()[-6000:]
    assert later.whole().count(TEACHING) == 1, later.whole()[-6000:]
