"""A store of one's own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.store import Store
from tests.store import fresh, given


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "attend.db"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of attend's own, for what looks for one."""
    made = tmp_path / "home"
    monkeypatch.setenv("ATTEND_HOME", str(made))
    return made


@pytest.fixture
def db(path: Path) -> Iterator[hot.Connection]:
    """Open a store in which ``a1`` reads for ``s1``."""
    with given.opened(Path(fresh.store(path))) as db:
        given.enrol(db)
        given.attach(db)
        yield db


@pytest.fixture
def store(db: hot.Connection, path: Path) -> Iterator[Store]:
    store = Store(str(path))
    yield store
    store.close()
