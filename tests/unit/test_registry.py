"""Plugins as they are found: real distributions on disk, some of them broken."""

import sys
import textwrap
from collections.abc import Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

import pytest

from attendd import registry
from attendd.api import Observation

SEEN = (Observation(text="a thing happened"),)

SENSOR = """
from attendd.api import SensorConfig, SensorType, hookimpl

class Config(SensorConfig, frozen=True, kw_only=True):
    size: int = 3

class Nothing:
    async def poll(self, focus):
        return []

@hookimpl
def attend_sensors():
    return [SensorType({name!r}, "says nothing", Config, lambda config: Nothing())]
"""
COMPONENT = """
from attendd.api import Component, hookimpl

@hookimpl
def attend_disclosures():
    return [Component(id={id!r}, text={text!r}, order={order})]
"""


class Shelf:
    """A folder of installed distributions, each with one module that is its plugin."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def install(
        self, distribution: str, code: str, *, point: str = "", module: str = ""
    ) -> None:
        """Put one there. Without a name, point and module are called as the distribution."""
        module = module or f"plugin_{distribution}"
        (self._folder / f"{module}.py").write_text(textwrap.dedent(code))
        info = self._folder / f"{distribution}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n"
        )
        (info / "entry_points.txt").write_text(
            f"[attend]\n{point or distribution} = {module}\n"
        )

    def load(self) -> registry.Registry:
        found: list[EntryPoint] = [
            point
            for dist in distributions(path=[str(self._folder)])
            for point in dist.entry_points
        ]
        return registry.load(found)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield Shelf(tmp_path)
    for name in set(sys.modules) - before:
        if name.startswith("plugin_"):
            del sys.modules[name]


def reasons(loaded: registry.Registry) -> dict[str, str]:
    return {rejected.name: rejected.reason for rejected in loaded.rejected}


def test_a_plugin_s_sensor_is_found(shelf: Shelf) -> None:
    shelf.install("disk", SENSOR.format(name="disk"))

    loaded = shelf.load()

    assert list(loaded.sensors) == ["disk"]
    assert loaded.rejected == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("def broken(:", "SyntaxError: "),
        (
            "from attendd.api import hookimpl\n@hookimpl\ndef attend_senses(): ...",
            "there is no hook attend_senses; did you mean attend_sensors?",
        ),
        (
            "from attendd.api import hookimpl\n@hookimpl\ndef attend_sensors(colour): ...",
            "attend_sensors is not called with colour",
        ),
        (
            "from attendd.api import hookimpl\n@hookimpl\nasync def attend_sensors(): ...",
            "TypeError: attend_sensors may not be async",
        ),
        (
            "from attendd.api import hookimpl\n@hookimpl(wrapper=True)\n"
            "def attend_sensors():\n    return (yield)",
            "TypeError: attend_sensors may not be a wrapper",
        ),
        (
            "def attend_sensors(): ...",
            "TypeError: it implements no hook; is @hookimpl missing?",
        ),
        (
            "from attendd.api import hookimpl\n@hookimpl\ndef attend_sensors():\n    1 / 0",
            "ZeroDivisionError: division by zero",
        ),
        (
            "from attendd.api import hookimpl\n@hookimpl\ndef attend_sensors():\n    return 5",
            "TypeError: 'int' object is not iterable",
        ),
    ],
)
def test_a_broken_plugin_is_set_aside_and_the_rest_run(
    shelf: Shelf, code: str, reason: str
) -> None:
    shelf.install("bad", code)
    shelf.install("good", SENSOR.format(name="good"))

    loaded = shelf.load()

    assert list(loaded.sensors) == ["good"]
    assert list(reasons(loaded)) == ["bad"]
    assert reasons(loaded)["bad"].startswith(reason)
    assert "\n" not in reasons(loaded)["bad"]
    assert "Traceback" in loaded.rejected[0].detail
    assert not loaded.manager.has_plugin("bad")


@pytest.mark.parametrize("name", ["", "two words", "a\nb", "-x", "7up", "a" * 41, "é"])
def test_a_name_that_would_not_fit_a_header_is_refused(shelf: Shelf, name: str) -> None:
    shelf.install("odd", SENSOR.format(name=name))

    (rejected,) = shelf.load().rejected

    assert "letters, digits" in rejected.reason


def test_the_first_sensor_of_a_name_stays_and_ours_come_first(shelf: Shelf) -> None:
    """A stranger can add to attend, not quietly take the place of a part of it."""
    shelf.install("aaa", SENSOR.format(name="git"))
    shelf.install("attendd", SENSOR.format(name="git").replace("nothing", "ours"), point="git")

    loaded = shelf.load()

    assert loaded.sensors["git"].summary == "says ours"
    assert reasons(loaded) == {"aaa/git": "another plugin already offers a sensor of this name"}


def test_two_distributions_may_use_one_entry_point_name(shelf: Shelf) -> None:
    shelf.install("one", SENSOR.format(name="one"), point="disk")
    shelf.install("two", SENSOR.format(name="two"), point="disk")

    loaded = shelf.load()

    assert sorted(loaded.sensors) == ["one", "two"]
    assert loaded.manager.has_plugin("disk")
    assert loaded.manager.has_plugin("disk@two")


def test_a_module_offered_twice_is_loaded_once(shelf: Shelf) -> None:
    shelf.install("one", SENSOR.format(name="one"), module="plugin_same")
    shelf.install("two", SENSOR.format(name="one"), module="plugin_same")

    loaded = shelf.load()

    assert list(loaded.sensors) == ["one"]
    assert "already registered" in reasons(loaded)["two"]


CONFIGS = {
    "class Config: ...": "its config is not a subclass of SensorConfig",
    "class Config(SensorConfig, kw_only=True, frozen=True):\n    path: str": (
        "its config does not work with every key left out: Object missing required field `path`"
    ),
    "class Config(SensorConfig, kw_only=True, frozen=True):\n    path: 'Nowhere' = 1": (
        "its config does not work with every key left out: name 'Nowhere' is not defined"
    ),
}


@pytest.mark.parametrize("config", CONFIGS)
def test_a_config_that_cannot_be_checked_is_refused(shelf: Shelf, config: str) -> None:
    code = SENSOR.format(name="bad")
    start, end = code.index("class Config"), code.index("class Nothing")
    shelf.install("bad", f"{code[:start]}{config}\n\n{code[end:]}")

    loaded = shelf.load()

    assert reasons(loaded) == {"bad/bad": CONFIGS[config]}


def test_one_bad_sensor_does_not_cost_a_plugin_its_others(shelf: Shelf) -> None:
    shelf.install("mixed", SENSOR.format(name="good").replace("return [", "return [7, "))

    loaded = shelf.load()

    assert list(loaded.sensors) == ["good"]
    assert reasons(loaded) == {
        "mixed/int": "attend_sensors returned an object of type int",
    }


def test_texts_are_taught_in_their_order(shelf: Shelf) -> None:
    shelf.install("late", COMPONENT.format(id="late", text="Two.", order=20))
    shelf.install("soon", COMPONENT.format(id="soon", text="One.", order=10))

    loaded = shelf.load()

    assert [component.id for component in loaded.components] == ["soon", "late"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "line\n" * 13,
            "its text has 13 lines and 64 characters; at most 12 and 1100 are allowed",
        ),
        (
            "x" * 1101,
            "its text has 1 lines and 1101 characters; at most 12 and 1100 are allowed",
        ),
        (" \n", "its id or its text is empty"),
    ],
)
def test_a_text_over_its_budget_is_set_aside(shelf: Shelf, text: str, reason: str) -> None:
    shelf.install("wordy", COMPONENT.format(id="wordy", text=text, order=1))

    loaded = shelf.load()

    assert loaded.components == []
    assert reasons(loaded) == {"wordy/wordy": reason}


LISTENER = """
from attendd.api import hookimpl
import sys

@hookimpl
def attend_emitted(observations, session):
    print("heard", session, observations[0].text)
    {then}
"""


def test_every_listener_hears_although_one_of_them_fails(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing that a plugin prints can reach stdout, which belongs to the session."""
    shelf.install("bad", LISTENER.format(then="1 / 0"))
    shelf.install("good", LISTENER.format(then="pass"))
    loaded = shelf.load()

    first = loaded.emitted("s1", SEEN)
    again = loaded.emitted("s1", SEEN)

    assert [complaint.name for complaint in first] == ["bad"]
    assert "ZeroDivisionError" in first[0].reason
    assert again == []
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == ["heard s1 a thing happened"] * 4


def test_a_slow_listener_is_named_once(shelf: Shelf) -> None:
    shelf.install(
        "slow",
        LISTENER.format(then="import select; select.select([], [], [], 0.15)"),
    )
    loaded = shelf.load()

    (complaint,) = loaded.emitted("s1", SEEN)

    assert complaint.reason.startswith("attend_emitted took 1")
    assert complaint.reason.endswith(" ms; it may take 100")
    assert loaded.emitted("s1", SEEN) == []
