"""The user's configuration file, well written and not: nothing in it stops attend."""

import math
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attendd import config
from attendd.config.check import Checker, merge
from tests.unit.configuring import TYPES, GitConfig, git


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
        (
            "[context]\nttl_s = 0",
            "config.toml: context.ttl_s: expected a number above 0, not 0",
        ),
        (
            "[context]\nttl = 1",
            "config.toml: context.ttl: unknown key\n  hint: did you mean 'ttl_s'?",
        ),
        ("contxt = 1", "config.toml: contxt: unknown key\n  hint: did you mean 'context'?"),
        (
            "[context]\nttl_s = 'x'",
            "config.toml: context.ttl_s: expected a number above 0, not 'x'",
        ),
        (
            "[messages]\nshow_hooks = 'x'",
            'config.toml: messages.show_hooks: expected "full" or "off" or "summary"',
        ),
        ("context = 3", "config.toml: context: expected a table"),
        ("[context]\nttl_s = inf", "config.toml: context.ttl_s: is not a finite number"),
        (
            "[sensors.git]\ndirty_file = 1",
            "config.toml: sensors.git.dirty_file: unknown key\n  hint: did you mean 'dirty_files'?",
        ),
        (
            "[sensors.git]\ninterval_s = 'often'",
            "config.toml: sensors.git.interval_s: expected a number above 0",
        ),
        (
            "[sensors.git]\nignore = [1]",
            "config.toml: sensors.git.ignore: expected a list of text",
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
        (
            "[memory]\nconsumers = ['Juno', 'juno']",
            "config.toml: memory.consumers: names 'juno' twice",
        ),
        (
            "[memory]\nconsumers = ['Goal']",
            "config.toml: memory.consumers: names 'goal', which stands for what a session's own",
        ),
        (
            "[memory]\nnamespace = 'a:b'",
            "config.toml: memory.namespace: expected text that matches regex",
        ),
        ('"a.b\\n" = 1', 'config.toml: "a.b\\n": unknown key'),
        ("[context\n", "config.toml: not valid TOML: Expected ']' at the end of a table"),
        ("a = " + "[" * 5000, "config.toml: not valid TOML: "),
        ("a = 1\n# \udcff", "config.toml: not UTF-8: line 2, byte 3 (0xff)\n  hint: "),
        ("\udcff\udcfea\0", "config.toml: not UTF-8 but UTF-16\n  hint: "),
        ("\ufeffa = 1", "config.toml: it begins with a byte order mark\n  hint: "),
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


def test_a_link_that_leads_nowhere_is_said(user: Path) -> None:
    user.symlink_to(user.parent / "unplugged.toml")

    (problem,) = config.load(TYPES).problems

    assert (
        problem == f"config.toml: is a link to {user.parent}/unplugged.toml, where nothing is"
    )


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


def test_an_earlier_value_that_is_no_number_is_left_out() -> None:
    """Not a number is not equal to itself, which must not be taken for a change."""
    checker = Checker("config.toml")

    _, kept = checker.fit(
        {"dirty_files": "many"}, GitConfig, ("sensors", "git"), {"dirty_files": math.nan}
    )

    assert kept == {}


@given(said=TABLES, good=TABLES)
@example(said={"threshold": "x"}, good={"threshold": math.nan})
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
