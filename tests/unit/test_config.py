"""Configuration files, well written and not: nothing in them stops attend."""

import math
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd import config
from attendd.api import Focus, Observation, SensorConfig, SensorType
from attendd.config.check import Checker, merge
from attendd.errors import ConfigError


class GitConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.git]`` of these tests.

    Attributes:
        dirty_files: the pile of changes worth a remark.
        ignore: names that are never counted.
    """

    dirty_files: Annotated[int, msgspec.Meta(ge=1)] = 20
    ignore: list[str] = []  # noqa: RUF012 - msgspec makes each struct its own


class ContextConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.context]`` of these tests."""

    interval_s: float = 5.0
    min_interval_s: float = 2.0


class Nothing:
    async def poll(self, focus: Focus) -> Sequence[Observation]:  # noqa: ARG002 - the interface
        return []


TYPES = {
    "git": SensorType("git", "what happens in the repository", GitConfig, lambda _: Nothing()),
    "context": SensorType(
        "context", "how full the window is", ContextConfig, lambda _: Nothing()
    ),
}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the user's file stands; there is none yet."""
    monkeypatch.setenv("ATTEND_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o700)
    return tmp_path / "home" / "config.toml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project's folder; it has no file yet."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> None:
    """Replace a file as an editor does, so that its inode tells."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


def git(loaded: config.Loaded) -> GitConfig:
    found = loaded.sensor_config("git")
    assert isinstance(found, GitConfig)
    return found


def test_no_file_means_every_default(user: Path) -> None:
    loaded = config.load(TYPES)

    assert not user.exists()
    assert loaded.config == config.Config()
    assert git(loaded) == GitConfig()
    assert loaded.problems == []


def test_what_the_file_says_is_in_force(user: Path) -> None:
    user.write_text('[sensors.git]\nenabled = false\ninterval_s = 90\nignore = ["a"]\n')

    loaded = config.load(TYPES)

    assert loaded.problems == []
    assert git(loaded) == GitConfig(enabled=False, interval_s=90.0, ignore=["a"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[context]\nttl_s = 0", "config.toml: context.ttl_s: expected `float` > 0.0"),
        (
            "[context]\nttl = 1",
            "config.toml: context.ttl: unknown key\n  hint: did you mean 'ttl_s'?",
        ),
        ("contxt = 1", "config.toml: contxt: unknown key\n  hint: did you mean 'context'?"),
        ("[context]\nttl_s = 'x'", "config.toml: context.ttl_s: expected `float`, got `str`"),
        ("context = 3", "config.toml: context: expected a table, got `int`"),
        ("[context]\nttl_s = inf", "config.toml: context.ttl_s: is not a finite number"),
        (
            "[sensors.git]\ndirty_file = 1",
            "config.toml: sensors.git.dirty_file: unknown key\n  hint: did you mean 'dirty_files'?",
        ),
        (
            "[sensors.git]\ninterval_s = 'often'",
            "config.toml: sensors.git.interval_s: expected `float`, got `str`",
        ),
        (
            "[sensors.git]\nignore = [1]",
            "config.toml: sensors.git.ignore: expected `str`, got `int`",
        ),
        (
            "[sensors.gti]\nenabled = true",
            "config.toml: sensors.gti: no such sensor is installed\n  hint: did you mean 'git'?",
        ),
        ("[sensors]\ngit = 1", "config.toml: sensors.git: expected a table"),
        ("sensors = 1", "config.toml: sensors: expected a table for each sensor"),
        (
            "[git]\nenabled = false",
            "config.toml: git: unknown section\n"
            "  hint: a sensor's keys stand under [sensors.git]",
        ),
        (
            "[sensors.git]\ninterval_s = 20\nmin_interval_s = 30",
            "config.toml: sensors.git.min_interval_s: is longer than interval_s (20)",
        ),
        ('"a.b\\n" = 1', 'config.toml: "a.b\\n": unknown key'),
        ("[context\n", "config.toml: not valid TOML: Expected ']' at the end of a table"),
        ("a = " + "[" * 5000, "config.toml: not valid TOML: "),
        ("# \udcff", "config.toml: not valid TOML: 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_a_fault_is_said_with_its_file_key_and_likely_slip(
    user: Path, text: str, problem: str
) -> None:
    user.write_bytes(text.encode(errors="surrogateescape"))

    loaded = config.load(TYPES)

    assert [said.startswith(problem) for said in loaded.problems] == [True], loaded.problems
    assert loaded.config.context == config.Context()
    assert git(loaded).dirty_files == GitConfig().dirty_files


def test_one_wrong_value_does_not_cost_the_others(user: Path) -> None:
    user.write_text(
        "[context]\ncommand = 'gauge'\nttl_s = -1\n[sensors.git]\nthreshold = 99\ndirty_files = 3\n"
    )

    loaded = config.load(TYPES)

    assert loaded.config.context.command == "gauge"
    assert git(loaded).dirty_files == 3
    assert git(loaded).threshold == GitConfig().threshold
    assert len(loaded.problems) == 2


def test_a_short_pause_is_never_undercut_by_a_default(user: Path) -> None:
    user.write_text("[sensors.git]\ninterval_s = 4\n")

    loaded = config.load(TYPES)

    assert (git(loaded).interval_s, git(loaded).min_interval_s) == (4.0, 4.0)
    assert loaded.problems == []


@pytest.mark.parametrize("kind", ["fifo", "folder", "huge", "forbidden"])
def test_what_cannot_be_read_is_said_and_never_waited_for(user: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(user)
    elif kind == "folder":
        user.mkdir()
    elif kind == "huge":
        user.write_text("#" * 300_000)
    else:
        user.symlink_to("/proc/1/mem" if os.geteuid() else user)  # a link to itself

    loaded = config.load(TYPES)

    (problem,) = loaded.problems
    assert problem.startswith("config.toml: cannot be read: ")
    assert loaded.config == config.Config()


PROJECT_SAYS = """
[sensors.git]
enabled = false
threshold = 5
interval_s = 60
min_interval_s = 20
decay_threshold = 2
"""


def test_a_project_may_set_how_often_sensors_look_and_speak(user: Path, project: Path) -> None:
    user.write_text("[sensors.git]\ndirty_files = 3\ninterval_s = 30\n")
    (project / ".attend.toml").write_text(PROJECT_SAYS)

    loaded = config.for_project(config.load(TYPES), project, TYPES)

    assert loaded.problems == []
    assert git(loaded) == GitConfig(
        enabled=False,
        threshold=5.0,
        interval_s=60.0,
        min_interval_s=20.0,
        decay_threshold=2,
        dirty_files=3,
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[context]\ncommand = 'rm -rf ~'",
            "context: may be set only in your own configuration, not by a project",
        ),
        (
            "[sensors.git]\ndirty_files = 1",
            "sensors.git.dirty_files: may be set only in your own configuration, not by a project",
        ),
        ("[sensors.git]\nthreshold = 0", "sensors.git.threshold: a project may set 0.5 to 10"),
        (
            "[sensors.git]\ninterval_s = 1",
            "sensors.git.interval_s: a project may set 10 to 3600",
        ),
        (
            "[sensors.git]\ninterval_s = nan",
            "sensors.git.interval_s: a project may set 10 to 3600",
        ),
        ("[sensors.git]\nenabled = 'yes'", "sensors.git.enabled: expected `bool`, got `str`"),
        (
            "[sensors.git]\nthreshold = true",
            "sensors.git.threshold: expected `float`, got `bool`",
        ),
        (
            "[sensors.git]\ntreshold = 3",
            "sensors.git.treshold: unknown key\n  hint: did you mean 'threshold'?",
        ),
        ("[sensors.peer]", "sensors.peer: no such sensor is installed"),
        ("nonsense", "not valid TOML: "),
    ],
)
def test_whatever_else_a_project_says_is_ignored_and_said(
    user: Path, project: Path, text: str, problem: str
) -> None:
    (project / ".attend.toml").write_text(text)
    mine = config.load(TYPES)

    loaded = config.for_project(mine, project, TYPES)

    assert [said.startswith(f".attend.toml: {problem}") for said in loaded.problems] == [True]
    assert loaded.config == mine.config
    assert loaded.sensors == mine.sensors
    assert not user.exists()


def test_a_complaint_about_the_user_s_file_is_not_blamed_on_the_project(
    user: Path, project: Path
) -> None:
    user.write_text("[sensors.git]\ninterval_s = 20\nmin_interval_s = 30\n")
    (project / ".attend.toml").write_text("[sensors.git]\nthreshold = 3\n")

    loaded = config.for_project(config.load(TYPES), project, TYPES)

    (problem,) = loaded.problems
    assert problem.startswith("config.toml: sensors.git.min_interval_s")


def test_a_change_is_noticed_and_no_change_costs_no_reading(user: Path) -> None:
    live = config.LiveConfig(TYPES)
    before = live.current()
    write(user, "[sensors.git]\nthreshold = 3\n")

    after = live.current()

    assert git(before).threshold == GitConfig().threshold
    assert git(after).threshold == 3.0
    assert live.current() is after


def test_a_file_that_breaks_leaves_in_force_what_it_said(user: Path) -> None:
    write(user, "[sensors.git]\nthreshold = 3\ndirty_files = 7\n")
    live = config.LiveConfig(TYPES)
    write(user, "[sensors.git]\nthreshold = 'low'\ndirty_files = 8\n")

    one_wrong = live.current()
    write(user, "[sensors.git\n")
    all_wrong = live.current()
    write(user, "")
    mended = live.current()

    assert (git(one_wrong).threshold, git(one_wrong).dirty_files) == (3.0, 8)
    assert (git(all_wrong).threshold, git(all_wrong).dirty_files) == (3.0, 8)
    assert (len(one_wrong.problems), len(all_wrong.problems)) == (1, 1)
    assert (git(mended), mended.problems) == (GitConfig(), [])


def test_a_project_s_file_is_followed_in_the_same_way(user: Path, project: Path) -> None:
    live = config.LiveConfig(TYPES)
    file = project / ".attend.toml"

    without = live.project(project)
    write(file, "[sensors.git]\nthreshold = 3\n")
    with_file = live.project(project)
    again = live.project(project)
    write(file, "[sensors.git]\nthreshold = 'x'\n")
    broken = live.project(project)
    write(user, "[sensors.git]\ndirty_files = 2\n")
    user_changed = live.project(project)
    file.unlink()
    gone = live.project(project)

    assert without is not with_file
    assert again is with_file
    assert git(with_file).threshold == git(broken).threshold == 3.0
    assert (git(user_changed).threshold, git(user_changed).dirty_files) == (3.0, 2)
    assert gone is live.current()


def test_the_default_file_is_valid_and_changes_nothing(user: Path) -> None:
    config.write_default(user, TYPES)

    loaded = config.load(TYPES)

    assert (loaded.problems, loaded.config) == ([], config.Config())
    with pytest.raises(ConfigError, match="exists already"):
        config.write_default(user, TYPES)


def test_every_default_in_the_default_file_is_right(user: Path) -> None:
    """Taken out of their comments, the lines say what is in force without them."""
    keys = [
        line.removeprefix("# ") if " = " in line and not line.startswith("#   ") else line
        for line in config.default_text(TYPES).splitlines()
        if not line.startswith("# attend's")
    ]
    user.write_text("\n".join(keys))

    loaded = config.load(TYPES)

    assert loaded.problems == []
    assert loaded.config.context == config.Context()
    assert loaded.sensors == {"git": GitConfig(), "context": ContextConfig()}


def test_every_key_says_what_it_means() -> None:
    unsaid = [
        f"{part.name}.{field.name}"
        for part in config.sections(TYPES)
        for field in part.fields
        if not field.meaning
    ]

    assert unsaid == []


def test_what_is_in_force_can_be_shown_as_a_file(user: Path) -> None:
    user.write_text(
        "[sensors.git]\nignore = ['a\"b', 'é\u200b']\n[context]\ncommand = 'a\\b'\n"
    )
    loaded = config.load(TYPES)

    shown = config.as_toml(config.effective(loaded.config, loaded.sensors))
    user.write_text(shown)

    again = config.load(TYPES)
    assert again.problems == []
    assert (again.sensors, again.config.context) == (loaded.sensors, loaded.config.context)


def test_the_engine_gets_its_part(user: Path) -> None:
    loaded = config.load(TYPES)

    settings = config.engine_settings(loaded.config)

    assert settings.governor == loaded.config.governor
    assert not user.exists()


SCALARS = (
    st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers())
)
KEYS = st.sampled_from(
    [
        "git",
        "enabled",
        "threshold",
        "interval_s",
        "min_interval_s",
        "ignore",
        "context",
        "ttl_s",
    ]
) | st.text(max_size=6)
TABLES = st.recursive(
    st.dictionaries(KEYS, SCALARS, max_size=4),
    lambda inner: st.dictionaries(KEYS, SCALARS | inner, max_size=4),
    max_leaves=12,
)


@given(said=TABLES, good=TABLES)
def test_any_table_gives_a_struct_that_fits(said: dict[str, Any], good: dict[str, Any]) -> None:
    checker = Checker("config.toml")

    made, kept = checker.fit(said, GitConfig, ("sensors", "git"), good)

    assert msgspec.convert(kept, GitConfig) == made
    assert math.isfinite(made.threshold)
    assert all("\n" not in said.split("\n  hint: ")[0] for said in checker.problems)
    if kept != said:
        assert checker.problems != []


@given(below=TABLES, above=TABLES)
def test_laying_tables_over_each_other_keeps_what_is_said_last(
    below: dict[str, Any], above: dict[str, Any]
) -> None:
    merged = merge(below, above)

    assert set(merged) == set(below) | set(above)
    for key, value in above.items():
        if not isinstance(value, dict):
            assert merged[key] is value
    assert merge(merged, above) == merged or any(value != value for value in flat(merged))  # noqa: PLR0124 - finds nan


def flat(table: dict[str, Any]) -> list[Any]:
    return [
        leaf
        for value in table.values()
        for leaf in (flat(value) if isinstance(value, dict) else [value])
    ]


@given(table=st.dictionaries(st.text(min_size=1), st.text() | st.booleans() | st.integers()))
def test_what_is_written_as_toml_reads_the_same(table: dict[str, Any]) -> None:
    assert tomllib.loads(config.as_toml({"a": table, "b": table})).get("a", {}) == table
