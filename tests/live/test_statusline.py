"""The client draws our status line, and its own figures come to the gauge."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.live.box import Box, eventually, throw_away
from tests.live.client import COLUMNS, Client
from tests.live.scene import Scene, Setting, prepare
from tests.live.scripted_api import ScriptedApi

COMMAND = 'echo "${COLUMNS-}" >"$HOME/columns"; attend statusline'


@pytest.fixture
def drawn(claude: Path, tmp_path: Path) -> Iterator[Scene]:
    """A session of a person who has set the status line, and the plugin."""
    with ScriptedApi(tmp_path / "requests.jsonl") as api, throw_away(api.url) as box:
        flags = prepare(claude, box, Setting())
        path = box.client_dir / "settings.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        settings["statusLine"] = {"type": "command", "command": COMMAND}
        path.write_text(json.dumps(settings), encoding="utf-8")
        with Client(claude, box, *flags) as client:
            client.wait_resting()
            yield Scene(api, box, client)
        assert eventually(lambda: not box.processes(), 5.0), box.processes()


def stated(box: Box) -> list[tuple[str, int | None, int | None, str | None]]:
    """Return what the client stated, as the store has it."""
    sql = "SELECT session, window_tokens, used_tokens, model FROM stated"
    try:
        with closing(sqlite3.connect(box.root / "attend" / "state" / "attend.db")) as db:
            return list(db.execute(sql))
    except sqlite3.OperationalError:
        return []


def test_the_line_is_drawn_and_the_window_is_known(drawn: Scene) -> None:
    assert drawn.client.wait_drawn("context not measured yet, of", 20.0), drawn.state()

    drawn.prompt("hello there")
    drawn.client.wait_resting()

    assert drawn.client.wait_drawn("% of ", 20.0), drawn.state()
    session = drawn.client.record()["sessionId"]
    assert eventually(
        lambda: any(row[0] == session and row[2] for row in stated(drawn.box)), 10.0
    )
    (row,) = (row for row in stated(drawn.box) if row[0] == session)
    assert row[1] in (200_000, 1_000_000)
    assert row[3]
    width = (drawn.box.home / "columns").read_text(encoding="utf-8").strip()
    assert width == str(COLUMNS)
