"""What a percept may be: not empty, not long, and for whom it is."""

BODY = 2_048
"""Bytes of UTF-8 that a percept may have: more could never come back to anybody."""
KEPT = 24 << 10
"""Bytes of a tag's content that are kept until it is closed."""
TOO_LONG = f"it is longer than {BODY:,} bytes"


def read(raw: bytes, size: int, agents: "tuple[str, ...]") -> tuple[str, str]:
    """Read what stood between two tags.

    Args:
        raw: as much of it as was kept.
        size: how many bytes it had.
        agents: names that a hint may begin with, ``@name: …``.

    Returns:
        Its text, and for whom it is; no text where there is nothing to keep, no name where it
        is for everybody.

    Raises:
        ValueError: it is too long.
    """
    text = raw.decode("utf-8", "replace").strip()
    if size > len(raw) or len(text.encode()) > BODY:
        raise ValueError(TOO_LONG)
    for name in agents if text.startswith("@") else ():
        rest = text.removeprefix(f"@{name}:")
        if rest != text and (not rest or rest[0].isspace()):
            return rest.strip(), name
    return text, ""
