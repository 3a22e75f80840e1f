"""Tags are taken out of what a person sees, as the lines come; whatever fails shows them."""

import json
import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.process.box import Box
from tests.process.hooking import Hooks

ON = "[memory]\nenabled = true\n"


class Screen:
    """What a person sees of one message of a session that was taught to record facts."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.hooks = Hooks(box)
        self.message = str(uuid.uuid4())
        found = re.search(r"<attend:percept:(\w+)>", self.hooks.start())
        self.nonce = found[1] if found else "k7q2zd"

    def tag(self, text: str, nonce: str = "") -> str:
        name = f"attend:percept:{nonce or self.nonce}"
        return f"<{name}>{text}</{name}>"

    def event(self, index: int, delta: str, *, final: bool = False) -> str:
        return self.hooks.event(
            "MessageDisplay", message_id=self.message, index=index, final=final, delta=delta
        )

    def shown(self, index: int, delta: str, *, final: bool = False) -> str:
        """Call the hook; return what the client then draws."""
        return drawn(self.hooks.alone(self.event(index, delta, final=final)), delta)

    def waiting(self) -> list[Path]:
        """The messages of which something is kept."""
        return list(self.box.home.rglob("display/*"))


def drawn(said: str, delta: str) -> str:
    if not said:
        return delta
    answer = json.loads(said)["hookSpecificOutput"]
    assert answer.pop("hookEventName") == "MessageDisplay"
    assert set(answer) == {"displayContent"}
    return str(answer["displayContent"])


@pytest.fixture
def screen(box: Box) -> Screen:
    configure(box, ON)
    return Screen(box)


def configure(box: Box, text: str) -> None:
    path = box.home / "attend" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def test_a_whole_message_is_shown_without_its_tags(screen: Screen) -> None:
    """As a client does that prints."""
    text = f"a {screen.tag('deploy on friday')} b `{screen.tag('x')}`\n"

    assert screen.shown(0, text, final=True) == f"a  b `{screen.tag('x')}`\n"
    assert screen.waiting() == []


def test_a_tag_over_several_calls_is_gone_from_all_of_them(screen: Screen) -> None:
    opening, closing = screen.tag("|").split("|")
    lines = [
        f"a {opening}deploy\n",
        "on\n",
        f"friday{closing} b\n",
        "```\n",
        f"{opening}x\n",
        "",
    ]

    shown = [screen.shown(at, line, final=line == "") for at, line in enumerate(lines)]

    assert shown == ["a ", "", " b\n", "```\n", f"{opening}x\n", ""]
    assert screen.waiting() == []


def test_calls_that_overlap_wait_for_what_came_before(screen: Screen) -> None:
    opening, closing = screen.tag("|").split("|")
    lines = [f"a {opening}deploy\n", "on\n", f"friday{closing} b\n", "c"]
    later = [screen.hooks.begin(screen.event(at, lines[at], final=at == 3)) for at in (3, 2, 1)]

    first = screen.shown(0, lines[0])
    said = [each.communicate()[0] for each in reversed(later)]

    assert [first, *map(drawn, said, lines[1:])] == ["a ", "", " b\n", "c"]
    assert screen.waiting() == []


def test_a_tag_that_is_never_closed_is_withheld_and_said(screen: Screen) -> None:
    opening = screen.tag("|").split("|")[0]

    shown = screen.shown(0, f"a {opening}deploy", final=True)

    size = len(opening) + len("deploy")
    assert shown == f"a \n(attend: {size} bytes are not shown, their tag was never closed)\n"


def test_all_is_shown_where_what_came_before_is_missing(screen: Screen) -> None:
    line = f"{screen.tag('x')}\n"

    assert screen.shown(2, line) == line
    log = (screen.box.state / "hook.log").read_text()
    assert "part 2 of a message" in log


@pytest.mark.parametrize("config", ["", "[memory]\nenabled = true\nhide_tags = false\n"])
def test_all_is_shown_where_that_is_wished(box: Box, config: str) -> None:
    configure(box, config)
    screen = Screen(box)
    text = f"a {screen.tag('x')}"

    assert screen.shown(0, text, final=True) == text


def test_nothing_is_hidden_or_kept_once_memory_was_turned_off(screen: Screen) -> None:
    """What is not recorded is to be seen."""
    screen.box.run("memory", "off", cwd=screen.box.home)
    text = f"a {screen.tag('x')}\n"

    assert [screen.shown(0, text), screen.shown(1, text, final=True)] == [text, text]
    assert list(screen.box.home.rglob("display")) == []


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"message_id": "../x", "index": 0, "final": False, "delta": ":percept:"},
        {"message_id": "m", "index": "0", "final": True, "delta": ":percept:"},
        {"message_id": "m", "index": 0, "final": True, "delta": None},
        {"message_id": "m", "index": -1, "final": True, "delta": ":percept:"},
    ],
)
def test_an_event_that_is_not_as_known_changes_nothing(screen: Screen, fields: object) -> None:
    event = screen.hooks.event("MessageDisplay", **(fields if isinstance(fields, dict) else {}))

    assert screen.hooks.alone(event) == ""
    assert screen.waiting() == []


def test_many_messages_at_once_do_not_disturb_each_other(screen: Screen) -> None:
    def message(_: int) -> list[str]:
        one = Screen.__new__(Screen)
        one.__dict__ = {**screen.__dict__, "message": str(uuid.uuid4())}
        lines = [f"a {one.tag('x')}\n", f"{one.tag('y')} b"]
        return [one.shown(0, lines[0]), one.shown(1, lines[1], final=True)]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(message, range(8))) == [["a \n", " b"]] * 8
