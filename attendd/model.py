"""The nouns that several parts share: frozen structs, no behaviour beyond what names them."""

import enum
from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(gt=0, description="a duration in seconds")]
Magnitude = Annotated[float, msgspec.Meta(ge=0, le=10, description="0 is noise, 10 is urgent")]


class Lane(enum.StrEnum):
    """Which rules an observation lives under on its way to the session.

    ``EVENT`` is ambient: gated, may be held, may fade. ``MESSAGE`` was authored by a person or
    an agent: never dropped, never faded, only paced and folded.
    """

    EVENT = "event"
    MESSAGE = "message"


class Priority(enum.StrEnum):
    """How a line is labelled: from the magnitude its slot had accumulated when it fired."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a sensor noticed.

    Attributes:
        text: what happened, in the past tense, no trailing period. Newlines become
            continuation lines under one header.
        magnitude: how much it matters, from 0 (noise) to 10 (urgent).
        topic: what it is about, for the journal and for plugins that listen (``git.head``).
        lane: the rules it lives under.
        wakes: whether it is worth a turn of a session that is idle.
        own: whether the session did it itself; journalled, never told.
    """

    text: str
    magnitude: Magnitude = 1.0
    topic: str = ""
    lane: Lane = Lane.EVENT
    wakes: bool = False
    own: bool = False


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """How full a session's context window is, in tokens, at one moment.

    Attributes:
        session: the session measured.
        tokens_used: what the last answer's request and reply held; 0 before the first answer.
            What the client states counts where that is newer.
        tokens_total: the window of the current model; ``None`` while it is unknown.
        model: the model of the last answer; empty before it.
        window_source: ``client``, ``table`` or ``unknown``.
        method: ``usage`` (last answer), ``compaction`` (its boundary), ``none`` (no answer
            yet), ``stated`` (by the client) or ``external``.
        epoch: changes whenever what the session knew was lost or cut: a compaction, a rewind,
            a new session id. Equal epochs mean that earlier teaching may still be in view.
    """

    session: str
    tokens_used: int
    tokens_total: int | None = None
    model: str = ""
    window_source: str = "unknown"
    method: str = "none"
    epoch: str = ""

    @property
    def tokens_remaining(self) -> int | None:
        """Tokens left in the window; ``None`` while the window is unknown."""
        return (
            None if self.tokens_total is None else max(0, self.tokens_total - self.tokens_used)
        )

    @property
    def pct_used(self) -> float | None:
        """Share of the window in use, 0 to 100; ``None`` while the window is unknown."""
        if not self.tokens_total:
            return None
        return min(100.0, 100.0 * self.tokens_used / self.tokens_total)

    @property
    def pct_remaining(self) -> float | None:
        """Share of the window left, 0 to 100; ``None`` while the window is unknown."""
        used = self.pct_used
        return None if used is None else 100.0 - used


class Status(enum.StrEnum):
    """What a client says its session is doing.

    ``BUSY`` a turn is under way; ``WAITING`` it waits for its person; ``IDLE`` the turn is
    over, whether or not something runs in the background; ``UNKNOWN`` nobody can tell.
    """

    BUSY = "busy"
    WAITING = "waiting"
    IDLE = "idle"
    UNKNOWN = "unknown"


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """What a session is known to be doing.

    Attributes:
        status: what its client says.
        prompted: whether a person has prompted it yet; true where that can't be known.
        worked_at: when its transcript last grew, wall clock; ``None`` if it never did.
        turns: prompts by people so far in this conversation.
        bytes: how much the conversation's transcript has grown so far.
        contract: empty, or what about the client's files is no longer as known.
    """

    status: Status = Status.UNKNOWN
    prompted: bool = True
    worked_at: float | None = None
    turns: int = 0
    bytes: int = 0
    contract: str = ""

    @property
    def awake(self) -> bool:
        """Whether a line costs no turn of its own; unknown counts as awake."""
        return self.status is not Status.IDLE


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """Something attend teaches: a short text, and when it is worth its tokens.

    Attributes:
        id: its name in the ledger and the journal.
        text: markdown, at most 12 lines and 1,100 characters.
        order: lower is taught first.
        part: the part of attend that must be in use; empty means always.
        hooks: whether only hooks tell it, since a monitor's lines would not arrive as they are.
            The host asks them to; a hook that knows the component fills in its text.
    """

    id: str
    text: str
    order: int = 100
    part: str = ""
    hooks: bool = False


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """Something a conduit other than the loop told a session on a sensor's behalf.

    Attributes:
        topic: what was told, as the sensor names it; a component's id for disclosures.
        at: wall clock.
        conduit: how it went in, for instance ``session-start``.
    """

    topic: str
    at: float
    conduit: str


