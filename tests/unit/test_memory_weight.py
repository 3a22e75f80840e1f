"""What a fact weighs, and how many ends of sessions it outlives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.memory.weight import Scope, after_session, first_scope, initial


def life(producer: str, sessions: int, *, core: bool = False) -> tuple[int, Scope]:
    weight, scope = initial(producer, core=core), first_scope(core=core)
    for _ in range(sessions):
        weight, scope = after_session(weight, scope, core=core)
    return weight, scope


@pytest.mark.parametrize(
    ("producer", "sessions", "outcome"),
    [
        ("user", 0, (90, Scope.SESSION)),
        ("user", 1, (80, Scope.PROJECT)),
        ("user", 9, (80, Scope.PROJECT)),
        ("agent", 1, (60, Scope.SESSION)),
        ("agent", 4, (30, Scope.SESSION)),
        ("agent", 5, (20, Scope.PRUNED)),
        ("subagent", 5, (20, Scope.PRUNED)),
        ("system", 1, (30, Scope.SESSION)),
        ("system", 2, (20, Scope.PRUNED)),
    ],
)
def test_a_fact_lives_as_long_as_who_said_it_is_trusted(
    producer: str, sessions: int, outcome: tuple[int, Scope]
) -> None:
    """Hundredths are whole numbers: none lives on for a rounding error."""
    assert life(producer, sessions) == outcome


@given(st.sampled_from(["user", "agent", "system"]), st.integers(0, 50))
def test_what_a_person_wished_to_be_kept_never_fades(producer: str, sessions: int) -> None:
    assert life(producer, sessions, core=True) == (100, Scope.PROJECT)


def test_what_came_from_a_stranger_is_never_promoted() -> None:
    assert after_session(90, "session", core=False, trusted=False) == (80, Scope.SESSION)


@given(weight=st.integers(0, 100), trusted=st.booleans())
def test_a_weight_never_grows_by_itself_nor_falls_below_nothing(
    weight: int, *, trusted: bool
) -> None:
    after, _ = after_session(weight, "session", core=False, trusted=trusted)

    assert 0 <= after <= weight
