"""What `attend build` reports, beside what is seen of the same processes."""

from typing import Any

import msgspec
import pytest

from attendd.api import Report
from tests.unit.machine import CLIENT, OTHER, Scene, said


@pytest.fixture
def scene() -> Scene:
    return Scene()


def report(scene: Scene, **fields: Any) -> Report:
    """Have it reported that a command began just now."""
    given = Report(
        key="k",
        command="make",
        session="0ther-session",
        pid=500,
        began=scene.focus.now,
        began_at=scene.focus.wall,
    )
    found = msgspec.structs.replace(given, **fields)
    scene.focus.reported = [*scene.focus.reported, found]
    return found


def ended(scene: Scene, code: int, in_s: float = 0.0) -> dict[str, Any]:
    """Say that it ends now, or in some seconds."""
    focus = scene.focus
    return {"ended": focus.now + in_s, "ended_at": focus.wall + in_s, "code": code}


def change(scene: Scene, *, at: int = 0, **fields: Any) -> None:
    reported = list(scene.focus.reported)
    reported[at] = msgspec.structs.replace(reported[at], **fields)
    scene.focus.reported = reported


def test_reports_are_told_with_their_exit_code_and_their_process_is_not(scene: Scene) -> None:
    scene.source.run(500, OTHER, "python3", "-I", "build.py")
    scene.source.run(501, 500, "make")
    report(scene)
    start = scene.poll()
    del scene.source.running[501]
    change(scene, session="tty:1:2", terminal=True, **ended(scene, 2))
    end = scene.poll()

    assert [each.text for each in start] == ["`make` was started by Juno (session 0ther-se)"]
    assert said(end) == [
        ("`make`, started by a person, failed with exit code 2 after 10 s", 4, False, False)
    ]


def test_a_report_whose_writer_was_killed_ends_without_a_code(scene: Scene) -> None:
    report(scene, session="", pid=5, lost=True)
    scene.focus.pass_time(20)

    (end,) = scene.poll()
    assert "exit code not known" in end.text


def test_an_end_is_told_however_soon_it_comes(scene: Scene) -> None:
    report(scene, **ended(scene, 0, 0.2))

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
        change(scene, at=at, **ended(scene, at))
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
    report(scene, **ended(scene, 0))
    scene.poll()
    scene.source.run(500, OTHER, "make")

    assert [each.topic for each in scene.poll()] == ["processes.started"]


def test_how_long_a_lost_run_lasted_is_told_as_far_as_it_was_seen(scene: Scene) -> None:
    report(scene)
    scene.poll()
    scene.poll()
    change(scene, lost=True)

    assert scene.poll()[0].text.endswith("exit code not known, after 20–30 s")  # noqa: RUF001


SETS = pytest.mark.parametrize("set_s", [-3600.0, -30.0, 3600.0])


@SETS
def test_a_clock_that_is_set_makes_one_build_neither_two_nor_longer(
    scene: Scene, set_s: float
) -> None:
    scene.source.run(500, OTHER, "python3")
    scene.source.run(501, 500, "make")
    report(scene, child=501)
    told = scene.poll()
    scene.focus.wall += set_s
    told += scene.poll() + scene.poll(100.0)
    del scene.source.running[500], scene.source.running[501]
    change(scene, **ended(scene, 0))
    told += scene.poll() + scene.poll()

    assert [each.text for each in told] == [
        "`make` was started by Juno (session 0ther-se)",
        "`make`, started by Juno (session 0ther-se), ended with exit code 0 after 2 min 0 s",
    ]


@SETS
@pytest.mark.parametrize("reported", [True, False])
def test_a_clock_that_is_set_wakes_nobody_for_what_was_waited_for(
    scene: Scene, *, set_s: float, reported: bool
) -> None:
    """The client writes down when its command began and ended, as the clock showed it then."""
    scene.ran("make all")
    scene.source.run(501, CLIENT, "make", "all")
    if reported:
        report(scene, session=scene.focus.session, child=501)
    scene.poll()
    scene.focus.wall += set_s
    scene.poll()
    (command,) = scene.focus.ran
    scene.focus.ran = [msgspec.structs.replace(command, ended_at=scene.focus.wall, code=0)]
    if reported:
        change(scene, **ended(scene, 0))

    assert [(each.own, each.wakes) for each in scene.end(501)] == [(True, False)]


def test_a_build_is_known_by_its_process_and_no_later_one_with_its_pid(scene: Scene) -> None:
    """However soon the pid is used again."""
    scene.source.run(501, 1, "make", "again")
    report(scene, child=501, child_start="of another", **ended(scene, 0, 1.0))

    assert [each.text for each in scene.poll()] == [
        "`make`, started by Juno (session 0ther-se), ended with exit code 0 after 1 s",
        "`make again` was started by a program outside any session",
    ]
