"""The window as the client states it, and when that counts."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attendd.errors import StoreError
from attendd.harness import SessionView, stated
from attendd.store import Stated
from tests.clients import ClientFolder, states
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
    return lambda session: states(session=session, model=model, window_tokens=window)


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


def test_what_is_stated_after_the_last_answer_counts(view: SessionView) -> None:
    own = view.gauge()
    assert own is not None
    newer = view.gauge(
        states(at=math.inf, model=own.model, window_tokens=WINDOW, used_tokens=90_000)
    )

    assert newer is not None
    assert (newer.tokens_used, newer.pct_used) == (90_000, 18.0)
    assert (newer.method, newer.epoch) == ("stated", own.epoch)


def test_what_was_stated_before_it_does_not(view: SessionView) -> None:
    assert view.gauge(states(used_tokens=90_000)) == view.gauge()


def test_a_share_is_as_good_as_a_count(view: SessionView) -> None:
    gauge = view.gauge(states(at=math.inf, window_tokens=WINDOW, used_pct=45.0))

    assert gauge is not None
    assert (gauge.tokens_used, gauge.pct_used) == (225_000, 45.0)


def test_nothing_used_is_what_a_client_states_before_it_knows(view: SessionView) -> None:
    assert view.gauge(states(at=math.inf, used_tokens=0, used_pct=0.0)) == view.gauge()


def test_the_model_goes_with_the_figure(view: SessionView) -> None:
    gauge = view.gauge(
        states(at=math.inf, model="claude-haiku-4-5", window_tokens=200_000, used_tokens=20_000)
    )

    assert gauge is not None
    assert (gauge.model, gauge.pct_used) == ("claude-haiku-4-5", 10.0)


def test_it_counts_where_the_transcript_is_not_as_known(folder: ClientFolder) -> None:
    written = Written()
    written.prompt()
    written.answer(1000)
    written.rows[-1] = written.rows[-1].replace(b'"output_tokens": 0', b'"output": 0')
    folder.say(written)
    gauge = folder.view(folder.client()).gauge(states(window_tokens=WINDOW, used_tokens=5000))

    assert gauge is not None
    assert (gauge.tokens_used, gauge.method) == (5000, "stated")


def test_of_two_processes_of_one_session_it_says_nothing(folder: ClientFolder) -> None:
    """Nobody knows which of them drew the status line."""
    written = Written()
    written.prompt()
    written.answer(1234)
    folder.say(written)
    pid = folder.client()
    folder.client()
    gauge = folder.view(pid).gauge(states(at=math.inf, used_tokens=90_000))

    assert gauge is not None
    assert gauge.tokens_used == 1234