class Neighbour(msgspec.Struct, frozen=True, kw_only=True):
    """Another session that runs now, in the same project or in a channel shared with it.

    Attributes:
        key: names its process; the session that this runs may change.
        session: the id of the session it runs now. Two processes may run one session.
        name: what it is called; empty for one that attend has not met.
        place: the short name of its project.
        here: whether its project is that of the session being attended.
        channels: names of the channels that both are in; empty if none.
        worktree: the folder of its work tree, or its directory outside a repository.
        beside: whether both work in the very same work tree.
        branch: the branch checked out there; empty where none is.
        status: what its client says it does.
        since: when that status began, wall clock; ``None`` if the client doesn't say.
        came_at: when it came, by itself, to where it is a neighbour: its process was started,
            it moved to the project or entered the channel. Wall clock; ``None`` if that is not
            known.
        moved: whether it came from another project, its process running on.
        headless: whether a program runs it, not a person.
        own: whether the session being attended started it.
        pid: its process; ``None`` where that is not known or can't be seen.
    """

    key: str
    session: str
    name: str = ""
    place: str = ""
    here: bool = True
    channels: tuple[str, ...] = ()
    worktree: str = ""
    beside: bool = False
    branch: str = ""
    status: Status = Status.UNKNOWN
    since: float | None = None
    came_at: float | None = None
    moved: bool = False
    headless: bool = False
    own: bool = False
    pid: int | None = None


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A shell command that a session's client ran for it.

    Attributes:
        text: the command, its beginning if it is long.
        started_at: wall clock.
        ended_at: when its result came, wall clock; ``None`` while there is none. One that went
            to the background has its result at once.
        background: whether the client keeps it running in the background.
        code: its exit code; ``None`` while that is not known.
        announced: whether the client itself has told the session that it ended.
    """

    text: str
    started_at: float
    ended_at: float | None = None
    background: bool = False
    code: int | None = None
    announced: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What `attend build` reports of a command that it runs.

    Attributes:
        key: names the run.
        command: the command line.
        session: the session it runs for; empty where that is not known.
        folder: where it runs; empty where that is not known.
        pid: the process of `attend build` itself.
        child: that of the command; 0 if it could not be started.
        child_start: when that started, as its system counts it; empty where not known.
        above: pids of what ran it, nearest first.
        terminal: whether it belongs to a terminal.
        began: when it began, on the clock that counts suspend; reckoned by the wall clock where
            that was before the machine was started.
        ended: the same of its end; ``None`` while it runs.
        began_at: when it began, as the wall clock showed it then.
        ended_at: the same of its end; ``None`` while it runs.
        code: its exit code, negative for the signal that ended it; ``None``: not known.
        lost: whether command and reporter ended without a word, so that no more will be said.
    """

    key: str
    command: str
    session: str = ""
    folder: str = ""
    pid: int = 0
    child: int = 0
    child_start: str = ""
    above: tuple[int, ...] = ()
    terminal: bool = False
    began: float
    ended: float | None = None
    began_at: float
    ended_at: float | None = None
    code: int | None = None
    lost: bool = False
