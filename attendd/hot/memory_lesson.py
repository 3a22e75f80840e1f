"""What a session is taught of memory: the packaged text, with the tags of this very session.

The tags must reach the model as they are, so only hooks teach this: a monitor's lines are
escaped by the client.
"""

from attendd.hot import folders

HEADING = "[attend memory]"
TOPIC = "memory"
"""Its name in the ledger of what was taught."""

_HEAD = "+++\n"
_GOAL = " One begun with `@goal: ` is what the person wants now; once lost it comes back."
_HINTS = " One that begins with {} is for that reader alone."


def lesson(
    nonce: str,
    namespace: str = "attend",
    consumers: "tuple[str, ...]" = (),
    *,
    lasting: bool = True,
) -> str:
    """Return the text, the same for the same arguments; ``''`` if it is missing.

    Args:
        nonce: of the session.
        namespace: of its tags.
        consumers: names that a fact may be addressed to.
        lasting: whether the session is one that can lose what it knew, and is told again.
    """
    package = __file__.rpartition("/attendd/hot/")[0]
    text = folders.read(f"{package}/disclosures/{TOPIC}.md").rpartition(_HEAD)[2].strip()
    if not text:
        return ""
    names = " or ".join(f"`@{name}: `" for name in consumers)
    filled = (
        ("{tags}", tags(nonce, namespace)),
        ("{hints}", _HINTS.format(names) if names else ""),
        ("{goal}", _GOAL if lasting else ""),
    )
    for place, value in filled:
        text = text.replace(place, value)
    return f"{HEADING}\n{text}\n"


def tags(nonce: str, namespace: str) -> str:
    """Return a session's tags as the text of any release shows them."""
    return f"<{namespace}:percept:{nonce}>…</{namespace}:percept:{nonce}>"
