"""What the rest of attend may know about a client: its sessions, and one session's view."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from attendd.harness.evidence import Traces
from attendd.model import Activity, Command, Gauge, Status
from attendd.store.figures import Stated


class LiveSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session whose client process was seen to be alive.

    Attributes:
        session: the id it runs now. Two processes may run one session.
        pid: the client's process, in our own pid namespace.
        start: when that started, as `attendd.hot.process.start_time` writes it.
        cwd: the session's directory; it may have been deleted.
        status: what the client says it does.
        since: when that status began, wall clock; ``None`` if the client doesn't say.
        name: the client's name for it, for display only.
        version: the client's release.
        entrypoint: how the client was started: ``cli``, ``sdk-cli``, …
        kind: what sort of session the client calls it: ``interactive``, …
        transcript: path of its transcript; empty before the first prompt.
    """

    session: str
    pid: int
    start: str
    cwd: str = ""
    status: Status = Status.UNKNOWN
    since: float | None = None
    name: str = ""
    version: str = ""
    entrypoint: str = ""
    kind: str = ""
    transcript: str = ""


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """What a session has done besides talking, as of the last look. Times are wall clock.

    Attributes:
        prompted_at: its last prompt by a person; minus infinity before any.
        worked_at: its last tool call that did something else than talk; minus infinity
            before any.
        alone: turns since the last prompt by a person.
    """

    prompted_at: float = -math.inf
    worked_at: float = -math.inf
    alone: int = 0


class SessionView(Protocol):
    """What can be known of one attended session, kept current by looking at files.

    `activity` and `gauge` tell what the last look saw and cost nothing. `refresh` and
    `own_doing` look, so they belong into a worker thread; they may be called from several.
    """

    @property
    def session(self) -> str:
        """The session's id now: ``/clear`` and ``/resume`` change it."""
        ...

    @property
    def transcript(self) -> str:
        """Path of the session's transcript; empty while that is not known."""
        ...

    @property
    def contract(self) -> str:
        """Empty, or one sentence: what about the client's files is not as known."""
        ...

    def refresh(self) -> None:
        """Look again: at most one stat for each unchanged file."""
        ...

    def activity(self) -> Activity:
        """Return what the session was doing at the last look."""
        ...

    def gauge(self, stated: Stated | None = None) -> Gauge | None:
        """Return how full the context window was at the last look.

        Args:
            stated: what the client itself stated of the session; it counts where it is newer
                than what the transcript says, and for the window's size.

        Returns:
            ``None`` if no figure can be had: the client keeps no transcript we know how to
            read, or its last figure is not as known.
        """
        ...

    def talk(self) -> Talk:
        """Return whether a person or work came in between, as of the last look."""
        ...

    def traces(self) -> Traces | None:
        """Look for what the client's files prove of our messages: like `refresh`, in a thread.

        Returns:
            ``None`` where there is no transcript, so that nothing can be proved.
        """
        ...

    def own_doing(self, since: float, until: float) -> bool | None:
        """Tell whether a tool call of this session that can change things ran in an interval.

        Args:
            since: start of the interval, wall clock.
            until: its end, wall clock, not in the future.

        Returns:
            ``None`` while the client may not have written down yet what it ran: ask again. From
            half a second after ``until`` on it is never ``None``.
        """
        ...

    def commands(self) -> Sequence[Command]:
        """List the shell commands that ran lately, as of the last look."""
        ...


class Harness(Protocol):
    """A kind of client, and all that attend knows about its files."""

    def live(self, *, find: bool = True) -> Sequence[LiveSession]:
        """List the sessions whose process is known to be alive.

        Args:
            find: whether to fill in ``transcript``, which takes a search where there is none.
        """
        ...

    def ended(self, session: LiveSession) -> bool:
        """Tell whether a process that was live is known to have ended, or is just ending.

        A record that can't be read now, or a process that can't be seen from here, is no end.
        """
        ...

    def watch_paths(self) -> Sequence[Path]:
        """Return the folders in which something changes when a session comes, goes or turns."""
        ...

    def origin(self, copy: str, began: float, among: Mapping[str, str]) -> str | None:
        """Name the session that another one is a copy of. Looks, so it belongs into a thread.

        Args:
            copy: path of the other one's transcript.
            began: when that one began, wall clock.
            among: directories of the sessions that it may be, by their ids.

        Returns:
            ``''`` if it is none of them; ``None`` while that can't be told.
        """
        ...

    def view(
        self,
        session: str,
        client_pid: int | None,
        client_start: str,
        workdir: str,
        transcript: str = "",
    ) -> SessionView:
        """Begin to follow a session; does not look yet.

        Args:
            session: its id when it was attached.
            client_pid: its client's process; ``None`` where there is none, or none can be seen.
            client_start: when that started; empty if that is not known.
            workdir: its directory.
            transcript: path of its transcript, if a hook named it.
        """
        ...
