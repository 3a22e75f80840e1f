"""The window as the client states it, and when that counts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attendd.errors import StoreError
from attendd.harness import SessionView, stated
from attendd.store import Stated
from tests.clients import ClientFolder
from tests.transcripts import Written

WINDOW = 500_000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ClientFolder]:
    folder = ClientFolder(tmp_path / "claude")
    yield folder
    folder.close()


@pytest.fixture
def view(folder: ClientFolder) -> SessionView:
    written = Written()
    written.prompt()
    written.answer(1234)
    folder.say(written)
    return folder.view(folder.client())


def says(model: str | None, window: int | None = WINDOW) -> Callable[[str], Stated]:
    return lambda session: Stated(
        session=session,
        at=1.0,
        model=model,
        model_name=None,
        version=None,
        window_tokens=window,
        used_tokens=None,
        used_pct=None,
        cost_usd=None,
        cache_read=None,
        cache_written=None,
        cache_until=None,
    )


def test_for_the_model_of_the_last_answer_it_counts(view: SessionView) -> None:
    own = view.gauge()
    assert own is not None

    for model in (own.model, f"{own.model}[1m]", f"{own.model}-20990101"):
        gauge = stated.gauge(view, says(model))

        assert gauge is not None
        assert (gauge.tokens_total, gauge.window_source) == (WINDOW, "client")


def test_for_another_model_the_table_counts(view: SessionView) -> None:
    assert stated.gauge(view, says("claude-another-9")) == view.gauge()


def test_nothing_stated_changes_nothing(view: SessionView) -> None:
    own = view.gauge()

    assert stated.gauge(view, lambda _session: None) == own
    assert stated.gauge(view, says(own.model if own else "", None)) == own


def test_a_store_that_can_not_be_read_changes_nothing(view: SessionView) -> None:
    def broken(_session: str) -> Stated | None:
        raise StoreError("it is full")

    assert stated.gauge(view, broken) == view.gauge()


def test_before_the_first_answer_it_counts(folder: ClientFolder) -> None:
    gauge = stated.gauge(folder.view(folder.client()), says("any"))

    assert gauge is not None
    assert (gauge.tokens_used, gauge.tokens_total) == (0, WINDOW)
    assert gauge.window_source == "client"
