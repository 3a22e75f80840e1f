"""One line on how full the context window is and what attend has to say, as wide as may be.

Nothing in it takes more than one cell, and nothing of it is anybody else's text but the names
of sensors, which are letters, digits and dashes.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from attendd.hot.stated import Figures, Known

_BETWEEN = " · "
_BAR = 10
_FULL, _EMPTY = "█", "░"
_LEVELS = 4
_MANY = 99
_K, _M = 1000, 1_000_000


def compose(
    figures: "Figures | None", known: "Known | None", width: int, note: "Sequence[str]" = ()
) -> str:
    """Write the line.

    Args:
        figures: what the client says; ``None`` where it says nothing to go by.
        known: what attend knows; ``None`` where the store could not be asked.
        width: the cells it may take.
        note: what to say about the line itself, ever more shortly.

    Returns:
        At most so many characters. Parts are shortened first, then the last ones left out.
    """
    parts = [_gauge(figures)] if figures is not None else []
    if note:
        parts.append(list(note))
    if known is not None:
        parts += _news(known)
    for level in range(_LEVELS):
        line = _BETWEEN.join(part[min(level, len(part) - 1)] for part in parts)
        if len(line) <= width:
            return line
    short = [part[-1] for part in parts]
    while len(short) > 1 and len(_BETWEEN.join(short)) > width:
        short.pop()
    return _BETWEEN.join(short)[: max(0, width)]


def tokens(count: int) -> str:
    """Say a number of tokens in brief: ``950``, ``82k``, ``1M``, ``1.2M``."""
    if count >= _M - _K // 2:
        return f"{count / _M:.1f}".removesuffix(".0") + "M"
    return f"{count / _K:.0f}k" if count >= _K else str(count)


def bar(pct: float, width: int = _BAR) -> str:
    """Draw a share of 100; a little shows as a little, and only all as all."""
    full = min(width, int(pct * width / 100 + 0.5))
    if pct > 0:
        full = max(full, 1)
    if pct < 100:  # noqa: PLR2004 - percent
        full = min(full, width - 1)
    return _FULL * full + _EMPTY * (width - full)


def _gauge(figures: "Figures") -> list[str]:
    of = f" of {tokens(figures.window)}" if figures.window else ""
    if figures.pct is None:
        return [f"context not measured yet{of and ','}{of}", f"context -%{of}", "-%"]
    pct = f"{figures.pct:.0f}%"
    return [
        f"context {bar(figures.pct)} {pct}{of}",
        f"context {pct}{of}",
        f"{pct}{of}",
        pct,
    ]


def _news(known: "Known") -> list[list[str]]:
    """Word what there is, the most pressing first."""
    parts = []
    if known.unread:
        count = f"{known.unread}" if known.unread <= _MANY else f"{_MANY}+"
        parts.append(
            [f"{count} unread message{'s' if known.unread > 1 else ''}", f"{count} unread"]
        )
    if known.failing:
        parts.append(_named(known.failing, "failing"))
    if not known.listener:
        parts.append(["attend is not listening", "not listening", "off"])
    holding = known.holding + ["a conversation"] * known.stopped
    if holding:
        parts.append(_named(holding, "held"))
    return parts


def _named(names: list[str], what: str) -> list[str]:
    all_of_them = ", ".join(names)
    return [f"{what}: {all_of_them}", f"{len(names)} {what}"]
