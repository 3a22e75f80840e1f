"""What the journal's reason codes mean, in words."""

MEANINGS = {
    "observed": "a sensor reported it",
    "own": "the session did it itself, so it is no news",
    "merged": "the same was waiting already, and was counted once more",
    "faded": "it stayed below the threshold until nothing of it was left",
    "fired": "it was told",
    "low": "too slight for a batch of its own, it rides on the next one",
    "rode": "it went along with a batch",
    "folded": "too much was waiting, it was told as part of a number",
    "dropped.slot-gone": "its sensor was turned off or removed",
    "held.below-threshold": "not enough has come together",
    "held.refractory": "the sensor has told much and is silent for a minute",
    "held.raised": "the sensor has told much, its threshold is still raised",
    "held.gap": "the last batch was just now",
    "held.rate": "as much was told lately as may be",
    "held.idle": "the session is idle, and this is not worth waking it",
    "held.wake-budget": "the session is idle, and was woken as often as may be",
    "held.unprompted": "no person has prompted the session yet",
    "held.turn": "only hooks reach the session, it goes with the next prompt or turn's end",
    "offered": "it was shown",
    "expired": "it was not shown any more",
    "held.room": "the batch was full, it goes with the next one",
}
"""Reason code to what it means."""
BRIEF = {
    "held.below-threshold": "not enough yet",
    "held.refractory": "told much, silent for a minute",
    "held.raised": "told much, threshold still raised",
    "held.gap": "the pause between two batches",
    "held.rate": "as much was told as may be",
    "held.idle": "its session is idle",
    "held.wake-budget": "woken as often as may be",
    "held.unprompted": "no person's prompt yet",
    "held.turn": "the next prompt or turn's end",
    "held.room": "the batch was full",
}
"""What holds something, where there is little room."""


def said(code: str) -> str:
    """Say what a reason code means; one that this release does not know is said as it is."""
    return MEANINGS.get(code, code)


def brief(code: str) -> str:
    """Say in a few words what a hold means."""
    return BRIEF.get(code, said(code))
