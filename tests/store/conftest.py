"""A store of one's own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import db as hot
from tests.store import given


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "attend.db"


@pytest.fixture
def db(path: Path) -> Iterator[hot.Connection]:
    """Open a store in which ``a1`` reads for ``s1``."""
    with given.opened(path) as db:
        given.enrol(db)
        given.attach(db)
        yield db
