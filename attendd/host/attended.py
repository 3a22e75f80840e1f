"""One attended session: its sensors, its attention, and what is known of its client."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path

import msgspec

from attendd import log
from attendd.api import Component, SensorConfig, SensorType
from attendd.clock import Clock
from attendd.config import Config, Context, Loaded, engine_settings
from attendd.engine.attention import Attention
from attendd.engine.batch import Code, Decision, Mood
from attendd.engine.settings import EngineSettings, Lines, SlotShape
from attendd.host.client import Client
from attendd.host.desk import Desk
from attendd.host.focus import LentFocus, waker
from attendd.host.saved import Saved, decode
from attendd.host.sensing import FAILS, Sensing
from attendd.host.sensings import Sensings
from attendd.host.told import Out, Outlet, Told
from attendd.host.trail import Trail
from attendd.hot import process
from attendd.model import Observation, Status
from attendd.store import Checkpoint, Health

AGAIN_S = 5.0
"""How often to look whether what stands in the way of telling is gone."""
_FAR_S = 3600.0

_log = log.get_logger("attended")


class Attended:
    """The `attendd.loop.Due` of one attachment.

    Attributes:
        key: the attachment's id.
        client: what is known of its client's doings.
        attention: the pure part: slots, governors, what is pending.
        trail: gives what it observed the ids under which it is journalled.
        sensings: the sensors that are enabled, by name.
        desk: what lies ready for its hooks; ``None`` where none are called.
        parts: what of attend is in use besides its sensors.
        out: what it decided to tell and was not shown yet.
        changed: whether there is something that the last checkpoint has not.
        wake: has the loop look at it at once.
    """

    def __init__(
        self,
        key: str,
        client: Client,
        clock: Clock,
        outlet: Outlet,
        components: Iterable[Component],
    ) -> None:
        self.key = key
        self.client = client
        self.attention = Attention(EngineSettings())
        self.trail = Trail()
        self.sensings = Sensings()
        self.desk: Desk | None = None
        self.parts: set[str] = set()
        self.out = Out()
        self.changed = False
        self.wake: Callable[[], None] = lambda: None
        self._clock = clock
        self._outlet = outlet
        self._components = tuple(components)
        self._loaded: Loaded | None = None
        self._gap_s = 0.0

    def slow_down(self, gap_s: float) -> None:
        """Tell it what happens no more than once in so many seconds; 0: as usual."""
        if gap_s != self._gap_s:
            self._gap_s = gap_s
            self.attention.reshape(self._settings())

    def configure(self, loaded: Loaded, kinds: Mapping[str, SensorType]) -> None:
        """Have exactly the sensors that are enabled, each as it is configured."""
        if loaded is self._loaded:
            return
        self._loaded = loaded
        self.attention.reshape(self._settings())
        for name, kind in kinds.items():
            config = loaded.sensor_config(name)
            if config.enabled:
                self._have(kind, config)
            elif self.sensings.pop(name, None) is not None:
                self.attention.remove_slot(name)

    def due(self, now: float) -> list[str]:
        """See `attendd.loop.Due.due`."""
        return self.sensings.begin(self.attention.due(now))

    async def poll(self, name: str) -> None:
        """See `attendd.loop.Due.poll`."""
        sensing = self.sensings.get(name)
        if sensing is None:  # turned off since it became due
            self.sensings.ended(name)
            return
        await self.sensings.turn(name)
        try:
            focus = await self._focus(sensing)
            seen = await sensing.poll(focus)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            self._failed(sensing, error)
        else:
            self.changed |= self.out.heard(name, focus.missed)
            self._saw(sensing, seen)
        finally:
            self.sensings.ended(name)

    def settle(self, now: float) -> float | None:
        """See `attendd.loop.Due.settle`."""
        times = [self.attention.next_poll(name) for name in self.sensings]
        if not self.client.known:  # the first poll reads it
            return min(times, default=None)
        if self.desk is not None and self.desk.only:
            times.append(self._lay(now))
        elif not self._send() or not self._outlet.open(self):
            times.append(now + AGAIN_S)
        else:
            times += (self._step(now), self._lay(now))
        return min(times)

    def turned(self, *, awake: bool) -> None:
        """Have sensors look now: as work begins those that rested, as it ends the others."""
        self.touch(self.sensings.roused() if awake else self.sensings.unresting())

    def changed_at(self, paths: set[Path]) -> None:
        """Make due at once every sensor that named one of these paths."""
        self.touch(self.sensings.watching(paths))

    def armed(self, watched: Set[Path]) -> None:
        """Make due every sensor whose paths have been watched only from now on."""
        self.touch(self.sensings.arm(watched))

    def touch(self, names: Iterable[str]) -> None:
        """Make sensors due at once."""
        for name in names:
            self.attention.touch(name, self._clock.now())
            self.wake()

    @property
    def lines(self) -> Lines:
        """How much room there is in a batch."""
        return self._settings().lines

    def mood(self) -> Mood:
        """Return what its session is like, as last read."""
        last = self.client.last
        return Mood(awake=last.awake, prompted=last.prompted)

    def checkpoint(self) -> Checkpoint:
        """Return what outlives a change of host."""
        sensors, heard = self.sensings.snapshots()
        laid = self.desk.laid if self.desk else None
        attention, epochs = self.attention.snapshot(), self.trail.epochs
        saved = Saved(attention, sensors, laid, epochs, self.out, heard)
        return Checkpoint(
            attachment=self.key,
            session=self.client.session,
            boot=process.boot_id(),
            saved_at=self._clock.wall(),
            saved_bt=self._clock.now(),
            state=msgspec.json.encode(saved),
        )

    def health(self) -> list[Health]:
        """Return how its sensors fare."""
        ahead = self._clock.wall() - self._clock.now()
        return self.sensings.rows(self.key, self.attention.slots(), ahead)

    def restore(self, state: bytes, away_s: float = 0.0) -> None:
        """Take up what an earlier host left, after `configure`. What is not usable is lost.

        Args:
            state: what `checkpoint` wrote.
            away_s: how long ago that was, in seconds.

        Raises:
            StoreError: what it had laid ready can't be taken up.
        """
        known = decode(state, self.key, otherwise=Saved(self.attention.snapshot()))
        self.trail = Trail(known.epochs, known.attention.last)
        self.out = known.out
        if self.desk is not None:
            self.desk.restore(known.laid)
        shapes, now = self.sensings.shapes(), self._clock.now()
        self.attention = Attention.restore(
            self._settings(), shapes, known.attention, now, away_s
        )
        for name in self.sensings.restore(known.sensors, known.heard):
            self.attention.touch(name, now)

    def _have(self, kind: SensorType, config: SensorConfig) -> None:
        if self.sensings.have(kind, config, self._clock.wall()):
            self.attention.add_slot(kind.name, SlotShape.of(config), self._clock.now())

    async def _focus(self, sensing: Sensing) -> LentFocus:
        activity = await self.client.activity()
        in_use = self.parts | self.sensings.in_use()
        return LentFocus(
            client=self.client,
            gauge_source=self._loaded.config.context if self._loaded else Context(),
            now=self._clock.now(),
            wall=self._clock.wall(),
            activity=activity,
            components=[c for c in self._components if not c.part or c.part in in_use],
            tellings=self._outlet.tellings(self, sensing),
            missed=tuple(self.out.missed.get(sensing.kind.name, ())),
            asker=sensing.kind.name,
            wake=waker(self.touch, sensing.kind.name),
        )

    def _saw(self, sensing: Sensing, seen: Sequence[Observation]) -> None:
        name = sensing.kind.name
        before = (bool(sensing.health.polled_at), sensing.health.limits)
        if failures := sensing.well(self._clock.wall()):
            self._outlet.fared(self, sensing, f"works again after {failures} failed polls")
        self.changed |= before != (True, sensing.health.limits)
        if sensing.rewatch():
            self._outlet.watched()
        for said, trace in sensing.complaints():
            self._outlet.fared(self, sensing, said, trace)
            _log.warning("a sensor is not as it should be", sensor=name, why=said)
        if self.sensings.get(name) is sensing:
            seen = self._outlet.asked(self, name, seen)
            self._journal(self.attention.observe(name, seen, self._clock.now()))
            sensing.flooding(self.attention.floods, self._clock.wall())
            if not seen and self.client.last.status is Status.IDLE:
                now, planned = self._clock.now(), self.attention.next_poll(name)
                self.attention.replan(name, self.sensings.looks_again(name, now, planned))

    def _failed(self, sensing: Sensing, error: Exception) -> None:
        name = sensing.kind.name
        if (trace := sensing.failed(self._clock.wall(), error)) is not None:
            self.changed, why = True, sensing.health.detail
            self._outlet.fared(self, sensing, f"began to fail: {why}", trace)
            _log.warning(FAILS.format(name), sensor=name, why=why, exc_info=error)
        if self.sensings.get(name) is sensing:
            self.attention.failed(name, self._clock.now())

    def _step(self, now: float) -> float:
        """Decide, tell, and return when there may be more to tell."""
        step = self.attention.step(now, self.mood())
        if step.batch is None:
            self._journal(step.decisions)
            return now + _FAR_S if step.next_at is None else step.next_at
        batch = self._outlet.untold(self, step.batch) or step.batch
        self.out.unsent = Told(batch, self._outlet.decided(self, step.decisions, batch))
        self.changed = True
        self.sensings.told({line.slot for line in batch.lines})
        return now if self._send() else now + AGAIN_S

    def _lay(self, now: float) -> float:
        """Lay ready what hooks may show, and return when there may be more."""
        if self.desk is None:
            return now + _FAR_S
        decisions, next_at = self.desk.lay(
            self.attention, self.client.session, self.mood(), self.lines, self.checkpoint
        )
        self.sensings.told(
            {each.slot for each in decisions if each.code in (Code.FIRED, Code.RODE)}
        )
        self._journal(decisions)
        return min(next_at, now + _FAR_S)

    def _send(self) -> bool:
        """Send what was decided to be told; false if it has to be tried again."""
        unsent = self.out.unsent
        return unsent is None or self._outlet.emit(self, unsent)

    def _settings(self) -> EngineSettings:
        config = self._loaded.config if self._loaded else Config()
        return engine_settings(config, self._gap_s)

    def _journal(self, decisions: Sequence[Decision]) -> None:
        if decisions:
            self.changed = True
            self._outlet.decided(self, decisions)
