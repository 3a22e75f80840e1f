"""Whether git may be asked, in what environment, and when a change happened."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensors.git import child, refs, safety, when
from sensors.git.model import Place
from sensors.git.place import read

OID = "a" * 40


def config(*entries: tuple[str, str, str]) -> bytes:
    return b"".join(f"{scope}\0{key}\n{value}\0".encode() for scope, key, value in entries)


def test_programs_of_the_repository_and_of_the_person_are_told_apart() -> None:
    found = safety.parse_config(
        config(
            ("global", "filter.lfs.clean", "git-lfs clean -- %f"),
            ("global", "filter.lfs.process", "git-lfs filter-process"),
            ("global", "filter.lfs.required", "true"),
            ("global", "core.fsmonitor", "/usr/bin/watchman"),
            ("local", "filter.a.b.smudge", "evil"),
            ("local", "core.fsmonitor", "true"),
        )
    )

    assert (found.programs, found.filters) == ((), (b"lfs",))
    assert safety.overrides(found)[1::2] == [
        "filter.lfs.clean=",
        "filter.lfs.process=",
        "filter.lfs.required=false",
    ]


@pytest.mark.parametrize("scope", ["local", "worktree"])
@pytest.mark.parametrize("key", ["filter.a.b.clean", "filter.x.process", "core.fsmonitor"])
def test_a_program_of_the_repository_is_named(scope: str, key: str) -> None:
    assert safety.parse_config(config((scope, key, "./evil"))).programs == (key,)


@pytest.mark.parametrize("value", ["true", "FALSE", "on", "0", "1", ""])
def test_a_switch_is_no_program(value: str) -> None:
    assert safety.parse_config(config(("local", "core.fsmonitor", value))).programs == ()


def test_what_a_branch_follows_is_read_from_the_configuration() -> None:
    found = safety.parse_config(
        config(
            ("local", "branch.a.b.remote", "origin"),
            ("local", "branch.a.b.merge", "refs/heads/x/y"),
            ("local", "branch.c.remote", "."),
            ("local", "branch.c.merge", "refs/heads/main"),
            ("local", "branch.d.merge", "refs/heads/main"),
            ("local", "include.path", "more"),
        )
    )

    assert found.upstreams == {"a.b": "origin/x/y", "c": "main"}
    assert found.includes


@given(st.binary(max_size=200))
def test_any_configuration_can_be_read(out: bytes) -> None:
    safety.overrides(safety.parse_config(out))


def test_attributes_that_use_a_filter_are_found(tmp_path: Path) -> None:
    found = safety.parse_config(config(("global", "filter.lfs.clean", "x")))
    file = tmp_path / "attributes"
    for text, used in (
        ("*.bin filter=lfs diff=lfs\n", "lfs"),
        ("[attr]big filter=lfs", "lfs"),
        ("*.bin filter=lfs2\n", ""),
        ("*.bin -filter\n", ""),
    ):
        file.write_text(text)

        assert safety.used_filter(found, [tmp_path / "none", file]) == used


def test_the_environment_of_git_is_clean() -> None:
    inherited = {
        "PATH": ".:/usr/bin::bin:/bin",
        "HOME": "/h",
        "GIT_DIR": "/x",
        "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=x'",
        "LANG": "de_DE",
        "LC_MESSAGES": "de_DE",
        "LANGUAGE": "de",
    }
    found = child.environment(inherited)

    assert found["PATH"] == "/usr/bin:/bin"
    assert found["HOME"] == "/h"
    assert found["LC_ALL"] == "C"
    assert not {"GIT_DIR", "GIT_CONFIG_PARAMETERS", "LANG", "LC_MESSAGES", "LANGUAGE"} & set(
        found
    )


def window(**stamps: float) -> when.Window:
    after = {name.replace("_", "/"): (round(t * 1e9), 1, 1) for name, t in stamps.items()}
    return when.Window(100.0, 200.0, {}, after)


def test_a_stamp_out_of_the_window_proves_nothing() -> None:
    """A file put back from elsewhere, or a clock that was set."""
    gitdir = Path("/nowhere")

    assert when.spans(window(worktrees=150.0), "worktrees", gitdir) == [(149.998, 150.012)]
    assert when.spans(window(worktrees=50.0), "worktrees", gitdir) == [(100.0, 200.0)]
    assert when.spans(window(), "worktrees", gitdir) == [(100.0, 200.0)]


def test_each_move_of_head_has_a_time_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "logs/HEAD"
    log.parent.mkdir()
    line = "0 1 A <a@b> {} +0000\tcommit: x\n"
    log.write_text("".join(line.format(t) for t in (50, 120, 99999, 150)))

    spans = when.spans(window(logs_HEAD=150.5, HEAD=150.4), "head", tmp_path)
    old = when.Window(100.0, 200.0, {"logs/HEAD": (0, len(line.format(50)), 1)}, {})
    more = when.Window(old.since, old.until, old.before, window(logs_HEAD=150.5).after)

    assert spans == [(150.498, 150.512)]
    assert when.spans(
        when.Window(100.0, 200.0, old.before, {"logs/HEAD": (150_500_000_000, 999, 1)}),
        "head",
        tmp_path,
    ) == [(120, 121.0), (150.498, 150.512)]
    assert more.holds(150.5)


@given(st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 10)), max_size=60))
def test_joined_times_cover_every_one_and_stay_few(raw: list[tuple[float, float]]) -> None:
    spans = [(start, start + length) for start, length in raw]
    joined = when.merged(spans)

    assert len(joined) <= 16
    assert joined == sorted(joined)
    for start, end in spans:
        assert any(low <= start and end <= high for low, high in joined)


def test_refs_are_found_loose_and_packed(tmp_path: Path) -> None:
    place = Place("", str(tmp_path), str(tmp_path), "1:1")
    (tmp_path / "refs/heads").mkdir(parents=True)
    (tmp_path / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{OID} refs/heads/a\n^{'c' * 40}\n{'b' * 40} refs/heads/b\n"
    )
    (tmp_path / "refs/heads/b").write_text(OID + "\n")

    assert refs.resolve(place, "refs/heads/a") == OID
    assert refs.resolve(place, "refs/heads/b") == OID
    assert refs.resolve(place, "refs/heads") == ""
    assert refs.resolve(place, "heads/a") == ""


def test_a_file_is_read_only_if_it_is_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("0123456789")
    place = Place("", str(tmp_path), str(tmp_path), "1:1")

    assert read(tmp_path / "pipe", 10) == b""
    assert read(tmp_path, 10) == b""
    assert read(Path("/dev/zero"), 10) == b""
    assert read(tmp_path / "file", 4, 2) == b"2345"
    assert refs.tree(place, "").head == ""
