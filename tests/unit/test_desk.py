"""What lies ready for a prompt's hook is left to it for a moment when a turn begins."""

import asyncio
from typing import Any

from attendd.engine.batch import Batch, Line
from attendd.host.desk import HOOK_S, Desk, Laid
from attendd.model import Lane, Priority
from tests.fakes_clock import SimClock


def laying(clock: SimClock, priority: Priority) -> Desk:
    """Return a desk on which a line lies ready."""
    nowhere: Any = None  # nothing here is looked up
    desk = Desk(nowhere, clock, "a1")
    line = Line(slot="git", priority=priority, text="branch changed", items=(1,))
    batch = Batch(lines=(line,), lane=Lane.EVENT, opener=1, wakes=False)
    desk.laid = Laid("c1", "s1", batch, "", "a1/ride", clock.now())
    return desk


def test_a_turn_that_begins_leaves_it_to_the_hook_of_its_prompt_and_not_for_long() -> None:
    clock = SimClock()
    desk = laying(clock, Priority.MEDIUM)
    assert desk.left_s() == 0.0

    desk.woken()

    assert desk.left_s() == HOOK_S
    asyncio.run(clock.wait(asyncio.Event(), HOOK_S))
    assert desk.left_s() == 0.0


def test_nothing_waits_for_a_hook_that_has_taken_it_or_for_what_merely_rides() -> None:
    clock = SimClock()
    desk = laying(clock, Priority.LOW)
    desk.woken()
    assert desk.left_s() == 0.0

    desk = laying(clock, Priority.HIGH)
    desk.woken()
    desk.laid = None
    assert desk.left_s() == 0.0
