"""How full a context window is: a transcript's end, and what its client states. Pure."""

from attendd.hot import windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.ends import End

_PERCENT = 100


class Stated:
    """What a client states: see `attendd.store.figures.Stated`, which is the full program's.

    Attributes:
        model: the model's id, or ``''``.
        window: size of the context window; ``None``: it didn't say.
        tokens: how many are in it; ``None`` likewise.
        at: when that was stated, wall clock.
    """

    __slots__ = ("at", "model", "tokens", "window")

    def __init__(
        self,
        model: object = "",
        window: object = None,
        tokens: object = None,
        pct: object = None,
        at: float = 0.0,
    ) -> None:
        """Take a row of the store, any of which may be missing; ``pct`` is 0 to 100."""
        self.model = model if isinstance(model, str) else ""
        self.window = window if isinstance(window, int) else None
        self.tokens = tokens if isinstance(tokens, int) and tokens else None
        self.at = at
        if self.tokens is None and self.window and isinstance(pct, (int, float)) and pct:
            self.tokens = round(self.window * min(_PERCENT, pct) / _PERCENT)


def of(end: "End", said: Stated) -> "tuple[str, int | None, int | None]":
    """Return the model, the tokens in use and the window, as `attend context` has them."""
    model, requested, tokens = end.model, end.requested, end.tokens
    meant = windows.plain(model) in ("", windows.plain(said.model))
    if said.tokens and windows.newer(said.at, end.measured_at):
        tokens, meant = said.tokens, True
        if windows.plain(said.model) != windows.plain(model) and said.model:
            model = requested = said.model
    window = windows.window(model, requested)
    if said.window and (meant or window is None or (tokens or 0) > window):
        window = said.window
    return model, tokens, window if window and (tokens or 0) <= window else None
