"""What a shell has eaten of a text is pointed out, and plain texts are left in peace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import eaten

FILES = {"a.py", "b.py", "c.py", "README.md", "x y"}


def signs(words: list[str]) -> list[str]:
    return eaten.signs(words, FILES.__contains__)


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        (["remove", "a.py", "b.py", "c.py", "please"], "names of files"),
        (["look", "at", "README.md", "a.py", "b.py"], "names of files"),
        (["it costs  a month"], "behind a '$'"),
        (["set  to true"], "behind a '$'"),
        (["the value is  , they say"], "behind a '$'"),
        (["run `` first"], "behind a '$'"),
        ([" is where it lies"], "behind a '$'"),
        ([r"one\ntwo"], r"'\n' as two characters"),
    ],
)
def test_damage_is_pointed_out(words: list[str], sign: str) -> None:
    (found,) = signs(words)

    assert sign in found


@pytest.mark.parametrize(
    "words",
    [
        ["the build is green"],
        ["the", "build", "is", "green"],
        ["see", "a.py", "and", "b.py"],
        ["c.py", "b.py", "a.py"],
        ["One sentence.  Another one."],
        ["what? yes!  no: well"],
        ["| a  | b  |\n| -- | -- |"],
        ["real\nnew lines, and a \\n"],
        ["hi"],
        [" "],
        [""],
        [],
    ],
)
def test_plain_texts_are_left_in_peace(words: list[str]) -> None:
    assert signs(words) == []


@given(st.lists(st.text(max_size=12), max_size=12))
def test_no_text_is_beyond_it(words: list[str]) -> None:
    assert len(signs(words)) <= 3


def test_a_long_command_line_is_looked_at_for_so_long_only() -> None:
    looks = 0

    def exists(_word: str) -> bool:
        nonlocal looks
        looks += 1
        return False

    eaten.signs([f"w{at}" for at in range(5000)], exists)

    assert looks <= 64
