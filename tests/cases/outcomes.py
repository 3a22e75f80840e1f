"""How what came of a case is held against what was expected."""

from collections.abc import Mapping
from typing import Any


def differs(got: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """Say in what way an outcome is none of those that are right; ``''`` if it is one.

    Only the keys that a right outcome names are looked at.
    """
    right = [case["expected"], *case.get("also_accept", [])]
    if any(all(got[key] == value for key, value in each.items()) for each in right):
        return ""
    return f"got {dict(got)}, expected {case['expected']}"
