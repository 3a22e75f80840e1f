"""The real client: these tests run by `make live` alone."""

import json
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.live.box import throw_away
from tests.live.install import OLDER, NoClientError, client, release
from tests.live.scene import QUIET_S, Scene, Setting, Unprompted, scene

HERE = Path(__file__).parent
RESULT = HERE.parents[1] / "results" / "live.json"
OUTCOMES = pytest.StashKey[dict[str, tuple[object, ...]]]()
PROGRAM = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Make room for what the result file says."""
    config.stash[OUTCOMES] = {}
    config.stash[PROGRAM] = ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what lies here, and leave it out unless it was asked for."""
    asked_for = "live" in str(config.getoption("markexpr"))
    for item in [one for one in items if HERE in one.path.parents]:
        item.add_marker(pytest.mark.live)
        item.add_marker(pytest.mark.timeout(QUIET_S + 180))
        if not asked_for:
            items.remove(item)
            config.hook.pytest_deselected(items=[item])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember how each test ended, how many seconds it took, and what it measured."""
    report = yield
    if HERE in item.path.parents and (report.when == "call" or not report.passed):
        seconds = round(report.duration, 2)
        item.config.stash[OUTCOMES][item.nodeid] = (
            report.outcome,
            seconds,
            *report.user_properties,
        )
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the result file, where tests of the real client ran."""
    if outcomes := session.config.stash[OUTCOMES]:
        RESULT.parent.mkdir(exist_ok=True)
        found = {"client": session.config.stash[PROGRAM], "quiet_s": QUIET_S, "tests": outcomes}
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def claude(pytestconfig: pytest.Config) -> Path:
    """The real client's program."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("the real client: what it leaves behind is found through /proc")
    try:
        found = client()
    except (NoClientError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"the real client: {error}")
    with throw_away("http://127.0.0.1:9") as box:
        pytestconfig.stash[PROGRAM] = box.run(str(found), "--version").stdout.strip()
    return found


@pytest.fixture(scope="session")
def older(claude: Path) -> Path:
    """The program of a release that knows no monitors."""
    del claude  # what lets that one run here lets this one run
    try:
        return release(OLDER)
    except (NoClientError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"a client without monitors: {error}")


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
