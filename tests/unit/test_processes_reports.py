"""What `attend build` reports, beside what is seen of the same processes."""

from typing import Any

import msgspec
import pytest

from attendd.api import Report
from tests.unit.machine import OTHER, Scene, said


@pytest.fixture
def scene() -> Scene:
    return Scene()


def report(scene: Scene, **fields: Any) -> Report:
    """Have it reported that a command began just now."""
    given = Report(
        key="k", command="make", session="0ther-session", pid=500, began_at=scene.focus.wall
    )
    found = msgspec.structs.replace(given, **fields)
    scene.focus.reported = [*scene.focus.reported, found]
    return found


def change(scene: Scene, *, at: int = 0, **fields: Any) -> None:
    reported = list(scene.focus.reported)
    reported[at] = msgspec.structs.replace(reported[at], **fields)
    scene.focus.reported = reported


def test_reports_are_told_with_their_exit_code_and_their_process_is_not(scene: Scene) -> None:
    began = scene.focus.wall
    scene.source.run(500, OTHER, "python3", "-I", "build.py")
    scene.source.run(501, 500, "make")
    report = Report(key="k", command="make", session="0ther-session", pid=500, began_at=began)
    scene.focus.reported = [report]
    start = scene.poll()
    del scene.source.running[501]
    ended_at = scene.focus.wall
    scene.focus.reported = [
        msgspec.structs.replace(
            report, session="tty:1:2", terminal=True, ended_at=ended_at, code=2
        )
    ]
    end = scene.poll()

    assert [each.text for each in start] == ["`make` was started by Juno (session 0ther-se)"]
    assert said(end) == [
        ("`make`, started by a person, failed with exit code 2 after 10 s", 4, False, False)
    ]


def test_a_report_whose_writer_was_killed_ends_without_a_code(scene: Scene) -> None:
    report = Report(key="k", command="make", pid=5, began_at=scene.focus.wall, lost=True)
    scene.focus.pass_time(20)
    scene.focus.reported = [report]

    (end,) = scene.poll()
    assert "exit code not known" in end.text


def test_an_end_is_told_however_soon_it_comes(scene: Scene) -> None:
    report(scene, ended_at=scene.focus.wall + 0.2, code=0)

    (end,) = scene.poll(1)
    assert end.text.endswith("ended with exit code 0 after 0 s")


@pytest.mark.parametrize(
    ("terminal", "by"), [(True, "a person"), (False, "a program outside any session")]
)
def test_a_person_has_a_terminal(scene: Scene, *, terminal: bool, by: str) -> None:
    report(scene, session="tty:1:2", terminal=terminal)

    assert scene.poll()[0].text == f"`make` was started by {by}"


def test_what_is_reported_within_what_is_reported_is_one_story(scene: Scene) -> None:
    report(scene)
    report(scene, key="inner", command="cc", pid=502, above=(501, 500, OTHER))
    report(scene, key="of a client", command="ld", pid=503, above=(OTHER, 500))
    start = scene.poll()
    for at in range(3):
        change(scene, at=at, ended_at=scene.focus.wall, code=at)
    end = scene.poll()

    assert [each.text.partition(" ")[0] for each in start] == ["`make`", "`ld`"]
    assert [each.text.partition(",")[0] for each in end] == ["`make`", "`ld`"]


def test_a_reporter_that_was_killed_is_not_the_end_of_what_it_ran(scene: Scene) -> None:
    scene.source.run(500, OTHER, "python3")
    scene.source.run(501, 500, "make")
    report(scene, child=501)
    start = scene.poll()
    del scene.source.running[500]
    scene.source.running[501] = (1, ["make"], "/p")
    goes_on = scene.poll()
    del scene.source.running[501]
    change(scene, lost=True)
    end = scene.poll()

    assert (len(start), goes_on) == (1, [])
    assert [each.text for each in end] == [
        "`make`, started by Juno (session 0ther-se), ended, exit code not known, after 20–30 s"  # noqa: RUF001
    ]
    assert scene.poll() == []


def test_a_pid_that_was_reported_once_may_be_another_build_now(scene: Scene) -> None:
    report(scene, ended_at=scene.focus.wall, code=0)
    scene.poll()
    scene.source.run(500, OTHER, "make")

    assert [each.topic for each in scene.poll()] == ["processes.started"]


def test_how_long_a_lost_run_lasted_is_told_as_far_as_it_was_seen(scene: Scene) -> None:
    report(scene)
    scene.poll()
    scene.poll()
    change(scene, lost=True)

    assert scene.poll()[0].text.endswith("exit code not known, after 20–30 s")  # noqa: RUF001
