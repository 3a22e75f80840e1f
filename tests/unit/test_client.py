"""A client is read once for all who ask together, and again once its files have changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from attendd.harness import NoView
from attendd.host.client import Client
from tests.fakes_clock import SimClock

pytestmark = pytest.mark.asyncio


class _View(NoView):
    """Counts the looks; `during` is called in the middle of each."""

    def __init__(self) -> None:
        super().__init__("s1")
        self.looks = 0
        self.during: Callable[[], None] = lambda: None

    def refresh(self) -> None:
        self.looks += 1
        self.during()


@pytest.fixture
def view() -> _View:
    return _View()


@pytest.fixture
def client(view: _View) -> Client:
    return Client(Path("/w"), view, SimClock(), lambda _session: None)


async def test_who_asks_at_the_same_time_shares_a_look(client: Client, view: _View) -> None:
    await client.activity()
    await client.activity()

    assert view.looks == 1


async def test_a_change_is_looked_at_however_lately_there_was_a_look(
    client: Client, view: _View
) -> None:
    await client.activity()
    client.stale()
    await client.activity()
    await client.activity()

    assert view.looks == 2


async def test_a_look_that_was_under_way_does_not_count_for_a_change(
    client: Client, view: _View
) -> None:
    view.during = client.stale
    await client.activity()
    view.during = lambda: None
    await client.activity()

    assert view.looks == 2
