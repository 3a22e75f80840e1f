"""What stands between a ripe slot and the session, and when it may be out of the way."""

import math
from collections.abc import Iterable

import msgspec

from attendd.engine.batch import Code, Mood
from attendd.engine.governor import EventGovernor, MessageGovernor, WakeBudget
from attendd.engine.settings import EngineSettings
from attendd.engine.slot import Slot
from attendd.model import Lane

_SOON_S = 0.001


class Governors(msgspec.Struct, kw_only=True):
    """The three limits on one session."""

    events: EventGovernor
    messages: MessageGovernor
    wakes: WakeBudget

    @classmethod
    def fresh(cls) -> "Governors":
        """Return governors that have let nothing through yet."""
        return cls(events=EventGovernor(), messages=MessageGovernor(), wakes=WakeBudget())


class Gate:
    """The governors and the waking rule at one moment, in one mood."""

    __slots__ = ("_governors", "_mood", "_now", "_settings")

    def __init__(
        self, governors: Governors, settings: EngineSettings, mood: Mood, now: float
    ) -> None:
        self._governors = governors
        self._settings = settings
        self._mood = mood
        self._now = now

    def event(self, *, wakes: bool) -> Code | None:
        """Return why a ripe event may not open a batch; ``None`` if it may.

        Args:
            wakes: whether it is worth waking an idle session.
        """
        if not self._mood.prompted:
            return Code.HELD_UNPROMPTED
        if not self._mood.awake and not wakes:
            return Code.HELD_IDLE
        budget = self._governors.wakes.opens_at(self._now, self._settings.governor)
        if not self._mood.awake and budget > self._now:
            return Code.HELD_WAKES
        return self._governors.events.hold(self._now, self._settings.governor)

    def message(self) -> Code | None:
        """Return why no message may be told; ``None`` if one may."""
        return self._governors.messages.hold(self._now, self._settings.messages)

    def company(self) -> bool:
        """Tell whether ripe events may go along with a batch that is told anyway."""
        open_ = self._governors.events.hold(self._now, self._settings.governor) is None
        return self._mood.prompted and open_

    def allowance(self) -> int:
        """Return how many messages may be told."""
        return self._governors.messages.allowance(self._now, self._settings.messages)

    def holds(self, slot: Slot, lane: Lane, *, tried: bool) -> Code | None:
        """Return why what a slot has pending in a lane is held; ``None`` if nothing is.

        Args:
            slot: after telling.
            lane: which of its two.
            tried: whether it was to be told.
        """
        if lane is Lane.MESSAGE:
            if not slot.pending.messages:
                return None
            code = self.message()
            return code if code and (not tried or code is Code.HELD_RATE) else Code.HELD_ROOM
        fired = [item for item in slot.pending.events if slot.ripe or item.fired]
        if not fired:
            return slot.unripe if slot.pending.events else None
        if tried:
            return Code.HELD_ROOM
        return self.event(wakes=any(item.wakes for item in fired)) or Code.HELD_ROOM

    def number(self, slot: Slot, lane: Lane, code: Code) -> str:
        """Say by which number a hold is decided: what has come together, or when it may go."""
        if code in (Code.HELD_THRESHOLD, Code.HELD_RAISED):
            needed = slot.threshold(self._now, self._settings)
            return f"{slot.magnitude:,.2f} of {needed:,.2f}"
        wait = self.frees(slot, lane, code) - self._now
        return f"opens in {wait:.0f} s" if wait < math.inf else ""

    def opens(self, slot: Slot, lane: Lane, code: Code) -> float:
        """Return when a hold ends that only the clock can end; infinite for any other."""
        timed = code in (Code.HELD_GAP, Code.HELD_RATE, Code.HELD_WAKES)
        return self.frees(slot, lane, code) if timed else math.inf

    def next_at(self, slots: Iterable[Slot]) -> float | None:
        """Return when the first of what is held may go; ``None`` if time frees nothing."""
        earliest = math.inf
        for slot in slots:
            for lane, code in slot.holds.items():
                earliest = min(earliest, self.frees(slot, lane, code))
        if earliest == math.inf:
            return None
        if earliest <= self._now + _SOON_S:
            return self._now + self._settings.lines.apart_s
        return earliest

    def frees(self, slot: Slot, lane: Lane, code: Code) -> float:
        """Return when a hold may end if nothing else happens; infinite: never."""
        now, governor = self._now, self._settings.governor
        if lane is Lane.MESSAGE:
            return self._governors.messages.opens_at(now, self._settings.messages)
        if code in (Code.HELD_RAISED, Code.HELD_REFRACTORY):
            heard = self._mood.prompted and (self._mood.awake or slot.wakes)
            return slot.ripens_at(now, self._settings) if heard else math.inf
        if code in (Code.HELD_GAP, Code.HELD_RATE, Code.HELD_ROOM):
            return self._governors.events.opens_at(now, governor)
        if code is Code.HELD_WAKES:
            opens = self._governors.events.opens_at(now, governor)
            return max(opens, self._governors.wakes.opens_at(now, governor))
        return math.inf
