"""The context gauge with what the client itself states, where it does."""

from collections.abc import Callable

from attendd.errors import StoreError
from attendd.harness.base import SessionView
from attendd.harness.windows import plain
from attendd.model import Gauge
from attendd.store.figures import Stated


def gauge(view: SessionView, stated: Callable[[str], Stated | None]) -> Gauge | None:
    """Read a session's gauge, its window as its client stated it.

    What was stated for one model says nothing of another: a person may have switched since
    the status line was drawn last. It then counts only where nobody else knows the window, as
    with names that other platforms give to models.

    Args:
        view: the session, as last looked at.
        stated: what its client stated of a session; an error of the store counts as nothing.
    """
    own = view.gauge()
    if own is None:
        return None
    try:
        figures = stated(own.session)
    except StoreError:
        return own
    if figures is None or not figures.window_tokens:
        return own
    meant = not own.model or plain(own.model) == plain(figures.model or "")
    return view.gauge(figures.window_tokens) if meant or own.tokens_total is None else own
