"""How long a sleep was is said as people say it."""

import pytest

from attendd.host.pauses import span


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (31.4, "31 s"),
        (60.0, "1 min"),
        (300.2, "5 min"),
        (3600.0, "1 h"),
        (8 * 3600.0 - 0.001, "8 h"),
        (27_185.0, "7 h 33 min"),
        (60 * 3600.0, "60 h"),
    ],
)
def test_a_span_is_said_in_hours_and_minutes(seconds: float, said: str) -> None:
    assert span(seconds) == said
