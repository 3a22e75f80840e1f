"""The processes sensor: one story each, and what of it is news."""

from pathlib import Path

import pytest

from attendd.api import Activity, Command, Status
from sensors.processes import ProcessesConfig, ProcessesSensor, naming
from sensors.processes.table import Table
from tests.unit.machine import CLIENT, OTHER, Scene, said


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_what_a_neighbour_builds_is_told_at_its_start_and_end(scene: Scene) -> None:
    scene.source.run(300, OTHER, "make", "-j4", "all")

    assert said(scene.poll()) == [
        ("`make -j4 all` was started by Juno (session 0ther-se)", 2, False, False)
    ]
    assert scene.poll() == []
    assert said(scene.end(300)) == [
        (
            "`make -j4 all`, started by Juno (session 0ther-se), ended, exit code not known,"
            " after 20–30 s",  # noqa: RUF001 - a span of numbers
            3,
            False,
            False,
        )
    ]
    assert scene.poll() == []


def test_its_own_foreground_build_is_no_news(scene: Scene) -> None:
    scene.ran("cd x && make")
    scene.source.run(300, CLIENT, "make")
    start = scene.poll()
    end = scene.end(300)

    assert [each.own for each in start + end] == [True, True]


def test_its_own_build_left_in_the_background_wakes_it(scene: Scene) -> None:
    scene.ran("nohup make >log 2>&1 &", ended_at=scene.focus.wall, code=0)
    scene.source.run(300, 1, "make")
    scene.source.env[300] = str(CLIENT)
    start = scene.poll() + scene.poll()
    end = scene.end(300)

    assert [(each.own, each.wakes) for each in start + end] == [(True, False), (False, True)]
    assert end[0].text.startswith("`make`, started by this session, ended, exit code not known")


def test_what_a_turn_leaves_running_is_seen_at_its_end_however_lately_was_looked(
    scene: Scene,
) -> None:
    scene.source.run(300, CLIENT, "make")
    scene.focus.activity = Activity(status=Status.IDLE, worked_at=scene.focus.wall)
    scene.poll(0.5)
    (end,) = scene.end(300)

    assert end.text.endswith("after at most 10 s")


def test_its_own_build_that_was_seen_but_once_is_told_with_how_long_it_may_have_run(
    scene: Scene,
) -> None:
    scene.ran("make >log 2>&1 &", ended_at=scene.focus.wall, code=0)
    scene.source.run(300, 1, "make")
    scene.source.env[300] = str(CLIENT)
    start = scene.poll(4)
    del scene.source.running[300]
    (end,) = scene.poll(30)

    assert start == []
    assert (end.own, end.wakes) == (False, True)
    assert end.text.endswith("exit code not known, after at most 34 s")


def test_what_its_client_tells_it_is_not_told_again(scene: Scene) -> None:
    scene.ran("make", ended_at=scene.focus.wall, background=True)
    scene.source.run(300, CLIENT, "make")
    scene.poll()
    waits = scene.end(300)
    scene.focus.ran = [
        Command(
            text="make", started_at=scene.focus.ran[0].started_at, background=True,
            announced=True, code=2,
        )
    ]  # fmt: skip
    end = scene.poll()

    assert waits == []
    assert [(each.own, each.wakes, each.topic) for each in end] == [
        (True, False, "processes.failed")
    ]


def test_what_its_client_keeps_to_itself_is_told_after_a_moment(scene: Scene) -> None:
    scene.ran("make", ended_at=scene.focus.wall, background=True)
    scene.source.run(300, CLIENT, "make")
    scene.poll()
    end = scene.end(300) + scene.poll()

    assert [each.wakes for each in end] == [True]


def test_a_run_of_a_moment_is_not_worth_a_word(scene: Scene) -> None:
    scene.source.run(300, OTHER, "make")

    assert scene.poll(3) + scene.end(300) == []


def test_what_ran_before_the_first_look_is_told_at_its_end_only() -> None:
    scene = Scene()
    scene.source.run(300, OTHER, "make")
    scene.poll()
    later = ProcessesSensor(ProcessesConfig(), Table(scene.source, naming.WATCHED))
    scene.sensor = later

    assert scene.poll() == []
    assert len(scene.end(300)) == 1


def test_what_was_told_is_not_told_again_by_another_host(scene: Scene) -> None:
    scene.source.run(300, OTHER, "make")
    scene.poll()
    state = scene.sensor.snapshot()
    scene.sensor = ProcessesSensor(ProcessesConfig(), Table(scene.source, naming.WATCHED))
    scene.sensor.restore(state)

    assert scene.poll() == []
    assert len(scene.end(300)) == 1


def test_where_it_works_is_named_unless_that_is_the_sessions_own_directory(
    scene: Scene,
) -> None:
    scene.focus.project, scene.focus.workdir = "/repo", Path("/repo/p")
    scene.source.run(300, OTHER, "make", folder="/repo/fix")
    scene.source.run(301, OTHER, "make", folder="/repo/p/lib")
    start = scene.poll()
    end = scene.end(300)

    assert [each.text.partition(" was")[0] for each in start] == [
        "`make` in ../fix",
        "`make` in lib",
    ]
    assert end[0].text.startswith("`make` in ../fix, started by Juno")


def test_several_that_begin_together_weigh_as_much_as_one(scene: Scene) -> None:
    for pid in (300, 301, 302):
        scene.source.run(pid, OTHER, "make", str(pid))

    assert sum(each.magnitude for each in scene.poll()) == pytest.approx(2)


def test_what_its_neighbours_do_makes_it_not_due(scene: Scene) -> None:
    """Who they are is asked when a build has to be told of."""
    scene.source.run(500, OTHER, "make")
    scene.poll()

    assert scene.focus.follows is False
