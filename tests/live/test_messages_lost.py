"""A conversation that loses what it was told is not told it again; what comes next comes once."""

from tests.live import talk
from tests.live.scene import LONG, Scene
from tests.live.wire import Answer

REWIND = "Restore the code and/or conversation"
CHOSEN = "Restore to the point before you sent this message"
POINTER = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"


def test_what_a_rewind_took_away_stays_seen_and_does_not_come_again(attended: Scene) -> None:
    """It was there, and its sender was told so; the inbox still has it."""
    attended.prompt("what comes first", Answer(LONG))
    attended.client.wait_resting()
    message = talk.say(attended.box, attended.session, "the build is green")
    talk.fared(attended.box, message, "answered")
    attended.client.wait_resting()
    attended.prompt("what comes second")
    attended.client.wait_resting()

    rewind(attended, prompts=2)
    asked = attended.prompt(" and anew")
    attended.client.wait_resting()
    later = talk.say(attended.box, attended.session, "the build is red")
    talk.fared(attended.box, later, "answered")
    attended.client.wait_resting()
    last = attended.prompt("go on")

    assert "what comes first and anew" in asked.news()
    assert [talk.shown(one, message) for one in (asked, last)] == [0, 0]
    assert talk.shown(last, later) == 1
    told = talk.fate(attended.box, message)
    assert (told["state"], told["repeats"]) == ("answered", 0)
    assert talk.body(attended.box, attended.session, message) == "the build is green"


def test_what_a_compaction_folded_away_does_not_come_again(attended: Scene) -> None:
    attended.prompt("begin", Answer(LONG))
    attended.client.wait_resting()
    message = talk.say(attended.box, attended.session, "the build is green")
    talk.fared(attended.box, message, "answered")
    attended.client.wait_resting()

    attended.compact()
    later = talk.say(attended.box, attended.session, "the build is red")
    talk.fared(attended.box, later, "answered")
    attended.client.wait_resting()
    last = attended.prompt("go on")

    assert [talk.shown(last, each) for each in (message, later)] == [0, 1]
    told = talk.fate(attended.box, message)
    assert (told["state"], told["repeats"]) == ("answered", 0)


def rewind(scene: Scene, prompts: int) -> None:
    """Go back to before so many prompts of the person's; the oldest of them is to be typed on."""
    client = scene.client
    up = [("\x1b[A", POINTER)] * prompts
    for key, drawn in (("\x1b\x1b", REWIND), *up, ("\r", CHOSEN)):
        before = len(client.drawn())
        client.press(key)
        assert client.wait_drawn(drawn, 10.0, after=before), client.drawn()[-1500:]
    before = len(client.drawn())
    client.press("\r")
    assert client.wait_drawn("Restore conversation ✔", 10.0, after=before), scene.state()
