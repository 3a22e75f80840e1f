"""The private attend of a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.box import Box, boxed
from tests.process.posting import Office


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A home of its own, real processes, nothing left behind."""
    with boxed(tmp_path / "h") as found:
        yield found


@pytest.fixture
def office(box: Box, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """The box's store, with this process in the same home."""
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])
    found = Office(box)
    yield found
    found.db.close()


@pytest.fixture
def web(box: Box) -> Path:
    """A repository to be in."""
    return box.repository("web")
