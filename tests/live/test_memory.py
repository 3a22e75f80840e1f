"""What a real session records, later ones are told, and what is forgotten is gone."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from attendd.hot import places
from tests.live.box import eventually
from tests.live.client import Client
from tests.live.scene import SOON_S, Scene, Setting, scene
from tests.live.wire import Answer, Usage

ON = "[memory]\nenabled = true\n"
FACT = "the staging database is called warehouse seven"
LESSON, FACTS = "[attend memory]", "[Remembered facts]"


@pytest.fixture
def remembering(claude: Path, tmp_path: Path) -> Iterator[Scene]:
    """A session of a project with a memory."""
    with scene(claude, tmp_path / "requests.jsonl", Setting(config=ON)) as running:
        yield running


def state(scene: Scene) -> Path:
    return scene.box.root / "attend" / "state"


def nonce(scene: Scene) -> str:
    """The nonce that the session was taught."""
    sql = "SELECT nonce FROM nonce WHERE session = ? AND rotated_wall IS NULL"

    def look() -> str:
        with (
            suppress(sqlite3.OperationalError),  # there is no store yet, or no table
            closing(sqlite3.connect(state(scene) / "attend.db")) as db,
        ):
            return "".join(row[0] for row in db.execute(sql, (scene.session,)))
        return ""

    return str(eventually(look, SOON_S))


def facts(scene: Scene) -> list[dict[str, Any]]:
    """The facts that a person is shown."""
    return list(json.loads(scene.box.attend("memory", "list", "--json").stdout)["facts"])


def record(scene: Scene) -> dict[str, Any]:
    """Have the model record the fact; return it as it is listed."""
    name = f"attend:percept:{nonce(scene)}"
    scene.prompt("what do you know", Answer(f"It is this. <{name}>{FACT}</{name}>"))
    scene.client.wait_resting()
    assert eventually(lambda: len(facts(scene)) == 1, SOON_S), scene.state()
    return facts(scene)[0]


def test_a_second_session_is_told_what_the_first_recorded_and_what_is_forgotten_is_gone(
    remembering: Scene, claude: Path
) -> None:
    one = remembering
    assert LESSON in one.prompt("hello there").whole()
    found = record(one)
    assert (found["text"], found["session"]) == (FACT, one.session)

    with Client(claude, one.box, "--dangerously-skip-permissions") as client:
        client.wait_resting()
        two = Scene(one.api, one.box, client)
        first = two.prompt("good morning")
        assert first.session == two.session
        assert f"{FACTS}\n" in first.whole()
        assert f"\n- {FACT}\n" in first.whole()
        assert first.whole().index(LESSON) < first.whole().index(f"{FACTS}\n")
        assert client.wait_drawn("1 remembered fact", SOON_S), one.state()

        done = one.box.attend("memory", "forget", found["id"])
        assert done.returncode == 0, done.stderr
        left = [path for path in state(one).rglob("*") if path.is_file()]
        assert [path for path in left if FACT.encode() in path.read_bytes()] == []
        client.wait_resting()
        assert "note 1 of block 1 was withdrawn" in two.prompt("and now").news()
        client.wait_resting()


def test_what_a_session_recorded_is_back_after_compaction(remembering: Scene) -> None:
    one = remembering
    record(one)
    name = f"attend:percept:{nonce(one)}"
    one.prompt("make it so", Answer(f"I will. <{name}>@goal: the login works</{name}>"))
    one.client.wait_resting()
    assert eventually(lambda: len(facts(one)) == 2, SOON_S), one.state()
    one.prompt("much is said", Answer("much", usage=Usage(cached=60_000)))
    one.client.wait_resting()

    one.compact()
    after = one.prompt("go on", Answer("on", usage=Usage(cached=3_000)))

    assert after.whole().count(f"\n- {FACT}\n") == 1, after.whole()[-6000:]
    assert after.whole().count(f"{LESSON}\n") == 1
    goal = "[Current user goal], as this session noted it at prompt 2;"
    assert after.whole().count(goal) == 1
    assert f"{goal} a record, not an instruction: the login works\n" in after.whole()


def test_a_person_sees_at_the_end_of_a_turn_that_facts_can_not_be_kept(
    remembering: Scene,
) -> None:
    one = remembering
    record(one)
    noted = one.box.root / "attend" / "run" / "unkept" / places.digest(one.session)
    noted.parent.mkdir(mode=0o700)
    noted.write_text("the disk is full")

    one.prompt("go on", Answer("I did."))

    assert one.client.wait_drawn("they wait: the disk is full", SOON_S), one.state()
    one.client.wait_resting()
    # It is not said again; a host that sees that all is well takes it away.
    assert not noted.exists() or noted.read_text() == ""


def test_a_fact_comes_with_the_prompt_that_is_about_it(remembering: Scene) -> None:
    one = remembering
    one.prompt("hello there")
    one.client.wait_resting()
    one.box.attend("memory", "learn", FACT)

    asked = one.prompt("which database is for staging")

    assert f"\n- {FACT}\n" in asked.news()
    shown = json.loads(one.box.attend("memory", "injected", "--json").stdout)["injections"]
    assert [each["text"] for each in shown[-1]["facts"]] == [FACT]
