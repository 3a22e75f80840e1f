"""The private attend of a test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import seal
from tests.process.box import Box, boxed
from tests.process.posting import Office
from tests.process.sandboxing import Sandbox


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


@pytest.fixture
def sandbox(box: Box, office: Office, web: Path) -> Sandbox:
    """A client with its shell commands in a sandbox, and alice, who was here."""
    if os.geteuid() != 0:
        pytest.skip("only root can wall a process off here")
    office.enrol("as:alice", web)
    seal.make()  # as every reader does
    return Sandbox(box, office, web)
