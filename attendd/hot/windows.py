"""How large the context windows of known models are, and which of two figures is newer."""

_M = 1_000_000
_K200 = 200_000

WINDOWS = {
    "claude-fable-5-2": _M,
    "claude-haiku-5-5": _M,
    "claude-opus-5-5": _M,
    "claude-sonnet-5-5": _M,
    "claude-opus-5": _M,
    "claude-sonnet-5": _M,
    "claude-opus-4-8": _M,
    "claude-opus-4-7": _M,
    "claude-opus-4-6": _K200,
    "claude-sonnet-4-6": _K200,
    "claude-opus-4-5": _K200,
    "claude-sonnet-4-5": _K200,
    "claude-haiku-4-5": _K200,
    "claude-opus-4": _K200,
    "claude-sonnet-4": _K200,
    "claude-3-7-sonnet": _K200,
    "claude-3-5-haiku": _K200,
}
"""Model to window, in tokens, without the date that a model's full name ends in.

Source:
    What Claude Code 2.1.328 said itself for each (``contextWindow`` in the result of
    ``claude -p --output-format json``). A model is added when its client has stated it; the
    names that other platforms give to models are not here, since their windows may differ.
"""

APART_S = 1.0
"""What a client states so shortly after an answer may still be of the one before."""

_LONG = "[1m]"
_CENTURY = "20"
_DATE_LENGTH = 8


def plain(model: str) -> str:
    """Return a model's name without its date and without the mark of a longer window."""
    return _undated(model.removesuffix(_LONG))


def window(model: str, requested: str = "") -> int | None:
    """Return the window of a model, in tokens; ``None`` if it is not known.

    Args:
        model: as the answer names it.
        requested: as it was asked for, where the client notes that: only there a variant with
            a window of a million tokens shows, by its suffix ``[1m]``.
    """
    name = _undated(model)
    if requested.endswith(_LONG) and plain(requested) == name:
        return _M
    return WINDOWS.get(name)


def newer(stated_at: float, answered_at: float) -> bool:
    """Tell whether what a client states is newer than the last figure of its transcript.

    Args:
        stated_at: when it stated that, wall clock.
        answered_at: when the row with that figure was made; minus infinity without one.
    """
    return stated_at >= answered_at + APART_S


def _undated(model: str) -> str:
    head, dash, date = model.rpartition("-")
    dated = len(date) == _DATE_LENGTH and date.startswith(_CENTURY) and date.isdecimal()
    return head if dash and dated and date.isascii() else model
