"""The real client: these tests run by `make live` alone."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.live.install import NoClientError, client
from tests.live.scene import QUIET_S, Scene, Setting, Unprompted, scene

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what lies here, and leave it out unless it was asked for."""
    asked_for = "live" in str(config.getoption("markexpr"))
    for item in [one for one in items if HERE in one.path.parents]:
        item.add_marker(pytest.mark.live)
        item.add_marker(pytest.mark.timeout(QUIET_S + 180))
        if not asked_for:
            items.remove(item)
            config.hook.pytest_deselected(items=[item])


@pytest.fixture(scope="session")
def claude() -> Path:
    """The real client's program."""
    try:
        return client()
    except (NoClientError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"the real client: {error}")


@pytest.fixture
def start(claude: Path, tmp_path: Path) -> Callable[[Setting], AbstractContextManager[Scene]]:
    """Start a session of the given setting."""
    return lambda setting: scene(claude, tmp_path / "requests.jsonl", setting)


@pytest.fixture
def attended(claude: Path, tmp_path: Path) -> Iterator[Scene]:
    """A session with the plugin."""
    with scene(claude, tmp_path / "requests.jsonl", Setting()) as running:
        yield running


@pytest.fixture(scope="session", autouse=True)
def unprompted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Unprompted | None]:
    """A session with the plugin, started before the first test and asked about in the last."""
    wanted = any(item.path.name == "test_unprompted.py" for item in request.session.items)
    with ExitStack() as stack:
        if not wanted:
            yield None
            return
        program = request.getfixturevalue("claude")
        log = tmp_path_factory.mktemp("unprompted") / "requests.jsonl"
        running = stack.enter_context(scene(program, log, Setting()))
        yield Unprompted(running, time.monotonic())
