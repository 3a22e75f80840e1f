"""Whether two facts say the same, or one corrects the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.memory.dedup import Kind, compare

SAME = [
    ("deploy on friday", "Deploy  on\nFRIDAY"),
    ("user prefers flat file output over JSON", "user prefers flat file output not JSON"),
    ("deploys run every friday night", "the deploys run every friday night in europe"),
    ("пользователь любит чай", "пользователь любит чай"),
    ("Straße frei", "STRASSE frei"),
    ("部署在周五", "部署在周五"),
    ("!!!", "!!!"),
]
CORRECTED = [
    ("use tabs in go files", "do not use tabs in go files"),
    ("tests need the network", "tests don't need the network"),
    ("tests are flaky", "tests are not flaky"),
    ("always use tabs not spaces", "always use spaces not tabs"),
    ("use tabs over spaces", "use spaces over tabs"),
    ("prefer make instead of ninja", "prefer ninja instead of make"),
    ("server listens on port 8080", "server listens on port 9090"),
    ("release 1.2 is the last one", "release 1.3 is the last one"),
    ("the build uses `make all`", "the build uses `make fast`"),
    ("run the whole suite with --fast", "run the whole suite with --slow"),
    ("тесты требуют сети", "тесты не требуют сети"),
]
OTHER = [
    ("deploy on friday", "the build takes an hour"),
    ("the and of", "of the and"),
    ("", "deploy on friday"),
    ("!!!", "???"),
]


@pytest.mark.parametrize(("stored", "new"), SAME)
def test_the_same_in_other_words_is_the_same(stored: str, new: str) -> None:
    assert compare(stored, new).kind is Kind.SAME


@pytest.mark.parametrize(("stored", "new"), CORRECTED)
def test_a_correction_is_never_lost_as_a_duplicate(stored: str, new: str) -> None:
    assert compare(stored, new).kind is Kind.UPDATE
    assert compare(new, stored).kind is Kind.UPDATE


@pytest.mark.parametrize(("stored", "new"), OTHER)
def test_what_has_little_in_common_is_another_fact(stored: str, new: str) -> None:
    assert compare(stored, new).kind is Kind.OTHER


@given(st.text(max_size=300), st.text(max_size=300))
def test_the_order_of_two_texts_does_not_matter(one: str, other: str) -> None:
    assert compare(one, other) == compare(other, one)


@given(st.text(min_size=1, max_size=300))
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert compare(text, text).kind is Kind.SAME


@pytest.mark.parametrize("word", ["a", "a.", "-", "`", "'", "aA_"])
def test_a_long_text_of_anything_is_compared_at_once(word: str) -> None:
    """Time is linear; a pattern that goes back over its text would take minutes here."""
    assert compare(word * 50_000, word * 50_000 + " b").kind is not None
