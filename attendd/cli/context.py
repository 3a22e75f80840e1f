"""`attend context`: how full a session's context window is."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attendd import config
from attendd.cli import arguments, output, words
from attendd.cli.state import State
from attendd.errors import (
    AttendError,
    ContractChangedError,
    StoreError,
    UnresolvedSessionError,
)
from attendd.harness import ClaudeHarness, LiveSession, NoView, SessionView
from attendd.hot import identity, places
from attendd.hot.who import begins
from attendd.model import Gauge
from attendd.store import Stated

SOURCES = {
    "client": "as the client states it",
    "table": "by the model's name",
    "unknown": "not known",
}
"""What the sources of a window's size mean."""

METHODS = {
    "usage": "what the last answer used",
    "compaction": "what the compaction left; no answer since",
    "stated": "what the client states, newer than the last answer in its transcript",
    "none": "no answer yet",
    "external": "what the configured command printed",
}
"""What the ways of measuring mean."""

_ASKING = "ATTEND_GAUGE"
"""Set while the configured command runs, so that one that calls us ends."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    arguments.add_session(parser)
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Read the gauge.

    Raises:
        UnresolvedSessionError: it is not known whose.
        ContractChangedError: the client's files are not as this release knows them.
        AttendError: there is no figure.
    """
    view, workdir = _of_session(args.session) if args.session else _of_caller()
    view.refresh()
    command = config.load({}).config.context.command
    figures = _stated(view.session)
    gauge = _external(command, view, workdir) if command else view.gauge(figures)
    if gauge is None:
        raise _no_figure(view)
    if view.contract and not command:
        print(f"attend: {output.safe(view.contract)}", file=sys.stderr)
    if args.json:
        return output.document(plain(gauge))
    output.facts([*_said(gauge), *_of_client(figures)])
    return 0


def _stated(session: str) -> Stated | None:
    """Ask for what the client stated; a store that can't be opened has nothing to say."""
    try:
        return State().store.figures.of(session)
    except (StoreError, places.PlaceError):
        return None


def plain(gauge: Gauge) -> dict[str, Any]:
    """Return a gauge under the keys that `--json` prints."""
    return {
        "tokens_used": gauge.tokens_used,
        "tokens_total": gauge.tokens_total,
        "tokens_remaining": gauge.tokens_remaining,
        "pct_used": _rounded(gauge.pct_used),
        "pct_remaining": _rounded(gauge.pct_remaining),
        "model": gauge.model,
        "window_source": gauge.window_source,
        "method": gauge.method,
        "session": gauge.session,
    }


def _of_caller() -> tuple[SessionView, str]:
    caller = identity.resolve()
    if not caller.session:
        if caller.contract:
            raise ContractChangedError(caller.contract)
        raise UnresolvedSessionError(
            "it is not known which session this is",
            hint="`attend whoami` says why; --session ID names one",
        )
    if caller.client_pid is None:
        return NoView(caller.session), caller.workdir
    view = ClaudeHarness(Path(places.client_dir())).view(
        caller.session,
        caller.client_pid,
        caller.client_start,
        caller.workdir,
        caller.transcript,
    )
    return view, caller.workdir


def _of_session(beginning: str) -> tuple[SessionView, str]:
    """Find a session among those that run, then among those that attend remembers."""
    harness = ClaudeHarness(Path(places.client_dir()))
    live = [s for s in harness.live() if _is_meant(s, beginning)]
    if len({session.session for session in live}) > 1:
        names = ", ".join(dict.fromkeys(session.session for session in live))
        raise UnresolvedSessionError(
            f"{beginning!r} may be any of several sessions", hint=f"one of {names}"
        )
    if live:
        one = live[0]
        view = harness.view(one.session, one.pid, one.start, one.cwd, one.transcript)
        return view, one.cwd
    known = State().session(beginning)
    return harness.view(known.id, None, "", known.workdir, known.transcript), known.workdir


def _is_meant(session: LiveSession, beginning: str) -> bool:
    exact = beginning in (session.session, session.name)
    return exact or begins(session.session, beginning)


def _external(command: str, view: SessionView, workdir: str) -> Gauge | None:
    """Read the gauge by the command that the configuration names.

    Raises:
        AttendError: it printed none.
    """
    if os.environ.get(_ASKING):
        raise AttendError(
            "context.command is `attend context` itself",
            hint="leave it empty in the configuration: attend reads the transcript then",
        )
    import anyio

    from attendd.harness import external

    os.environ[_ASKING] = "1"
    reading = anyio.run(external.read, command, view.session, workdir)
    if reading.problem:
        raise AttendError(reading.problem, hint="`attend config path` says where it is set")
    return reading.gauge


def _no_figure(view: SessionView) -> AttendError:
    if isinstance(view, NoView):
        return UnresolvedSessionError(
            f"{view.session} has no client, so no context window is known",
            hint="--session ID names a client's session; `attend status` lists them",
        )
    if view.contract:
        return ContractChangedError(
            view.contract, hint="a newer attend may know it; until then it says nothing"
        )
    return AttendError(
        f"no figure can be had for {view.session}",
        hint="its client keeps no transcript, or the last answer is too far back in it",
    )


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 2)


def _said(gauge: Gauge) -> list[tuple[str, str]]:
    used, left = f"{gauge.tokens_used:,} tokens", "not known"
    if gauge.tokens_remaining is not None:
        used += f" of {gauge.tokens_total:,} ({gauge.pct_used:.1f} %)"
        left = f"{gauge.tokens_remaining:,} tokens ({gauge.pct_remaining:.1f} %)"
    return [
        ("used", used),
        ("left", left),
        ("window", SOURCES.get(gauge.window_source, gauge.window_source)),
        ("model", gauge.model or "not known"),
        ("measured by", METHODS.get(gauge.method, gauge.method)),
        ("session", gauge.session),
    ]


def _of_client(figures: Stated | None) -> Iterator[tuple[str, str]]:
    """Say what only the client knows, where it stated that."""
    if figures is None:
        return
    if figures.cost_usd is not None:
        yield "cost", f"${figures.cost_usd:.2f}"
    if figures.cache_read is not None or figures.cache_written is not None:
        cache = (
            f"{figures.cache_read or 0:,} tokens read, {figures.cache_written or 0:,} written"
        )
        if figures.cache_until is not None:
            ends = "lasts until" if figures.cache_until > time.time() else "ended at"
            cache += f"; it {ends} {words.moment(figures.cache_until)}"
        yield "cache", cache
