"""Two sessions in two work trees of one repository see each other come and go."""

from collections import Counter
from pathlib import Path

from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import LONG, SOON_S, Scene, told
from tests.live.wire import Answer

PERMITTED = "--dangerously-skip-permissions"


def test_each_sees_the_other_come_and_go_once(attended: Scene, claude: Path) -> None:
    """The one in the main work tree leaves and comes back as another before the other leaves."""
    box, api = attended.box, attended.api
    at_work(attended, "first")
    with Client(claude, box, PERMITTED, workdir=box.beside) as client:
        beside = Scene(api, box, client)
        client.wait_resting()
        attended.await_queued("appeared in this project on branch beside")
        of_beside = see(attended, "first")
        assert eventually(lambda: attended.readers() == 2, SOON_S), attended.state()

        at_work(beside, "second")
        attended.client.end()
        beside.await_queued(" is gone")
        with Client(claude, box, PERMITTED) as again:
            back = Scene(api, box, again)
            again.wait_resting()
            beside.await_queued("appeared in this project on branch main")
            of_main = see(beside, "second")
            at_work(back, "third")
            client.end()
            back.await_queued(" is gone")
            of_beside += see(back, "third")

    assert of_beside == of_main == Counter(appeared=1, gone=1)


def at_work(scene: Scene, text: str) -> None:
    """Prompt a session; its answer stops in the middle until it is released."""
    scene.prompt(f"the {text} prompt", Answer(LONG, held=text))
    assert scene.api.wait_held(text, SOON_S), scene.state()


def see(scene: Scene, text: str) -> Counter[str]:
    """Release the answer; count how often the session was told in all that somebody came or went."""
    scene.api.release(text)
    scene.client.wait_resting()
    lines = [line for line in told(scene.prompt("and now?")) if "sensor=peers" in line]
    scene.client.wait_resting()
    return Counter(
        word for line in lines for word in ("appeared", "gone") if f" {word}" in line
    )
