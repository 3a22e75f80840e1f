"""What happens around a session comes into its conversation, once; its own doings do not."""

from tests.live.scene import LONG, Scene, has_told, told
from tests.live.wire import Answer, Call


def test_a_switch_outside_is_told_and_an_own_commit_is_not(attended: Scene) -> None:
    """The two halves of one promise: what others do is news, what it did itself is none."""
    attended.prompt("hello there")
    attended.client.wait_resting()
    attended.await_looks()

    attended.prompt("write at length", Answer(LONG, held="middle"))
    assert attended.api.wait_held("middle", 20.0)
    attended.box.git("switch", "-q", "elsewhere")
    attended.await_queued("sensor=git ")
    attended.api.release("middle")
    attended.await_event("git", "elsewhere")
    attended.client.wait_resting()

    own = (
        "echo more > more && git add more && git commit -q -m mine-alone && git rev-parse HEAD"
    )
    run = Call("Bash", {"command": own, "description": "Commit"})
    attended.prompt("commit it", Answer("I commit", calls=(run,)))
    attended.client.wait_resting()
    attended.await_journal("git", "own")

    attended.prompt("write again", Answer(LONG, held="second"))
    assert attended.api.wait_held("second", 20.0)
    attended.box.git("commit", "-q", "--allow-empty", "-m", "theirs-this-time")
    attended.await_queued("theirs-this-time")
    attended.api.release("second")
    last = attended.await_event("git", "theirs-this-time")

    lines = told(last)
    assert sum("elsewhere" in line and "branch" in line for line in lines) == 1, lines
    assert sum("theirs-this-time" in line for line in lines) == 1, lines
    assert not has_told("git", "mine-alone", last), lines


def test_an_idle_session_is_not_woken_by_what_is_no_concern_of_its_own(attended: Scene) -> None:
    """A turn costs; what happens meanwhile waits for the next one."""
    attended.prompt("hello there")
    attended.client.wait_resting()
    attended.await_looks()
    before = attended.last()

    attended.box.git("switch", "-q", "elsewhere")
    attended.await_journal("git", "held.idle")
    assert attended.last() == before, attended.state()

    attended.prompt("write at length", Answer(LONG, held="middle"))
    attended.await_queued("elsewhere")
    attended.api.release("middle")
    attended.await_event("git", "elsewhere")
