"""How long a hook has is three tenths of a second, or what its own words say."""

import pytest

from attendd.hot import hook


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ([], 0.3),
        (["--within=2.5"], 2.5),
        (["more", "--within=1"], 1.0),
        (["--within=1e9"], 60.0),
        (["--within=inf"], 60.0),
        (["--within", "2"], 2.0),
        (["--within=nan"], 0.3),
        (["--within=0"], 0.3),
        (["--within=-1"], 0.3),
        (["--within="], 0.3),
        (["--within=soon"], 0.3),
        (["--within"], 0.3),
    ],
)
def test_words_that_say_nothing_sensible_change_nothing(
    words: list[str], seconds: float
) -> None:
    assert hook.deadline_of(words) == seconds
