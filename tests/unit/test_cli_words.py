"""What the commands say about times, spans and sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.cli import words


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.4, "0 s"),
        (12, "12 s"),
        (61, "1 min 1 s"),
        (120, "2 min"),
        (3 * 3600 + 300, "3 h 5 min"),
        (86_400, "1 d"),
        (90_000, "1 d 1 h"),
        (-5, "0 s"),
    ],
)
def test_a_span_is_said_in_its_two_largest_units(seconds: float, said: str) -> None:
    assert words.span(seconds) == said


@given(st.floats(0, 1e9))
def test_a_span_is_never_long_to_read(seconds: float) -> None:
    assert len(words.span(seconds)) <= 15


def test_a_moment_that_never_was_is_said_so() -> None:
    assert words.ago(None) == "never"


def test_a_moment_ahead_of_the_clock_is_not_said_to_be_past() -> None:
    """A stepped clock must not make nonsense of a table."""
    assert words.ago(1060.0, now=1000.0) == "in 1 min"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (5 << 20, "5.0 MiB"),
        (9 << 40, "9216.0 GiB"),
    ],
)
def test_a_size_is_said_in_binary_units(count: int, said: str) -> None:
    assert words.size(count) == said


def test_only_what_lies_in_the_home_folder_is_shortened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/ann")

    assert words.place("/home/ann/x") == "~/x"
    assert words.place("/home/ann") == "~"
    assert words.place("/home/anna/x") == "/home/anna/x"


def test_a_declared_name_is_said_whole() -> None:
    assert words.short("as:the-long-name") == "as:the-long-name"
    assert words.short("38655051-aaaa-bbbb") == "38655051"


def test_one_is_one_and_two_are_many() -> None:
    assert words.many(1, "session") == "1 session"
    assert words.many(0, "session") == "0 sessions"
    assert words.many(2, "branch", "branches") == "2 branches"
