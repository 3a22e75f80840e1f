"""When a session is taught anew where no gauge tells how far back the last time is. Pure."""

TURNS = 20
BYTES = 40_000
"""The distances from which on it is; 40 KB is decimal."""


def due(
    *,
    resuming: bool,
    turns_since: int,
    bytes_since: int,
    turns: int = TURNS,
    size: int = BYTES,
) -> bool:
    """Tell whether the instruction goes along with this prompt.

    Args:
        resuming: whether the session was taught before and still knows what was said then.
        turns_since: prompts since it was taught last.
        bytes_since: what has come into its context since, in UTF-8 bytes: prompts, answers and
            the output of tools.
        turns: the limit; 0 or less: none.
        size: the same for bytes.
    """
    if not resuming:
        return True
    return 0 < turns <= turns_since or 0 < size <= bytes_since
