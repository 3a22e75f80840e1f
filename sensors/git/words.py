"""How names, commits and counts are written."""

_NAME = 60
_PLACE = 150
_SUBJECT = 100


def plural(count: int, noun: str, *, more: bool = False) -> str:
    """Write a count with its noun; ``more`` marks a lower bound."""
    some = f"more than {count:,}" if more else f"{count:,}"
    return f"{some} {noun}" if count == 1 and not more else f"{some} {noun}s"


def visible(text: str) -> str:
    """Write control, bidirectional and zero-width characters as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def text_of(raw: bytes) -> str:
    """Decode what git wrote; bytes that are not UTF-8 become escapes."""
    return visible(raw.decode("utf-8", "backslashreplace"))


def name(path: str, most: int = _NAME) -> str:
    """Write a file's name: quoted where it is odd, its beginning left out where it is long."""
    if len(path) > most:
        path = "…" + path[-most:]
    odd = any(c in path for c in " \"'`\\,")
    return '"' + path.replace('"', '\\"') + '"' if odd else path


def place(path: str) -> str:
    """Write where something lies."""
    return name(visible(path), _PLACE)


def names(paths: tuple[str, ...], count: int) -> str:
    """Write up to three names, and how many more there are."""
    shown = [name(path) for path in paths[:3]]
    rest = count - len(shown)
    if rest > 0:
        shown.append(f"{rest:,} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def quoted(subject: str) -> str:
    """Write a commit's first line, cut where it is long."""
    cut = subject if len(subject) <= _SUBJECT else subject[: _SUBJECT - 1] + "…"
    return f'"{visible(cut)}"'


def short(oid: str) -> str:
    """Write a commit's name as people do."""
    return oid[:9]
