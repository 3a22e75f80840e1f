"""What is said to programs of a message that was sent just now."""

import json

import pytest

from attendd.hot import receipt
from attendd.hot.post import Outcome
from attendd.hot.who import Person


@pytest.mark.parametrize(
    ("rang", "held", "state"),
    [
        ("ab", "", "sent"),
        ("a", "b", "sent"),
        ("", "", "stored"),
        ("", "b", "stored"),
        ("", "ab", "held"),
        ("ab", "ab", "held"),
    ],
)
def test_the_state_is_that_of_whoever_hears_it_first(rang: str, held: str, state: str) -> None:
    people = [Person((f"as:{name}", "", "/w", 1, name, 1, "", 0.0)) for name in "ab"]
    outcome = Outcome("k3f9q2xm", people)
    outcome.rang, outcome.held = {f"as:{x}" for x in rang}, {f"as:{x}" for x in held}

    found = json.loads(receipt.document(outcome, "said"))

    assert (found["id"], found["state"], found["said"]) == ("k3f9q2xm", state, "said")
    assert [each["name"] for each in found["recipients"]] == ["a (w)", "b (w)"]
    for name, each in zip("ab", found["recipients"], strict=True):
        known = "held" if name in held else "sent" if name in rang else "stored"
        assert each["state"] == known


def test_what_another_process_says_begins_with_what_it_did() -> None:
    found = json.loads(receipt.handed_over("k3f9q2xm", "left #k3f9q2xm in /tmp: later"))

    assert (found["state"], found["recipients"]) == ("left", None)
