"""A real systemd: these tests run by `make live` alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.machine import Machine, NoMachineError, machine

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what lies here, and leave it out unless it was asked for."""
    asked_for = "systemd" in str(config.getoption("markexpr"))
    for item in [one for one in items if HERE in one.path.parents]:
        item.add_marker(pytest.mark.systemd)
        item.add_marker(pytest.mark.timeout(180))
        if not asked_for:
            items.remove(item)
            config.hook.pytest_deselected(items=[item])


@pytest.fixture
def booted() -> Iterator[Machine]:
    """A machine to which nobody has logged in yet."""
    try:
        with machine() as found:
            yield found
    except NoMachineError as error:
        pytest.skip(f"a machine with systemd: {error}")


@pytest.fixture
def here(booted: Machine) -> Machine:
    """One that its user has logged in to."""
    booted.log_in()
    return booted


@pytest.fixture
def served(here: Machine) -> Machine:
    """One with attend's service, and nothing held back for having been told too much."""
    here.write(
        "/root/.config/attend/config.toml", "[governor]\ngap_s = 0.0\nmax_batches = 1000\n"
    )
    here.run("attend", "service", "install")
    return here
