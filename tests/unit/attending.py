"""A session under attention with a clock of its own, and the books kept on what becomes of news."""

from collections import Counter
from collections.abc import Sequence

from attendd.engine.attention import Attention
from attendd.engine.batch import Batch, Code, Decision, Mood, Step
from attendd.engine.render import render
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.model import Lane, Observation

SETTINGS = EngineSettings()
IDLE = Mood(awake=False)
NEW = Mood(awake=False, prompted=False)
ENDS = frozenset(
    (
        Code.OWN,
        Code.MERGED,
        Code.FADED,
        Code.FIRED,
        Code.RODE,
        Code.FOLDED,
        Code.DROPPED_SLOT_GONE,
    )
)


def event(text: str, magnitude: float = 3.0, *, wakes: bool = False) -> Observation:
    return Observation(text=text, magnitude=magnitude, wakes=wakes)


def message(text: str, magnitude: float = 7.0) -> Observation:
    return Observation(text=text, magnitude=magnitude, lane=Lane.MESSAGE)


class Session:
    """Drives an attention and keeps every batch and decision.

    Attributes:
        now: the clock.
        mood: what the session is like.
        told: every batch with its time.
        decisions: everything that was decided.
        next_at: what the last step said.
    """

    def __init__(
        self, *slots: str, settings: EngineSettings = SETTINGS, now: float = 0.0
    ) -> None:
        self.attention = Attention(settings)
        self.settings = settings
        self.now = now
        self.mood = Mood()
        self.told: list[tuple[float, Batch]] = []
        self.decisions: list[Decision] = []
        self.next_at: float | None = None
        for name in slots:
            self.attention.add_slot(name, SlotShape(), now)

    def see(self, slot: str, *observations: Observation) -> Batch | None:
        """Have a poll end with these, and decide."""
        self.decisions += self.attention.observe(slot, observations, self.now)
        return self.step()

    def step(self) -> Batch | None:
        return self.keep(self.attention.step(self.now, self.mood))

    def keep(self, step: Step) -> Batch | None:
        self.decisions += step.decisions
        self.next_at = step.next_at
        if step.batch:
            self.told.append((self.now, step.batch))
        return step.batch

    def hook(self, *, riders_only: bool = False) -> Batch | None:
        """Have a hook show what lies ready for it."""
        step = self.attention.preview(self.now, self.mood, riders_only=riders_only)
        self.keep(step)
        if step.batch:
            self.decisions += self.attention.took(step.batch, self.now)
        return step.batch

    def at(self, now: float) -> "Session":
        """Let time pass as the loop does: step whenever the last step asked for it."""
        while self.next_at is not None and self.next_at <= now:
            self.now = self.next_at
            self.step()
        self.now = max(self.now, now)
        return self

    def settled(self) -> Batch | None:
        """Go on until nothing is left that time alone frees; return the last batch."""
        while self.next_at is not None:
            self.at(self.next_at)
        return self.told[-1][1] if self.told else None

    def codes(self, slot: str | None = None) -> list[str]:
        return [each.code.value for each in self.decisions if slot in (None, each.slot)]

    def texts(self) -> list[str]:
        return [line.text for _, batch in self.told for line in batch.lines]

    def held(self, slot: str) -> str:
        return next(view.held for view in self.attention.slots() if view.name == slot)


def books(session: Session) -> None:
    """Check that nothing vanished: each observation is pending or came to rest, exactly once."""
    decisions = session.decisions
    seen = [each.item for each in decisions if each.code in (Code.OBSERVED, Code.OWN)]
    rested = Counter(each.item for each in decisions if each.code in ENDS)
    snapshot = session.attention.snapshot()
    waiting = [item for slot in snapshot.slots.values() for item in slot.items]
    riding = [rider.item for rider in snapshot.riders.waiting]
    pending = Counter(item.id for item in waiting + riding)
    assert len(set(seen)) == len(seen)
    for number in seen:
        assert rested[number] + pending[number] == 1, (number, rested, pending)

    told = sum(
        each.count
        for each in decisions
        if each.code in (Code.OWN, Code.FADED, Code.FIRED, Code.RODE, Code.DROPPED_SLOT_GONE)
    )
    counted = sum(
        each.count
        for each in decisions
        if each.code is Code.FOLDED and each.detail == "counted among the riders"
    )
    assert len(seen) == told + counted + sum(item.count for item in waiting + riding)
    for view in session.attention.slots():
        assert bool(view.held) == bool(view.pending), view
    for _, batch in session.told:
        fits(render(batch, session.settings.lines))


def fits(text: str) -> None:
    """Check that a rendered batch is ours line for line, and that no client cuts it."""
    assert text.endswith("\n")
    assert utf16(text) <= 2_800
    for line in text.removesuffix("\n").split("\n"):
        assert line.startswith(("[attend sensor=", "| "))
        assert utf16(line) <= 480
        assert len(line.splitlines()) == 1


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def lines(batch: Batch | None) -> Sequence[str]:
    assert batch is not None
    return render(batch).splitlines()
