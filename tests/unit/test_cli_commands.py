"""The table of commands: what it promises is what there is."""

import argparse
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd import cli
from attendd.cli import arguments, reasons
from attendd.engine.batch import Code
from attendd.errors import UsageError
from attendd.hot import attach

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_option_is_in_the_table(name: str) -> None:
    """What is taught to a session is checked against this table, so it must be whole."""
    parser = cli.parser(name)
    known = {option for action in parser._actions for option in action.option_strings}  # noqa: SLF001 - argparse has no other way

    assert set(cli.OPTIONS) == set(cli.COMMANDS)
    assert known - {"-h", "--help"} == set(cli.OPTIONS[name])


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_says_in_its_help_what_it_is_for(name: str) -> None:
    shown = cli.parser(name).format_help()

    assert cli.COMMANDS[name][1:] in " ".join(shown.split())
    assert max(len(line) for line in shown.splitlines()) <= 88


def test_all_parts_are_of_one_release() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert project["version"] == cli.VERSION == attach.VERSION


def test_every_reason_of_the_engine_has_a_meaning() -> None:
    told = {"offered", "expired"}  # what becomes of what it told
    assert set(reasons.MEANINGS) - told == set(Code)


def test_a_reason_of_a_later_release_is_said_as_it_is() -> None:
    assert reasons.said("held.moonlight") == "held.moonlight"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("1.5m", 90), ("2h", 7200), ("7d", 604_800)]
)
def test_a_span_may_be_written_in_several_units(text: str, seconds: float) -> None:
    assert arguments.duration_s(text) == seconds


@given(st.text(max_size=12))
def test_what_is_no_span_is_refused(text: str) -> None:
    try:
        seconds = arguments.duration_s(text)
    except argparse.ArgumentTypeError:
        return

    assert 0 < seconds < 1e10


@given(st.text(max_size=12) | st.integers().map(str))
def test_what_is_no_count_is_refused(text: str) -> None:
    try:
        found = arguments.count(text)
    except argparse.ArgumentTypeError:
        assert not (text.isascii() and text.isdigit()) or int(text) < 1 or len(text) > 9
    else:
        assert found == int(text) >= 1


def test_an_option_is_not_guessed_from_its_beginning() -> None:
    """A later release may have two that begin so."""
    with pytest.raises(UsageError, match="unknown option --sil"):
        cli.parser("why").parse_args(["--sil"])


def test_a_slip_in_an_option_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        cli.parser("why").parse_args(["--silense"])

    assert caught.value.hint == "did you mean --silence?"
