"""`attend top` in few columns: everything is there, in as many lines as that takes."""

import msgspec
import pytest

from attendd.cli import table, top_look, top_page
from attendd.store import Conduit
from tests.process.box import Box
from tests.process.test_top import seed

__all__ = ["seed"]


@pytest.fixture
def look(
    box: Box,
    seed: object,
    monkeypatch: pytest.MonkeyPatch,
) -> top_look.Look:
    """A sensor that holds something, one that fails, a way in that fails, and a line told."""
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])
    seen = top_look.Looker().look()
    (session,) = seen.attended
    way = Conduit(
        session=session.reader.session,
        name="stop",
        ok_at=seen.at - 60,
        failed_at=seen.at - 3,
        failure="it took longer than 0.3 s",
        latency_ms=12.0,
    )
    ways = [*session.ways, way]
    return msgspec.structs.replace(seen, attended=[msgspec.structs.replace(session, ways=ways)])


@pytest.mark.parametrize("width", [20, 40, 59])
def test_each_sensor_way_and_line_is_said_whole(look: top_look.Look, width: int) -> None:
    lines = [line.text for line in top_page.page(look, width)]
    text = " ".join(line.strip() for line in lines)

    assert max(map(table.cells, lines)) <= width
    assert lines[0].endswith(" · 1 session")
    assert "git 1.5 of 2 held the pause between two batches peers 0 of 2 failing for" in text
    assert ": no such folder" in text
    assert "stop 1 min ago, 12 ms failed 3 s ago: it took longer than 0.3 s" in text
    assert "git: 1 new commit by Mira" in text


@pytest.mark.parametrize("width", [1, 2, 5, 9])
def test_in_next_to_no_columns_it_is_cut(look: top_look.Look, width: int) -> None:
    lines = [line.text for line in top_page.page(look, width)]

    assert max(map(table.cells, lines)) <= width
