"""The tags of percepts, as they stand in bytes: which one comes next, and whose it is.

A tag is ``<attend:percept:NONCE>`` or ``</attend:percept:NONCE>``, to the letter: no space, no
attribute, no other case. The token in it makes it our own or foreign.
"""

BEGUN, OWN_OPEN, OWN_CLOSE, FOREIGN_OPEN, FOREIGN_CLOSE = range(5)
"""Kinds of tags; `BEGUN` is what may become one, when more comes."""
LONGEST_TOKEN = 32

TYPE_CHECKING = False
if TYPE_CHECKING:
    Tag = tuple[int, bytes, int, int]
    """Its kind, token, start and end."""


class Tags:
    """Finds the tags of one namespace."""

    __slots__ = ("_escaped", "_forms", "_longest", "_name", "_nonce")

    def __init__(self, namespace: str, nonce: str, *, escaped: bool = False) -> None:
        """Take what makes a tag our own.

        Args:
            namespace: the first word of a tag; ASCII letters, digits, ``-`` and ``_``.
            nonce: our own token; 1 to 32 ASCII letters and digits.
            escaped: whether an own tag counts as well where a client has escaped its ``<``
                and ``>``.

        Raises:
            ValueError: one of the two is not of this kind.
        """
        if not is_token(nonce):
            raise ValueError(f"a nonce is 1 to {LONGEST_TOKEN} letters and digits: {nonce!r}")
        if not is_namespace(namespace):
            raise ValueError(f"a namespace is letters, digits, - and _: {namespace!r}")
        self._name = f"{namespace}:percept:".encode()
        self._nonce = nonce.encode()
        self._escaped = escaped
        leads = (b"<", b"</", b"&lt;", b"&lt;/") if escaped else (b"<", b"</")
        self._forms = tuple(lead + self._name for lead in leads)
        self._longest = max(map(len, self._forms))

    def find(self, data: bytes, start: int, *, final: bool = False) -> "Tag | None":
        """Return the first tag that begins at or after ``start``.

        Args:
            data: where to look.
            start: from where on.
            final: whether nothing more comes, so that what has only begun is no tag.
        """
        name = self._name
        at = data.find(name, start)
        while at >= 0:
            tag = self._read(data, at)
            if tag and tag[2] >= start and not (final and tag[0] == BEGUN):
                return tag
            at = data.find(name, at + 1)
        return None if final else self._begun(data, start)

    def _read(self, data: bytes, at: int) -> "Tag | None":
        """Read the tag whose name is at this place; ``None`` where it is none."""
        before = data[max(0, at - 5) : at]
        close = before.endswith(b"/")
        lead = before.removesuffix(b"/")
        after = at + len(self._name)
        if lead.endswith(b"<"):
            return self._plain(data, after, at - 1 - close, close)
        if self._escaped and lead.endswith(b"&lt;"):
            return self._foreseen(data, after, at - 4 - close, close)
        return None

    def _plain(self, data: bytes, after: int, start: int, close: bool) -> "Tag | None":  # noqa: FBT001
        end = data.find(b">", after, after + LONGEST_TOKEN + 1)
        token = data[after : after + LONGEST_TOKEN + 1 if end < 0 else end]
        if end < 0:
            may_go_on = len(token) <= LONGEST_TOKEN and (not token or token.isalnum())
            return (BEGUN, b"", start, len(data)) if may_go_on else None
        if not token.isalnum():
            return None
        kind = OWN_OPEN if token == self._nonce else FOREIGN_OPEN
        return kind + close, token, start, end + 1

    def _foreseen(self, data: bytes, after: int, start: int, close: bool) -> "Tag | None":  # noqa: FBT001
        """Read an escaped tag: only our own counts."""
        rest = self._nonce + b"&gt;"
        found = data[after : after + len(rest)]
        if found == rest:
            return OWN_OPEN + close, self._nonce, start, after + len(rest)
        at_the_end = after + len(found) == len(data)
        return (BEGUN, b"", start, len(data)) if at_the_end and rest.startswith(found) else None

    def _begun(self, data: bytes, start: int) -> "Tag | None":
        """Find the end of the data that more may make a tag of."""
        since = max(start, len(data) - self._longest)
        for sign in (b"<", b"&") if self._escaped else (b"<",):
            at = data.rfind(sign, since)
            if at >= 0 and any(form.startswith(data[at:]) for form in self._forms):
                return BEGUN, b"", at, len(data)
        return None


def is_token(text: str) -> bool:
    """Tell whether a text can be what tells one session's tags from another's."""
    return text.isascii() and text.isalnum() and len(text) <= LONGEST_TOKEN


def is_namespace(text: str) -> bool:
    """Tell whether a text can be the first word of tags."""
    return text.isascii() and text.replace("-", "").replace("_", "").isalnum()
