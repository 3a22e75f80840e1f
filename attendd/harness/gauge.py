"""How full a context window is, from what a transcript's end says."""

from attendd.harness.branches import Branch
from attendd.harness.transcript import Transcript
from attendd.harness.windows import window as window_of
from attendd.model import Gauge

_MEASURES = ("assistant", "system")
"""The kinds of row without which there is no figure."""


def empty(session: str, window: int | None) -> Gauge:
    """Return the gauge of a session that has had no answer.

    Args:
        session: its id.
        window: the window's size as the client stated it, in tokens.
    """
    return Gauge(
        session=session,
        tokens_used=0,
        tokens_total=window,
        window_source="unknown" if window is None else "client",
        epoch=session,
    )


def measure(
    session: str, transcript: Transcript, branch: Branch, window: int | None
) -> Gauge | None:
    """Read the gauge off a branch of a transcript.

    Args:
        session: the session's id.
        transcript: its transcript.
        branch: the branch that is its own.
        window: the window's size as the client stated it; the table is asked without it.

    Returns:
        ``None`` if there must be a figure but it can't be had: it is too far back, was left
        out, or its row is not as known.
    """
    figure = branch.figure
    if any(kind in transcript.conversation.faults for kind in _MEASURES):
        return None
    if figure is None and (branch.cut or not transcript.measured):
        return None
    used = 0 if figure is None else figure.tokens
    total, source = window, "client"
    if total is None:
        total, source = window_of(branch.model, branch.requested), "table"
    if total is None or used > total:  # a variant we don't know of: never more than all
        total, source = None, "unknown"
    again = f"~{transcript.times_anew}" if transcript.times_anew else ""
    return Gauge(
        session=session,
        tokens_used=used,
        tokens_total=total,
        model=branch.model,
        window_source=source,
        method="none" if figure is None else figure.method,
        epoch=f"{session}{again}:{branch.cut}" if branch.cut else f"{session}{again}",
    )
