"""What comes out of the engine: batches of lines, and a decision on everything it was told."""

import enum

import msgspec

from attendd.model import Lane, Observation, Priority


class Code(enum.StrEnum):
    """Why something was told, kept or let go.

    Every observation begins as ``OBSERVED`` and rests in one of ``OWN``, ``MERGED``, ``FADED``,
    ``FIRED``, ``RODE``, ``FOLDED`` or ``DROPPED_SLOT_GONE``. ``LOW`` is between the two. The
    holds speak of all that a slot has pending in a lane, when what holds it has changed.
    """

    OBSERVED = "observed"
    """A sensor reported it."""
    OWN = "own"
    """The session did it itself: no news."""
    MERGED = "merged"
    """The same was pending already; that one's count and magnitude grew."""
    FADED = "faded"
    """It stayed below the threshold until nothing of it was left."""
    FIRED = "fired"
    """It was told as a line of its own."""
    LOW = "low"
    """It fired, but too low for a batch: it rides on the next one."""
    RODE = "rode"
    """It went along as a rider; detail ``counted`` if only as part of a number."""
    FOLDED = "folded"
    """Too much was pending: it is told as part of a number, or faded with it."""
    DROPPED_SLOT_GONE = "dropped.slot-gone"
    """An event of a sensor that is there no more. Never a message."""
    HELD_THRESHOLD = "held.below-threshold"
    """Not enough has come together."""
    HELD_REFRACTORY = "held.refractory"
    """The sensor has told much: it is silent."""
    HELD_RAISED = "held.raised"
    """The sensor has told much: its threshold is still raised."""
    HELD_GAP = "held.gap"
    """The last batch was just now."""
    HELD_RATE = "held.rate"
    """As much was told lately as may be."""
    HELD_IDLE = "held.idle"
    """The session is idle, and this is not worth waking it."""
    HELD_WAKES = "held.wake-budget"
    """The session is idle, and was woken as often as may be."""
    HELD_UNPROMPTED = "held.unprompted"
    """No person has prompted the session yet."""
    HELD_TURN = "held.turn"
    """Nothing but hooks reaches the session: it goes with the next prompt or turn's end."""
    HELD_ROOM = "held.room"
    """The batch was full: it goes with the next one."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was decided, for the journal.

    Attributes:
        at: when, on the engine's clock.
        slot: the sensor it is about.
        code: the reason.
        text: the observation; for a hold the latest of those held.
        magnitude: its magnitude at that moment; for a hold and for what fired the slot's.
        count: how many observations it speaks of.
        detail: what else there is to know, in a few words.
        item: the observation's id within the attention; for a hold the latest one's.
        lane: the lane of what it is about.
    """

    at: float
    slot: str
    code: Code
    text: str = ""
    magnitude: float = 0.0
    count: int = 1
    detail: str = ""
    item: int = 0
    lane: Lane = Lane.EVENT


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One header with its text; may take several physical lines.

    Attributes:
        slot: the sensor that says it.
        priority: how it is labelled.
        text: what happened, as observed.
        lane: the rules it lived under.
        count: how many equal observations it stands for.
        observations: what it shows, oldest first; empty for a line that only counts others.
        items: the ids under which what it shows or counts was pending.
        latest: the number of the last observation it shows; 0 where it counts what is past.
    """

    slot: str
    priority: Priority
    text: str
    lane: Lane = Lane.EVENT
    count: int = 1
    observations: tuple[Observation, ...] = ()
    items: tuple[int, ...] = ()
    latest: int = 0


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that are told together; fits what a client takes at once.

    Attributes:
        lines: at least one, in the order in which they are shown.
        lane: the lane of what opened it.
        opener: the id of what the line that opened it shows; 0 where that only counts others.
        wakes: whether the session was idle, so that it costs a turn.
    """

    lines: tuple[Line, ...]
    lane: Lane
    opener: int = 0
    wakes: bool = False

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All that is shown, in order."""
        return tuple(each for line in self.lines for each in line.observations)


class Mood(msgspec.Struct, frozen=True, kw_only=True):
    """What the session is like at the moment of a step.

    Attributes:
        awake: a line costs no turn of its own.
        prompted: a person has prompted it; true where that can't be known.
    """

    awake: bool = True
    prompted: bool = True


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at an attention comes to.

    Attributes:
        batch: what to tell now.
        decisions: all that was decided since the last look, in order.
        next_at: when something held may go, if nothing else happens; ``None`` for never.
    """

    batch: Batch | None = None
    decisions: list[Decision] = []
    next_at: float | None = None


class SlotView(msgspec.Struct, frozen=True, kw_only=True):
    """A slot as shown to people.

    Attributes:
        name: the sensor.
        pending: events and messages that wait.
        magnitude: what its events add up to now.
        threshold: what they must reach now; ``None`` while nothing is enough.
        held: the reason codes of what is held, the message lane's first; empty if nothing is.
        riding: low lines of it that wait for a batch.
        interval_s: the pause between its polls, in seconds.
        failures: failed polls in a row.
        next_poll: when it is due; infinite while a poll is under way.
    """

    name: str
    pending: int
    magnitude: float
    threshold: float | None
    held: str
    riding: int
    interval_s: float
    failures: int
    next_poll: float
