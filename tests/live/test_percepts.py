"""Facts that a real session emits: off the screen as they are written, listed, and back."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.live.box import eventually, throw_away
from tests.live.scene import SOON_S, Scene, Setting, prepare, scene
from tests.live.scripted_api import ScriptedApi
from tests.live.wire import Answer, Call

ON = "[memory]\nenabled = true\n"
BEFORE, AFTER = "the warehouse database is read only", "releases are cut on fridays"
TOOL = Call("Bash", {"command": "echo looked", "description": "Look"})


@pytest.fixture
def remembering(claude: Path, tmp_path: Path) -> Iterator[Scene]:
    """A session of a project with a memory, and with the plugin that spares the screen."""
    setting = Setting(config=ON, besides=("attend-memory",))
    with scene(claude, tmp_path / "requests.jsonl", setting) as running:
        yield running


def nonce(scene: Scene) -> str:
    """The nonce that the session was taught."""
    path = scene.box.root / "attend" / "state" / "attend.db"
    sql = "SELECT nonce FROM nonce WHERE session = ? AND rotated_wall IS NULL"

    def look() -> str:
        with closing(sqlite3.connect(path)) as db:
            return "".join(row[0] for row in db.execute(sql, (scene.session,)))

    return eventually(look, SOON_S)


def facts(scene: Scene) -> dict[str, dict[str, object]]:
    """The facts that a person is shown, by text."""
    done = scene.box.attend("memory", "list", "--json")
    return {each["text"]: each for each in json.loads(done.stdout)["facts"]}


def test_facts_before_and_after_a_tool_call_are_kept_and_no_tag_is_drawn(
    remembering: Scene,
) -> None:
    one = remembering
    name = f"attend:percept:{nonce(one)}"
    first = f"I look first.\n<{name}>{BEFORE}</{name}>\nNow a tool."
    last = f"All is <{name}>\n{AFTER}\n</{name}>well.\nThe end."
    one.api.cue("looked", Answer(last))

    one.prompt("what do you know", Answer(first, calls=(TOOL,)))
    assert one.client.wait_drawn("The end.", SOON_S), one.state()
    one.client.wait_resting()
    assert eventually(lambda: {BEFORE, AFTER} <= facts(one).keys(), SOON_S), one.state()

    drawn = one.client.drawn()
    for hidden in (name, "percept", "warehousedatabase", "cutonfridays"):
        assert hidden not in drawn
    for text in (BEFORE, AFTER):
        found = facts(one)[text]
        assert (found["session"], found["turn"], found["producer"]) == (one.session, 1, "agent")


@pytest.mark.parametrize("kind", ["text", "stream-json"])
def test_what_a_client_prints_is_filtered_and_kept(
    claude: Path, tmp_path: Path, kind: str
) -> None:
    with ScriptedApi(tmp_path / "requests.jsonl") as api, throw_away(api.url) as box:
        flags = prepare(claude, box, Setting(config=ON, plugin=""))
        made = json.loads(box.attend("memory", "instruction", "--new", "--json").stdout)
        lesson, name = box.project / "lesson.md", f"attend:percept:{made['nonce']}"
        lesson.write_text(made["text"])
        api.cue("what do you know", Answer(f"It is <{name}>{BEFORE}</{name}>this.\n"))

        more = "--verbose --include-partial-messages" if kind == "stream-json" else ""
        done = box.run(
            "sh",
            "-c",
            f'"$0" "$@" --print --output-format {kind} {more} "what do you know"'
            f" | attend filter --format {kind}",
            *(str(claude), *flags, "--append-system-prompt-file", str(lesson)),
        )

        assert f"<{name}>" in api.asked()[0].whole()
        assert "percept" not in done.stdout.replace(made["text"], "")
        assert "It is this." in done.stdout
        assert done.stderr == ""
        found = json.loads(box.attend("memory", "list", "--json").stdout)["facts"]
        assert [each["text"] for each in found] == [BEFORE]
        assert found[0]["source"].startswith("pipe ")
