"""The context gauge with what the client itself states, where it does."""

from collections.abc import Callable

from attendd.errors import StoreError
from attendd.harness.base import SessionView
from attendd.model import Gauge
from attendd.store.figures import Stated


def gauge(view: SessionView, stated: Callable[[str], Stated | None]) -> Gauge | None:
    """Read a session's gauge with what its client stated last.

    Args:
        view: the session, as last looked at.
        stated: what its client stated of a session; an error of the store counts as nothing.
    """
    try:
        return view.gauge(stated(view.session))
    except StoreError:
        return view.gauge()
