"""How full a context window is: what a transcript's end says, or its client since then."""

import msgspec

from attendd.harness.branches import Branch, Figure
from attendd.harness.transcript import Transcript
from attendd.harness.windows import newer, plain
from attendd.harness.windows import window as window_of
from attendd.model import Gauge
from attendd.store.figures import Stated

_MEASURES = ("assistant", "system")
"""The kinds of row without which there is no figure."""


class _Reading(msgspec.Struct, frozen=True):
    """A figure, and the model it is of; ``None`` and empty before the first answer."""

    figure: Figure | None
    model: str = ""
    requested: str = ""


def measure(
    session: str, transcript: Transcript | None, branch: Branch | None, said: Stated | None
) -> Gauge | None:
    """Read the gauge off a branch of a transcript, or off what its client said since.

    Args:
        session: the session's id.
        transcript: its transcript; ``None`` while there is none.
        branch: the branch that is its own; ``None`` while there is none.
        said: what its client stated of it; ``None``: nothing that could be of this branch.

    Returns:
        ``None`` if there must be a figure but it can't be had: it is too far back, was left
        out, or its row is not as known.
    """
    branch = branch or Branch(0)
    found = _stated(branch, said) or _written(transcript, branch)
    if found is None:
        return None
    used = 0 if found.figure is None else found.figure.tokens
    total, source = _window(found, said)
    if total is None or used > total:  # a variant we don't know of: never more than all
        total, source = None, "unknown"
    return Gauge(
        session=session,
        tokens_used=used,
        tokens_total=total,
        model=found.model,
        window_source=source,
        method="none" if found.figure is None else found.figure.method,
        epoch=_epoch(session, transcript, branch),
    )


def _stated(branch: Branch, said: Stated | None) -> _Reading | None:
    if said is None or said.tokens is None or not newer(said.at, branch.measured_at):
        return None
    figure = Figure(said.tokens, "stated")
    model = said.model or branch.model
    if plain(model) == plain(branch.model):
        return _Reading(figure, branch.model, branch.requested)
    return _Reading(figure, model, model)


def _written(transcript: Transcript | None, branch: Branch) -> _Reading | None:
    if transcript is not None:
        faults = transcript.conversation.faults
        if not transcript.readable or any(kind in faults for kind in _MEASURES):
            return None
        if branch.figure is None and (branch.cut or not transcript.measured):
            return None
    return _Reading(branch.figure, branch.model, branch.requested)


def _window(found: _Reading, said: Stated | None) -> tuple[int | None, str]:
    """Return the window's size and who says so.

    What was stated for one model says nothing of another: a person may have switched since the
    status line was drawn last. It then counts only where nobody else knows the window, as with
    names that other platforms give to models.
    """
    known = window_of(found.model, found.requested)
    if said is not None and said.window_tokens:
        used = 0 if found.figure is None else found.figure.tokens
        meant = plain(found.model) in ("", plain(said.model or ""))
        if found.figure is not None and found.figure.method == "stated":
            meant = True
        if meant or known is None or used > known:
            return said.window_tokens, "client"
    return known, "table"


def _epoch(session: str, transcript: Transcript | None, branch: Branch) -> str:
    times = 0 if transcript is None else transcript.times_anew
    again = f"{session}~{times}" if times else session
    return f"{again}:{branch.cut}" if branch.cut else again
