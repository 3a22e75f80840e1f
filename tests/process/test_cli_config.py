"""`attend config`: write, show, find and check, for people and for programs."""

import json
import tomllib
from pathlib import Path

import pytest

from attendd.hot import memory_settings
from tests.process.box import Box


@pytest.fixture
def file(box: Box) -> Path:
    """The user's configuration file; not there yet."""
    return box.home / "attend" / "config.toml"


def test_a_file_of_defaults_is_written_once(box: Box, file: Path) -> None:
    first = box.run("config", "init")
    written = file.read_text()
    second = box.run("config", "init")

    assert (first.returncode, first.stdout) == (0, f"wrote {file}\n")
    assert "# threshold = 2.0" in written
    assert second.returncode == 2
    assert second.stderr.startswith(f"attend: {file} exists already\n  hint: ")
    assert file.read_text() == written


def test_what_init_writes_has_no_findings_and_changes_nothing(box: Box) -> None:
    before = box.run("config", "show").stdout
    box.run("config", "init")
    lint = box.run("config", "lint")

    assert (lint.returncode, lint.stdout) == (0, "nothing to complain of\n")
    assert box.run("config", "show").stdout == before


def test_what_is_shown_is_what_is_in_force(box: Box, file: Path) -> None:
    project = box.repository()
    (project / ".attend.toml").write_text("[sensors.git]\nthreshold = 3.5\n")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[governor]\ngap_s = 20.0\n")
    done = box.run("config", "show", cwd=project)
    shown = tomllib.loads(done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert shown["governor"]["gap_s"] == 20.0
    assert shown["sensors"]["git"]["threshold"] == 3.5
    assert json.loads(box.run("config", "show", "--json", cwd=project).stdout) == shown


def test_findings_are_said_with_a_hint_and_end_with_3(box: Box, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[governor]\ngap = 20\n\n[sensors.gti]\n")
    done = box.run("config", "lint")
    known = box.run("config", "lint", "--json")
    shown = box.run("config", "show")

    assert done.returncode == known.returncode == 3
    assert (
        "config.toml: governor.gap: unknown key\n  hint: did you mean 'gap_s'?\n" in done.stdout
    )
    assert "config.toml: sensors.gti: no such sensor is installed\n" in done.stdout
    assert len(json.loads(known.stdout)["findings"]) == 2
    assert shown.returncode == 0
    assert "governor.gap" in shown.stderr
    assert tomllib.loads(shown.stdout)["governor"]["gap_s"] == 15.0


def test_a_file_that_is_no_toml_is_one_finding(box: Box, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[governor\n\x1b[2J")
    done = box.run("config", "lint")

    assert done.returncode == 3
    assert done.stdout.startswith("config.toml: not valid TOML")
    assert "\x1b" not in done.stdout


def test_a_file_in_another_encoding_is_one_finding_that_says_where(
    box: Box, file: Path
) -> None:
    """And no part of attend takes anything from it, not even what stands before that."""
    project = box.repository()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes("[memory]\nenabled = true  # für alle\n".encode("latin-1"))
    (project / ".attend.toml").write_bytes("[sensors.git]\nthreshold = 3".encode("utf-16"))
    done = box.run("config", "lint", cwd=project)
    shown = tomllib.loads(box.run("config", "show", cwd=project).stdout)
    memory = memory_settings.of_file(str(file))

    assert done.returncode == 3
    assert done.stdout == (
        "config.toml: not UTF-8: line 2, byte 20 (0xfc)\n"
        "  hint: write it as UTF-8; from Latin-1, iconv -f latin1 -t utf-8 does so\n"
        ".attend.toml: not UTF-8 but UTF-16\n"
        "  hint: write it as UTF-8: iconv -f utf-16 -t utf-8\n"
    )
    assert shown["memory"]["enabled"] is False
    assert memory is None


def test_both_files_are_named(box: Box, file: Path) -> None:
    project = box.repository()
    below = project / "src"
    below.mkdir()
    (project / ".attend.toml").write_text("")
    done = box.run("config", "path", cwd=below)
    known = json.loads(box.run("config", "path", "--json", cwd=below).stdout)

    assert done.stdout.splitlines() == [
        f"user     {file} (not there)",
        f"project  {project}/.attend.toml",
    ]
    assert known["user"] == {"path": str(file), "exists": False}
    assert known["project"] == {"path": f"{project}/.attend.toml", "exists": True}


def test_a_folder_that_takes_no_file_is_one_sentence(box: Box) -> None:
    (box.home / "attend").write_text("in the way")
    done = box.run("config", "init")

    assert done.returncode == 1
    assert "cannot be written" in done.stderr
