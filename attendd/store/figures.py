"""What clients state of their sessions; see `attendd.hot.stated`, which writes it."""

import msgspec

from attendd.store.link import Link
from attendd.store.rows import columns, rows


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What a client stated last of a session; ``None`` or empty: it didn't say.

    Attributes:
        session: its id.
        at: when any of it changed last, wall clock.
        model: the model's id.
        version: the client's release.
        window_tokens: size of the context window.
        used_tokens: tokens in it, by the last answer and with it.
        used_pct: the same as a share, 0 to 100.
        cost_usd: of the session so far.
        cache_read: tokens of the last request that came from the prompt cache.
        cache_written: tokens of it that went there.
        cache_until: when the prompt cache ends, wall clock.
    """

    session: str
    at: float
    model: str | None
    version: str | None
    window_tokens: int | None
    used_tokens: int | None
    used_pct: float | None
    cost_usd: float | None
    cache_read: int | None
    cache_written: int | None
    cache_until: float | None

    @property
    def tokens(self) -> int | None:
        """Tokens in the window, by its share where only that is stated; ``None``: unknown."""
        if self.used_tokens or not self.used_pct or not self.window_tokens:
            return self.used_tokens or None
        return round(self.window_tokens * min(100.0, self.used_pct) / 100)

    def window_only(self) -> "Stated":
        """Return what of it holds for whatever conversation with the same model."""
        return msgspec.structs.replace(self, used_tokens=None, used_pct=None)


class Figures:
    """What clients state. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def of(self, session: str) -> Stated | None:
        """Return what was stated of a session; ``None``: nothing ever was."""
        sql = f"SELECT {columns(Stated)} FROM stated WHERE session = ?"
        found = self._link.read(sql, (session,))
        return rows(Stated, found)[0] if found else None
