"""A project's configuration file: how far it may go, and how changes are followed."""

from pathlib import Path

import pytest

from attendd import config
from attendd.config import Memory
from tests.unit.configuring import TYPES, GitConfig, git, write

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
        ("[sensors.git]\nenabled = 'yes'", "sensors.git.enabled: expected true or false"),
        (
            "[sensors.git]\nthreshold = true",
            "sensors.git.threshold: expected a number from 0 to 10",
        ),
        (
            "[sensors.git]\ntreshold = 3",
            "sensors.git.treshold: unknown key\n  hint: did you mean 'threshold'?",
        ),
        (
            "[memory]\nnamespace = 'x'",
            "memory.namespace: may be set only in your own configuration, not by a project",
        ),
        (
            "[memory]\nenabled = true",
            "memory.enabled: a project may turn it off, but not on\n"
            "  hint: `attend memory on` turns it on for this project",
        ),
        ("[memory]\nenabled = 1", "memory.enabled: expected true or false"),
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


def test_a_project_turns_no_sensor_on_that_its_user_has_off(user: Path, project: Path) -> None:
    user.write_text("[sensors.git]\nenabled = false\n")
    (project / ".attend.toml").write_text("[sensors.git]\nenabled = true\nthreshold = 5\n")

    loaded = config.for_project(config.load(TYPES), project, TYPES)

    assert (git(loaded).enabled, git(loaded).threshold) == (False, 5.0)
    assert loaded.problems == [
        ".attend.toml: sensors.git.enabled: a project may turn it off, but not on\n"
        "  hint: `enabled = true` under [sensors.git] in your own file turns it on"
    ]


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


def test_files_are_read_again_when_asked_though_they_seem_the_same(
    user: Path, project: Path
) -> None:
    write(user, "[sensors.git]\nthreshold = 3\n")
    write(project / ".attend.toml", "[sensors.git]\nthreshold = 4\n")
    live = config.LiveConfig(TYPES)
    before = live.current(), live.project(project)

    live.reread()

    assert live.current() is not before[0]
    assert live.project(project) is not before[1]
    assert git(live.project(project)).threshold == 4.0


def test_of_many_projects_those_read_last_are_remembered(
    user: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that serves sessions of ever new projects keeps none of them for good."""
    monkeypatch.setattr(config.live, "MOST_PROJECTS", 2)
    live = config.LiveConfig(TYPES)
    folders = [project / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
        write(folder / ".attend.toml", "[sensors.git]\nthreshold = 4\n")
    a, b, c = (live.project(folder) for folder in folders)

    assert (live.project(folders[1]) is b, live.project(folders[2]) is c) == (True, True)
    assert live.project(folders[0]) is not a
    assert git(live.project(folders[0])).threshold == 4.0


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


def test_a_project_may_turn_its_memory_off(user: Path, project: Path) -> None:
    user.write_text("[memory]\nenabled = true\nper_turn = 3\n")
    (project / ".attend.toml").write_text("[memory]\nenabled = false\n")

    loaded = config.for_project(config.load(TYPES), project, TYPES)

    assert loaded.problems == []
    assert loaded.config.memory == Memory(enabled=False, per_turn=3)


def test_a_project_that_turned_its_memory_off_can_not_turn_it_on_again(
    user: Path, project: Path
) -> None:
    write(project / ".attend.toml", "[memory]\nenabled = false\n")
    live = config.LiveConfig(TYPES)
    before = live.project(project)
    write(project / ".attend.toml", "[memory]\nenabled = true\n")
    after = live.project(project)
    write(user, "[memory]\nenabled = true\n")

    assert (before.config.memory.enabled, after.config.memory.enabled) == (False, False)
    assert live.project(project).config.memory.enabled
