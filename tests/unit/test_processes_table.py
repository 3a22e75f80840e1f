"""Which processes are followed as builds, and for whom."""

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from attendd.hot.moment import boot_seconds
from sensors.processes import ProcessesConfig, ProcessesSensor, table
from sensors.processes.parties import Parties, Party
from sensors.processes.source import ProcSource
from sensors.processes.story import Story
from sensors.processes.table import Table
from tests.fakes import FakeFocus
from tests.unit.machine import OTHER, Scene


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_tree_of_children_is_one_story(scene: Scene) -> None:
    scene.source.run(400, 300, "gcc", "-c", "a.c")
    scene.source.run(300, OTHER, "make")
    scene.source.run(301, 300, "sh", "-c", "make -C lib")
    scene.source.run(302, 301, "make", "-C", "lib")
    scene.source.run(250, 302, "cc", "b.c")

    assert [each.text for each in scene.poll()] == [
        "`make` was started by Juno (session 0ther-se)"
    ]
    scene.source.run(401, 302, "gcc", "-c", "c.c")
    assert scene.poll() == []


def test_a_client_that_a_build_runs_has_builds_of_its_own(scene: Scene) -> None:
    """As with a client that was started by `make`, or one in a test."""
    scene.source.run(50, 1, "make", folder="/elsewhere")
    scene.source.running[OTHER] = (50, ["claude"], "/p")
    scene.source.run(300, OTHER, "make")

    assert len(scene.poll()) == 1


def test_what_starts_another_program_in_its_place_is_seen_as_that(scene: Scene) -> None:
    scene.source.run(300, OTHER, "bash")
    first = scene.poll(3)
    scene.source.running[300] = (OTHER, ["cargo", "test"], "/p")

    assert (first, len(scene.poll(10))) == ([], 1)


def test_a_build_elsewhere_and_foreign_processes_are_no_news(scene: Scene) -> None:
    scene.source.run(300, OTHER, "make", folder="/elsewhere")
    scene.source.run(301, 1, "make", folder="/elsewhere")

    assert scene.poll() + scene.poll() == []


def test_of_foreign_processes_no_command_line_is_read(scene: Scene) -> None:
    for pid in range(1000, 1300):
        scene.source.run(pid, 1, "make" if pid % 2 else "python3", folder="/elsewhere")
    scene.poll()
    scene.poll()

    assert scene.source.lines == []


def test_more_foreign_builds_than_are_followed_are_in_nobodys_way(scene: Scene) -> None:
    for pid in range(1000, 1000 + table.MOST + 1):
        scene.source.run(pid, 1, "make", folder="/elsewhere")
    scene.poll()
    scene.source.run(300, OTHER, "make")

    assert len(scene.poll()) == 1


def test_more_builds_here_than_are_followed_are_said_once(scene: Scene) -> None:
    for pid in range(1000, 1000 + table.MOST + 1):
        scene.source.run(pid, 1, "make", str(pid))
    found = scene.poll()

    assert len(found) == table.MOST + 1
    assert (
        found[-1].text == "more than 200 builds run here at once; those beyond are not followed"
    )
    assert scene.poll() == []


def test_who_comes_later_is_told_how_a_build_ends_that_concerned_nobody(scene: Scene) -> None:
    scene.source.run(300, 1, "make", folder="/q")
    scene.poll()
    later = FakeFocus(Path("/q"))
    later.now, later.wall = scene.focus.now, scene.focus.wall
    sensor = ProcessesSensor(ProcessesConfig(), scene.table)
    assert asyncio.run(sensor.poll(later)) == []

    assert scene.end(300) == []
    later.pass_time(10)
    assert len(asyncio.run(sensor.poll(later))) == 1


def test_a_part_of_a_build_that_concerns_nobody_is_none_of_its_own(scene: Scene) -> None:
    scene.source.run(300, 1, "make", folder="/elsewhere")
    scene.source.run(301, 300, "gcc", "-c", "a.c", folder="/p")

    assert scene.poll() + scene.poll() == []


def test_what_was_seen_twice_is_not_read_again(scene: Scene) -> None:
    for pid in range(1000, 1500):
        scene.source.run(pid, 1, "something")
    scene.poll()
    scene.poll()
    scene.source.reads.clear()
    scene.poll()

    assert scene.source.reads == []


def test_a_table_that_changes_while_it_is_read_is_no_trouble(scene: Scene) -> None:
    scene.source.listed = set(range(2000, 2100))
    scene.source.run(2101, 2099, "make", folder="")

    assert scene.poll() == []


def test_a_used_pid_is_another_process(scene: Scene) -> None:
    scene.source.run(300, OTHER, "make")
    scene.poll()
    scene.source.run(300, OTHER, "pytest")
    told = scene.poll() + scene.poll()

    assert [each.text.partition(",")[0] for each in told] == [
        "`make`",
        "`pytest` was started by Juno (session 0ther-se)",
    ]


def test_an_end_that_was_heard_before_a_look_is_known_to_the_moment() -> None:
    """Of a real process; ours stands for the client that runs it."""

    async def follow(cat: subprocess.Popen[bytes]) -> tuple[Story, Story, float]:
        table, asker, heard = Table(ProcSource(), ["cat"]), Parties(), asyncio.Event()
        table.take(asker, Party("/nowhere", os.getpid(), lambda _: False, heard.set))
        (runs,) = await table.shared_look(asker, boot_seconds(), {os.getpid()})
        assert cat.stdin is not None
        cat.stdin.close()
        await heard.wait()
        until = boot_seconds()
        (ended,) = await table.shared_look(asker, until + 10, {os.getpid()})
        return runs, ended, until

    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as cat:
        runs, ended, until = asyncio.run(follow(cat))
    assert runs.seen <= ended.seen <= until
    assert (runs.ended, ended.ended, ended.code, ended.final) == (None, ended.seen, 0, True)
