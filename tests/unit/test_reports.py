"""What `attend build` reports, as it is read, also where another release wrote it."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from attendd.api import Report
from attendd.host.reports import Reports
from attendd.hot import builds, moment, process

PROJECT = "/p"
ME = (os.getpid(), process.start_time(os.getpid()))


@pytest.fixture
def reports(tmp_path: Path) -> Reports:
    return Reports(tmp_path / "builds")


def write(reports: Reports, **fields: Any) -> Path:
    """Have a run reported that began 100 s ago and ended 40 s later, by whom still runs."""
    now = moment.now()
    known: dict[str, Any] = {
        "command": "make",
        "pid": ME[0],
        "start": ME[1],
        "child": 0,
        "boot": now.boot,
        "began_at": now.wall - 100,
        "began_bt": now.bt - 100,
        "ended_at": now.wall - 60,
        "ended_bt": now.bt - 60,
        "code": 0,
    }
    written = {key: value for key, value in (known | fields).items() if value != "left out"}
    path = reports.folder / builds.name(PROJECT, "make", int(written["began_at"] * 1e9), 1)
    builds.write(str(path), written)
    return path


def times(report: Report) -> tuple[float, float | None]:
    """Return how long ago it began and ended, in whole seconds."""
    now = moment.boot_seconds()
    return round(now - report.began), None if report.ended is None else round(
        now - report.ended
    )


@pytest.mark.parametrize("set_s", [0.0, -30.0, 3600.0, -3600.0])
def test_when_it_ran_is_known_however_the_clock_was_set(reports: Reports, set_s: float) -> None:
    """As if it had been set since."""
    wall = time.time() - set_s
    write(reports, began_at=wall - 100, ended_at=wall - 60)

    (report,) = reports.of(PROJECT)
    assert times(report) == (100, 60)
    assert (report.began_at, report.ended_at) == (wall - 100, wall - 60)


@pytest.mark.parametrize(
    "fields",
    [
        {"ended_bt": "left out"},
        {"boot": "another"},
        {"boot": "another", "began_bt": 1e9, "ended_bt": 1e9 + 1},
        {"began_bt": "left out", "ended_bt": "left out", "boot": "left out"},
        {"something": {"more": [1]}},
    ],
    ids=["by an earlier release", "before a restart", "long before it", "less", "more"],
)
def test_what_another_release_wrote_is_read(reports: Reports, fields: dict[str, Any]) -> None:
    write(reports, **fields)

    assert [times(each) for each in reports.of(PROJECT)] == [(100, 60)]


def test_when_it_ended_is_reckoned_once(reports: Reports) -> None:
    """So that a clock that is set later changes nothing."""
    write(reports, ended_bt="left out")

    assert reports.of(PROJECT) == reports.of(PROJECT) != []


def test_what_is_not_a_report_is_none(reports: Reports) -> None:
    for text in ("", "{", "[1]", json.dumps({"command": "make"}), "{" * 5000):
        write(reports).write_text(text)
        assert reports.of(PROJECT) == []


def test_a_file_that_comes_at_the_same_moment_as_another_is_seen(reports: Reports) -> None:
    """The folder's time stamp may be the same then."""
    write(reports)
    stamp = reports.folder.stat().st_mtime_ns
    assert len(reports.of(PROJECT)) == 1
    write(reports, began_at=1.0)
    os.utime(reports.folder, ns=(stamp, stamp))

    assert len(reports.of(PROJECT)) == 2


def test_a_run_whose_file_was_removed_runs_until_its_process_ends(reports: Reports) -> None:
    """Its end may have been written, and have been removed before it was read."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as run:
        path = write(
            reports,
            pid=run.pid,
            start=process.start_time(run.pid),
            ended_at=None,
            ended_bt=None,
            code=None,
        )
        seen = [*reports.of(PROJECT)]
        path.unlink()
        seen += reports.of(PROJECT)
        run.communicate()
    seen += reports.of(PROJECT)

    assert [(each.key, each.ended, each.lost) for each in seen] == [
        (path.name, None, False),
        (path.name, None, False),
        (path.name, None, True),
    ]


def test_a_run_that_was_known_to_have_ended_goes_with_its_file(reports: Reports) -> None:
    path = write(reports)
    assert len(reports.of(PROJECT)) == 1
    path.unlink()

    assert reports.of(PROJECT) == []
