"""What is written down of an offered message: what was proved, and one more offer at most."""

import math

import pytest

from attendd.harness import Trace, Traces
from attendd.messaging.proof import Advance, Again, judge
from attendd.store.afterwards import Offered

AT = 1_000.0
WHOLE = -math.inf


def offered(
    state: str = "offered", *, conduit: str = "monitor", repeats: int = 0, age_s: float = 5.0
) -> Offered:
    return Offered(7, "s", "m", state, conduit, repeats, AT, age_s)


def shows(
    trace: Trace | None = None, *, since: float = WHOLE, suppressed_at: float = -math.inf
) -> Traces:
    return Traces(since, {"m": trace} if trace else {}, suppressed_at)


SEEN = Trace(queued_at=AT + 1, seen_at=AT + 2, row="r")
ANSWERED = Trace(seen_at=AT + 2, row="r", answered_at=AT + 3, answer="a")


def states(verdict: object) -> list[str]:
    assert isinstance(verdict, list)
    return [each.state for each in verdict]


def test_each_proof_is_written_down_once() -> None:
    def told(state: str, trace: Trace) -> list[str] | None:
        verdict = judge(offered(state), shows(trace), lives=True, ways=())
        return None if verdict is None else states(verdict)

    assert told("offered", Trace(queued_at=AT)) == ["queued"]
    assert told("queued", Trace(queued_at=AT)) is None
    assert told("queued", SEEN) == ["seen"]
    assert told("offered", SEEN) == ["queued", "seen"]
    assert told("seen", SEEN) is None
    assert told("seen", ANSWERED) == ["answered"]
    assert told("claimed", ANSWERED) == ["seen", "answered"]


def test_a_proof_names_its_row_and_time() -> None:
    assert judge(offered("queued"), shows(ANSWERED), lives=False, ways=()) == [
        Advance(7, "seen", AT + 2, "r"),
        Advance(7, "answered", AT + 3, "a"),
    ]


@pytest.mark.parametrize("state", ["offered", "queued"])
def test_a_client_that_died_has_forgotten_it(state: str) -> None:
    verdict = judge(offered(state), shows(Trace(queued_at=AT)), lives=False, ways=())

    assert isinstance(verdict, Again)
    assert verdict.avoid == ""


def test_what_was_queued_before_this_offer_is_not_queued_now() -> None:
    """It was in the queue of a client that has died since."""
    earlier = Trace(queued_at=AT - 60)

    assert judge(offered(), shows(earlier), lives=True, ways=()) is None
    assert judge(offered("claimed"), shows(earlier), lives=True, ways=()) is None


def test_a_minute_without_a_sign_is_another_way() -> None:
    late = offered(age_s=60.0)
    other = {"monitor", "prompt"}

    assert judge(late, shows(), lives=True, ways=other) == Again(
        7, "monitor", "there was no sign of it"
    )
    assert judge(late, shows(), lives=True, ways={"monitor"}) is None
    assert judge(offered(age_s=59.0), shows(), lives=True, ways=other) is None
    assert judge(late, shows(Trace(queued_at=AT)), lives=True, ways=other) == [
        Advance(7, "queued", AT)
    ]


def test_what_its_client_says_it_dropped_goes_the_same_way() -> None:
    traces = shows(suppressed_at=AT + 1)

    verdict = judge(offered(), traces, lives=True, ways=())
    assert isinstance(verdict, Again)
    assert verdict.avoid == ""
    assert judge(offered(age_s=1.0), traces, lives=True, ways=()) is None
    assert judge(offered(conduit="stop"), traces, lives=True, ways=()) is None
    assert judge(offered(), shows(suppressed_at=AT - 9), lives=True, ways=()) is None


@pytest.mark.parametrize(
    ("given", "traces"),
    [
        (offered(repeats=1, age_s=999.0), shows(suppressed_at=AT + 1)),
        (offered(age_s=999.0), shows(since=AT + 60, suppressed_at=AT + 70)),
        (offered(age_s=999.0), None),
        (offered("seen", age_s=999.0), shows(SEEN)),
        (offered("claimed", age_s=999.0), shows()),
    ],
    ids=["repeated", "not read that far", "nothing to read", "seen", "being offered"],
)
def test_what_is_not_known_or_was_repeated_stays_as_it_is(
    given: Offered, traces: Traces | None
) -> None:
    assert judge(given, traces, lives=False, ways={"prompt", "monitor"}) is None
