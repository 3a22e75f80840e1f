"""Words of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Deploy on Friday, with make-release!", {"deploy", "friday", "make", "release"}),
        ("the and in", set()),
        ("max_rows=10", {"max_rows", "10"}),
        ("ÜBER Straße", {"über", "strasse"}),
        ("हिन्दी में", {"हिन्दी", "में"}),
        ("部署", {"部署"}),
        ("在周五部署", {"在周五部署", "在周", "周五", "五部", "部署"}),
        ("", set()),
    ],
)
def test_a_word_is_a_run_of_letters_in_any_script(text: str, found: set[str]) -> None:
    assert terms.terms(text) == found


@given(st.text())
def test_writing_in_capitals_finds_the_same(text: str) -> None:
    plain = text.casefold()

    assert terms.terms(plain) == terms.terms(text)


def test_accents_count_the_same_however_they_are_written() -> None:
    assert terms.terms("cafe\u0301") == terms.terms("caf\u00e9")


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert terms.folded(terms.folded(text)) == terms.folded(text)
