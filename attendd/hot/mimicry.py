"""Breaks what a reader might take for the frame around a text: headers, tags, roles. Pure.

A bracket or a colon becomes one that looks like it. All functions take time linear in their
text, and doing any of it twice changes nothing more.
"""

NEWLINE_MARK = "⏎"
"""What `attendd.hot.frame` shows in place of a newline."""

_ANGLES = "<\uff1c\ufe64"
_SQUARES = "[\uff3b\ufe47"
_COLONS = ":\uff1a\ufe55\ufe13\u2a74"
_ANGLE_MARK = "\u2039"
_SQUARE_MARK = "\u27e6"
_COLON_MARK = "\u2236"
_TAG_STARTS = (
    "system", "task-", "tool", "function", "antml", "invoke", "parameter", "persisted-",
    "local-command", "command-", "bash-", "user-", "hook", "claude-", "teammate", "agent-",
    "cross-session", "assistant-", "attend", "percept", "thinking", "|", "new-diagnostics",
)  # fmt: skip
_TAGS = frozenset((
    "user", "human", "assistant", "developer", "event", "result", "output", "stdout", "stderr",
    "error", "summary", "status", "channel", "document", "command",
))  # fmt: skip
_NOTICE_STARTS = (
    "attend", "system notification", "system]", "system:", "monitor stopped", "monitor expired",
    "plugin monitor", "request interrupted",
)  # fmt: skip
_ROLES = frozenset(("human", "assistant", "system", "user", "developer"))
_LOOK = 40
"""Characters looked at behind a bracket or at a line's start."""


def broken(text: str) -> str:
    """See `attendd.hot.frame.neutral`."""
    for opener in _ANGLES:
        if opener in text:
            text = _without_tags(text, opener)
    for opener in _SQUARES:
        if opener in text:
            text = _without_notices(text, opener)
    if any(colon in text for colon in _COLONS):
        text = "\n".join(
            NEWLINE_MARK.join(without_role(part) for part in line.split(NEWLINE_MARK))
            for line in text.split("\n")
        )
    return text


def without_role(line: str) -> str:
    """Break the colon of a role marker that a line begins with."""
    head = line[:_LOOK]
    at = min((head.find(colon) for colon in _COLONS if colon in head), default=-1)
    if at < 0 or _plain(head[:at]).strip(" |>*#_-\"'`()[]~") not in _ROLES:
        return line
    return f"{line[:at]}{_COLON_MARK}{line[at + 1 :]}"


def _without_tags(text: str, opener: str) -> str:
    first, *parts = text.split(opener)
    kept = [first]
    for part in parts:
        kept += (_ANGLE_MARK if _is_tag(_plain(part[:_LOOK])) else opener, part)
    return "".join(kept)


def _without_notices(text: str, opener: str) -> str:
    first, *parts = text.split(opener)
    kept = [first]
    for part in parts:
        look = " ".join(_plain(part[:_LOOK]).split(" "))
        kept += (_SQUARE_MARK if look.startswith(_NOTICE_STARTS) else opener, part)
    return "".join(kept)


def _plain(text: str) -> str:
    """Fold to lower-case ASCII where a character is one in disguise; for looking only."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKD", text)
        text = "".join(ch for ch in text if not unicodedata.combining(ch))
    return text.lower().replace("_", "-").lstrip(" ")


def _is_tag(text: str) -> bool:
    text = text.lstrip("/!? ")
    if text.startswith(_TAG_STARTS):
        return True
    name = text.partition(">")[0].partition(" ")[0].partition("/")[0]
    return name in _TAGS
