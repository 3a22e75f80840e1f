"""The small parts of the adapter: where transcripts lie, how large windows are, when calls ran."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness.calls import KEPT_S, Calls
from attendd.harness.places import find_transcript
from attendd.harness.windows import WINDOWS, window
from attendd.hot.record import LONGEST_FOLDER, folder_of

LONG = "/home/u/" + "d" * 120 + "/" + "e" * 120
moments = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/u/project", "-home-u-project"),
        ("/x/My Proj_1.x", "-x-My-Proj-1-x"),
        ("/home/pröj_😀 x", "-home-pr-j----x"),
        ("/日本", "---"),
    ],
)
def test_a_folder_is_named_as_the_client_names_it(cwd: str, name: str) -> None:
    assert folder_of(cwd) == name


def put(folder: Path, name: str, session: str = "one") -> Path:
    path = folder / "projects" / name / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    return path


def test_a_transcript_is_found_where_it_should_be(tmp_path: Path) -> None:
    put(tmp_path, "-elsewhere")
    path = put(tmp_path, "-home-u-project")

    assert find_transcript(tmp_path, "one", "/home/u/project") == path


def test_a_transcript_is_found_under_a_path_too_long_to_be_named(tmp_path: Path) -> None:
    put(tmp_path, "-elsewhere")
    path = put(tmp_path, f"{folder_of(LONG)[:LONGEST_FOLDER]}-d69mlw")

    assert find_transcript(tmp_path, "one", LONG) == path


def test_a_transcript_is_found_in_another_project(tmp_path: Path) -> None:
    path = put(tmp_path, "-elsewhere")

    assert find_transcript(tmp_path, "one", "/home/u/project") == path
    assert find_transcript(tmp_path, "one", "") == path


@pytest.mark.parametrize("session", ["", "../one", "none", "x" * 300])
def test_no_transcript_is_no_transcript(tmp_path: Path, session: str) -> None:
    put(tmp_path, "-home-u-project")

    assert find_transcript(tmp_path, session, "/home/u/project") is None
    assert find_transcript(tmp_path / "nowhere", session, "") is None


@pytest.mark.parametrize(
    ("model", "requested", "size"),
    [
        ("claude-opus-5-5", "", 1_000_000),
        ("claude-haiku-4-5-20251001", "", 200_000),
        ("claude-sonnet-4-6", "claude-sonnet-4-6", 200_000),
        ("claude-sonnet-4-6", "claude-sonnet-4-6[1m]", 1_000_000),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-haiku-4-5", "claude-sonnet-4-6[1m]", 200_000),
        ("claude-sonnet-9", "", None),
        ("us.anthropic.claude-opus-4-7", "", None),
        ("", "", None),
    ],
)
def test_a_window_is_known_or_it_is_not(model: str, requested: str, size: int | None) -> None:
    assert window(model, requested) == size


def test_the_table_names_models_without_their_dates() -> None:
    assert all(window(f"{model}-20990101") == size for model, size in WINDOWS.items())


@given(start=moments, length=st.floats(0, 1e3), since=moments, span=st.floats(0, 1e3))
def test_a_call_ran_in_an_interval_if_the_two_meet(
    start: float, length: float, since: float, span: float
) -> None:
    calls = Calls()
    calls.start("a", "Bash", start, 0)
    running = calls.ran(since, since + span, stopped=math.inf)
    calls.end("a", start + length)

    assert running == (start <= since + span)
    assert calls.ran(since, since + span, stopped=math.inf) == (
        start <= since + span and since <= start + length
    )


def test_what_belongs_to_others_does_not_count() -> None:
    calls = Calls()
    calls.start("a", "Bash", 1.0, 7)

    assert calls.ran(0.0, 9.0, stopped=math.inf)
    assert not calls.ran(0.0, 9.0, without={7}, stopped=math.inf)
    assert (calls.running(), calls.running({7})) == (1, 0)


def test_a_branch_that_goes_on_ends_its_calls() -> None:
    calls = Calls()
    calls.start("a", "Bash", 1.0, 0)
    calls.start("b", "Bash", 1.0, 1)
    calls.settle(0, 5.0)

    assert calls.running() == 1
    assert not calls.ran(6.0, 9.0, without={1}, stopped=math.inf)


def test_old_calls_are_forgotten() -> None:
    calls = Calls()
    for number in range(1000):
        calls.start(str(number), "Bash", float(number), 0)
        calls.end(str(number), float(number))

    assert not calls.ran(0.0, 1000.0 - KEPT_S - 2.0, stopped=math.inf)
    assert calls.ran(1000.0 - KEPT_S, 1000.0, stopped=math.inf)
