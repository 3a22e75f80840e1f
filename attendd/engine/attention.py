"""What one attended session is told, when, and why not: the engine's parts joined.

Slots accumulate, ripe ones pass the gate, and what passes becomes a batch. Whatever happens to
an observation is decided here once and comes out as a `Decision`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Self

from attendd.engine import compose, intake, outlook, snapshot, telling
from attendd.engine.batch import Batch, Code, Decision, Mood, SlotView, Step
from attendd.engine.compose import Candidate
from attendd.engine.gate import Gate, Governors
from attendd.engine.notes import Notes
from attendd.engine.outlook import Hold
from attendd.engine.riders import Riders
from attendd.engine.settings import EngineSettings, SlotShape
from attendd.engine.slot import Slot
from attendd.engine.snapshot import Snapshot
from attendd.model import Observation


class Attention:
    """The slots, riders and governors of one session.

    Every ``now`` is in seconds on one clock that is never set; it never goes back.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._slots: dict[str, Slot] = {}
        self._riders = Riders()
        self._governors = Governors.fresh()
        self._notes = Notes()
        self._room = telling.Room()

    # -- slots -------------------------------------------------------------------

    def reshape(self, settings: EngineSettings) -> None:
        """Go on with other numbers; what is pending stays."""
        self._settings = settings

    def add_slot(self, name: str, shape: SlotShape, now: float) -> None:
        """Take on a sensor, due at once; a known one is reshaped and keeps what is pending."""
        now = self._tick(now)
        if name in self._slots:
            self._slots[name].reshape(shape, now)
        else:
            self._slots[name] = Slot(name, shape, now)

    def remove_slot(self, name: str) -> None:
        """Let go of a sensor; what becomes of its events the next step says.

        Its messages stay and are told under its name.
        """
        if (slot := self._slots.get(name)) is not None:
            slot.shape = None
            self._drop_events(slot)
            self._forget_the_gone()

    def observe(
        self, slot: str, observations: Sequence[Observation], now: float
    ) -> list[Decision]:
        """Take in what a poll that ended at ``now`` found, and plan the next one.

        Returns:
            What became of each observation so far. Follow it with `step`.
        """
        now = self._tick(now)
        found = self._slots.get(slot) or Slot(slot, None, now)
        self._slots[slot] = found
        changes = intake.take_all(found, observations, self._notes, self._settings)
        if changes:
            self._governors.events.changed(now, slot, changes, self._settings.governor)
        found.ripen(now, self._settings)  # what has come together now does not fade any more
        changed = any(not each.own for each in observations)
        found.polled(now, self._settings, changed=changed)
        if found.shape is None:
            self._drop_events(found)
            self._forget_the_gone()
        return self._notes.hand_out()

    def remark(self, text: str, now: float) -> list[Decision]:
        """Have a line of attend's own, of no sensor, ride along with what is told next."""
        self._tick(now)
        intake.remark(text, self._riders, self._notes, self._settings)
        return self._notes.hand_out()

    def failed(self, slot: str, now: float) -> None:
        """Take note of a poll that failed: the next one comes later."""
        if slot in self._slots:
            self._slots[slot].failed(self._tick(now), self._settings)

    def touch(self, slot: str, now: float) -> None:
        """Take note that something a sensor watches changed: it is due at once.

        While a poll is under way it is due after it; while it fails, after its shortest pause.
        """
        if slot in self._slots:
            self._slots[slot].touch(self._tick(now))

    def replan(self, slot: str, at: float) -> None:
        """Have a sensor look then, unless it is due now or its poll is under way."""
        if slot in self._slots and self._notes.now < self._slots[slot].next_poll < math.inf:
            self._slots[slot].due_at = at

    def floods(self, slot: str, *, already: bool) -> bool:
        """Tell whether a sensor says more than can be told; see `EventGovernor.floods`."""
        events, settings = self._governors.events, self._settings.governor
        return events.floods(slot, self._notes.now, settings, already=already)

    def next_poll(self, slot: str) -> float:
        """Return when a sensor is due; infinite while its poll is under way."""
        found = self._slots.get(slot)
        return found.next_poll if found else math.inf

    def due(self, now: float) -> list[str]:
        """Name the polls to start now; they are under way until `observe` or `failed`."""
        now = self._tick(now)
        due = [slot for slot in self._slots.values() if slot.next_poll <= now]
        for slot in due:
            slot.start()
        return [slot.name for slot in due]

    def slots(self) -> list[SlotView]:
        """Return every slot as people may see it, as of the last call."""
        slots, now = self._slots.values(), self._notes.now
        return outlook.views(slots, self._riders, self._settings, now)

    def held(self, now: float, mood: Mood) -> list[Hold]:
        """Return what the last `step` held, with the numbers of this moment."""
        return outlook.holds(self._slots, Gate(self._governors, self._settings, mood, now))

    # -- telling -------------------------------------------------------------------

    def step(self, now: float, mood: Mood) -> Step:
        """Decide what is told now.

        Returns:
            A batch if the gates are open for something, and all that was decided. The loop
            comes back at `Step.next_at`, after every poll, and when the mood changes.
        """
        now = self._tick(now)
        active = intake.ripen(self._slots, self._riders, self._notes, self._settings)
        if not active:
            return Step(decisions=self._notes.hand_out())
        gate = Gate(self._governors, self._settings, mood, now)
        candidates = compose.openers(active, gate, self._settings.governor)
        if not candidates:
            return self._after(active, gate, candidates)
        lines = self._settings.lines
        room = self._room.left(now, lines)
        riding = telling.riders_need(self._riders, self._settings) if mood.prompted else 0
        chosen, left = compose.pick(candidates, lines, gate.allowance(), room, riding)
        batch = self._tell(chosen, candidates, left, mood) if chosen else None
        telling.charge(chosen, self._governors, self._settings, mood, now)
        if batch:
            self._room.taken(now, batch, lines)
        return self._after(active, gate, candidates, batch)

    def preview(self, now: float, mood: Mood, *, riders_only: bool = False) -> Step:
        """Compose what a hook may show, which costs no turn; all of it stays pending.

        No governor is asked. What finds no room in one batch is not in it.

        Args:
            now: the present.
            mood: only whether the session has been prompted counts.
            riders_only: leave out what can go through a monitor.
        """
        now = self._tick(now)
        active = intake.ripen(self._slots, self._riders, self._notes, self._settings)
        settings, left = self._settings, self._settings.lines.batch_units
        chosen: list[Candidate] = []
        if not riders_only:
            telling.note_waits(active, mood, self._notes)
            candidates = compose.messages(active, settings.governor)
            if mood.prompted:
                candidates += compose.events(active, settings.governor)
            need = telling.riders_need(self._riders, settings) if mood.prompted else 0
            chosen, left = compose.pick(candidates, settings.lines, len(candidates), left, need)
        riding = telling.riding(self._riders, left, settings) if mood.prompted else []
        batch = compose.batch(chosen, riding, awake=True)
        awake = Mood(prompted=mood.prompted)  # a hook may come at any time
        next_at = Gate(self._governors, settings, awake, now).next_at(active)
        return Step(batch=batch, decisions=self._notes.hand_out(), next_at=next_at)

    def took(self, batch: Batch, now: float) -> list[Decision]:
        """Take note that a hook has shown a batch that `preview` composed.

        The governors don't count it; the sensors' engagement does.
        """
        self._tick(now)
        telling.taken(batch, self._slots.values(), self._notes, self._settings)
        telling.rode(batch, self._riders, self._notes)
        self._forget_the_gone()
        return self._notes.hand_out()

    # -- across hosts ----------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return all state, as of the last call, as data that JSON can hold."""
        notes = self._notes
        return snapshot.taken(
            self._slots.values(), self._riders, self._governors, notes.last, notes.now
        )

    @classmethod
    def restore(
        cls,
        settings: EngineSettings,
        shapes: Mapping[str, SlotShape],
        state: Snapshot,
        now: float,
        away_s: float = 0.0,
    ) -> Self:
        """Make an attention that goes on where another one stopped.

        Args:
            settings: all numbers.
            shapes: the sensors there are now. What others had pending is let go with a
                decision of the next step, but for their messages, which stay.
            state: what `snapshot` returned, perhaps in another process.
            now: the present on this host's clock, which need not be the other's.
            away_s: how long ago the snapshot was taken, as far as is known, in seconds.
        """
        made = cls(settings)
        made._notes = Notes(max(0, state.last))
        made._resume(shapes, state, now, max(0.0, away_s))
        return made

    def _resume(
        self, shapes: Mapping[str, SlotShape], state: Snapshot, now: float, away_s: float
    ) -> None:
        self._notes.now = now
        self._slots = snapshot.slots_of(state, shapes, self._settings.pace, now, away_s)
        self._governors = snapshot.governors_of(state, now, away_s)
        self._riders = snapshot.riders_of(state)
        for slot in self._slots.values():
            if slot.shape is None:
                self._drop_events(slot)
        self._forget_the_gone()

    # -- how -----------------------------------------------------------------------

    def _tick(self, now: float) -> float:
        """Move on to ``now``; never back."""
        self._notes.now = max(self._notes.now, now)
        return self._notes.now

    def _tell(
        self,
        chosen: Sequence[Candidate],
        tried: Sequence[Candidate],
        room: int,
        mood: Mood,
    ) -> Batch | None:
        telling.tell(chosen, tried, self._notes, self._settings)
        riding = []
        if mood.prompted:
            riding = telling.ride(self._riders, room, self._notes, self._settings)
        return compose.batch(chosen, riding, awake=mood.awake)

    def _after(
        self,
        active: Sequence[Slot],
        gate: Gate,
        tried: Sequence[Candidate],
        batch: Batch | None = None,
    ) -> Step:
        """Note why what is still pending is held, and when it may go."""
        telling.note_holds(active, gate, tried, self._notes)
        next_at = gate.next_at(active)
        self._forget_the_gone()
        return Step(batch=batch, decisions=self._notes.hand_out(), next_at=next_at)

    def _drop_events(self, slot: Slot) -> None:
        intake.drop(slot, slot.pending.events, self._notes)
        for rider in self._riders.drop(slot.name):
            self._notes.say(Code.DROPPED_SLOT_GONE, slot.name, rider.item)

    def _forget_the_gone(self) -> None:
        self._slots = {n: s for n, s in self._slots.items() if s.shape is not None or s.pending}
