"""How a sensor fares: what it says it does not see, beside what else may be wrong with it."""

from collections.abc import Callable

from attendd.api import SensorConfig, SensorType
from attendd.engine.batch import SlotView
from attendd.host.sensing import Sensing

VIEW = SlotView(
    name="x",
    pending=0,
    magnitude=0.0,
    threshold=2.0,
    held="",
    riding=0,
    interval_s=30.0,
    failures=0,
    next_poll=0.0,
)


def sensing(limits: Callable[[], object]) -> Sensing:
    """Return a sensor that says so of what it does not see."""

    class Limited:
        def __init__(self, config: SensorConfig) -> None:
            self.limits = limits

        async def poll(self, focus: object) -> list[object]:
            return []

    return Sensing(SensorType("x", "", SensorConfig, Limited), SensorConfig(), 0.0)  # type: ignore[arg-type]


def state(of: Sensing) -> tuple[str, float, str]:
    """Return its state, since when, and why."""
    row = of.row("a1", VIEW, 0.0)
    return row.state, row.since_at, row.detail


def test_what_a_sensor_does_not_see_is_said_for_as_long_as_it_is_so() -> None:
    said = ["half of it;\n  turn the other on"]
    one = sensing(lambda: said[-1])
    one.well(10.0)
    one.well(20.0)
    assert state(one) == ("limited", 10.0, "half of it; turn the other on")

    said.append("")
    one.well(30.0)
    assert state(one) == ("ok", 30.0, "")


def test_a_failure_comes_before_it() -> None:
    one = sensing(lambda: "half of it")
    one.well(10.0)
    one.failed(20.0, ValueError("broken"))
    assert state(one) == ("failing", 20.0, "ValueError: broken")

    one.well(30.0)
    assert state(one) == ("limited", 30.0, "half of it")


def test_one_that_can_not_say_it_is_well_and_that_is_said_once() -> None:
    def broken() -> object:
        raise ValueError("no idea")

    for limits in (broken, lambda: 5):
        one = sensing(limits)
        one.well(10.0)
        one.well(20.0)
        assert state(one)[0] == "ok"
        ((complaint, _),) = one.complaints()
        assert complaint.startswith("what it does not see is not known: ")
