"""Whatever happens in whatever order, nothing vanishes, floods or wakes beyond what may be."""

from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from attendd.engine.attention import Attention
from attendd.engine.batch import Batch, Code, Line, Mood
from attendd.engine.settings import EngineSettings, Governor, Messages, SlotShape
from attendd.model import Lane, Observation, Priority
from tests.unit.attending import Session, books

SMALL = EngineSettings(
    governor=Governor(max_pending=4, max_riders=5), messages=Messages(max_messages=6)
)
NAMES = ("git", "peers", "context")
names = st.sampled_from(NAMES)
moods = st.sampled_from(
    [Mood(), Mood(awake=False), Mood(awake=False, prompted=False), Mood(prompted=False)]
)
news = st.builds(
    Observation,
    text=st.one_of(st.sampled_from("abcdefghijklm"), st.text(max_size=3), st.just("x\n" * 900)),
    magnitude=st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]),
    lane=st.sampled_from([Lane.EVENT, Lane.EVENT, Lane.MESSAGE]),
    wakes=st.booleans(),
    own=st.sampled_from([False, False, False, True]),
)


class Attending(RuleBasedStateMachine):
    """A session to which everything may happen."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session(*NAMES, settings=SMALL)
        self.ready: Batch | None = None

    @rule(slot=names, seen=st.lists(news, max_size=6))
    def see(self, slot: str, seen: list[Observation]) -> None:
        self.session.decisions += self.session.attention.observe(slot, seen, self.session.now)

    @rule(mood=moods)
    def step(self, mood: Mood) -> None:
        self.session.mood = mood
        self.session.step()

    @rule(wait=st.sampled_from([0.01, 1.0, 5.0, 20.0, 100.0, 700.0, 4_000.0]))
    def wait(self, wait: float) -> None:
        self.session.at(self.session.now + wait)

    @precondition(lambda self: self.session.next_at is not None)
    @rule()
    def wait_until_asked(self) -> None:
        self.session.at(self.session.next_at or 0.0)

    @rule(slot=names)
    def remove(self, slot: str) -> None:
        self.session.attention.remove_slot(slot)

    @rule(slot=names, threshold=st.sampled_from([0.0, 1.0, 2.0, 6.0]))
    def add(self, slot: str, threshold: float) -> None:
        shape = SlotShape(threshold=threshold)
        self.session.attention.add_slot(slot, shape, self.session.now)

    @rule(kept=st.sets(names))
    def change_host(self, kept: set[str]) -> None:
        shapes = dict.fromkeys(kept, SlotShape())
        snapshot = self.session.attention.snapshot()
        self.session.attention = Attention.restore(SMALL, shapes, snapshot, self.session.now)
        self.session.next_at = None

    @rule(mood=moods, riders_only=st.booleans())
    def lay_ready(self, mood: Mood, *, riders_only: bool) -> None:
        step = self.session.attention.preview(self.session.now, mood, riders_only=riders_only)
        self.session.decisions += step.decisions
        self.ready = step.batch or self.ready
        if step.batch:
            in_order(step.batch, self.session)

    @rule()
    def a_hook_takes_it(self) -> None:
        """At any later time, whatever became of what is in it."""
        if self.ready is not None:
            session = self.session
            session.decisions += session.attention.took(self.ready, session.now)
            self.ready = None

    @invariant()
    def nothing_vanishes(self) -> None:
        session = self.session
        session.step()
        books(session)

    @invariant()
    def one_sensor_speaks_in_the_order_of_what_happened(self) -> None:
        for _, batch in self.session.told[-1:]:
            in_order(batch, self.session)

    @invariant()
    def nothing_floods(self) -> None:
        told = self.session.told
        events = [at for at, batch in told if any(_fired(line) for line in batch.lines)]
        for first, last in zip(events, events[3:], strict=False):
            assert last - first >= 120 - 1e-6
        assert all(b - a >= 15 - 1e-6 for a, b in pairwise(events))
        messages = [
            at for at, batch in told for line in batch.lines if line.lane is Lane.MESSAGE
        ]
        for first, last in zip(messages, messages[6:], strict=False):
            assert last - first >= 60 - 1e-6

    @invariant()
    def waking_is_rare(self) -> None:
        woken = [
            at for at, batch in self.session.told if batch.wakes and batch.lane is Lane.EVENT
        ]
        assert all(b - a >= 3_600 - 1e-6 for a, b in zip(woken, woken[4:], strict=False))

    @invariant()
    def the_loop_is_never_asked_to_spin(self) -> None:
        at = self.session.next_at
        assert at is None or at > self.session.now


def in_order(batch: Batch, session: Session) -> None:
    """Check that what each sensor saw last it says last; counts of what is past are left out."""
    latest = latest_in(session)
    for slot in {line.slot for line in batch.lines}:
        lines = [line for line in batch.lines if line.slot == slot and line.observations]
        seen = [latest[line.items[0]] for line in lines if line.items[0] in latest]
        assert seen == sorted(seen), batch


def latest_in(session: Session) -> dict[int, int]:
    """Map what was seen to the last thing that was merged into it, by their numbers."""
    latest: dict[int, int] = {}
    for each in session.decisions:
        if each.code is Code.OBSERVED:
            latest[each.item] = each.item
        elif each.code is Code.MERGED:
            into = int(each.detail.rpartition(" ")[2])
            latest[into] = max(latest.get(into, 0), latest[each.item])
    return latest


def _fired(line: Line) -> bool:
    """Tell whether an event went because its sensor fired; riders cost nothing."""
    return line.lane is Lane.EVENT and line.priority is not Priority.LOW


TestAttending = Attending.TestCase
TestAttending.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)
