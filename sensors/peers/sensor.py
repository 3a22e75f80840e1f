"""The sensor: compares who is here with who was."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from attendd.api import Focus, Magnitude, Neighbour, Observation, Seconds, SensorConfig
from sensors.peers import damping, words
from sensors.peers.damping import Turns

_SLACK_S = 90.0
"""Who came so long before the last look and was not seen in it was only slow to show itself."""


class PeersConfig(SensorConfig, frozen=True, kw_only=True):
    """``[sensors.peers]``.

    Attributes:
        headless_s: how long a program's session must last before its coming and going is told.
    """

    interval_s: Seconds = 30.0
    min_interval_s: Seconds = 10.0
    threshold: Magnitude = 2.0
    decay_threshold: int = 5
    headless_s: Seconds = 60.0


class Met(msgspec.Struct, frozen=True):
    """A neighbour as last seen.

    Attributes:
        last: that.
        turns: what was told of its status.
        seen_at: when it was first seen, on the focus' clock.
        known: whether its being here counts as known, so that its end is news.
    """

    last: Neighbour
    turns: Turns
    seen_at: float
    known: bool


class _Seen(msgspec.Struct, frozen=True):
    """A look: when, on the focus' clock, and whom it met."""

    at: float
    met: dict[str, Met]


class PeersSensor:
    """Tells who came, went or turned, each of a process once, however it is called by then."""

    def __init__(self, config: PeersConfig) -> None:
        self._config = config
        self._seen: _Seen | None = None

    async def poll(self, focus: Focus) -> Sequence[Observation]:
        """Compare the neighbours with those of the last look."""
        found = {each.key: each for each in await focus.neighbours()}
        before = self._seen
        if before is None:
            met = {key: _first_met(each, focus.now) for key, each in found.items()}
            self._seen = _Seen(focus.now, met)
            return []
        met, turned = {}, []
        for key, each in found.items():
            met[key], told = self._meet(before.met.get(key), each, focus.now)
            if told:
                turned.append(each)
        fresh = {key: each for key, each in met.items() if each is not before.met.get(key)}
        came = [each for each in _came(before.met, fresh) if self._is_news(each, before, focus)]
        went, left = [], _left(before.met, fresh)
        for each in _went(before.met, met):
            now = await focus.elsewhere(each.key)
            if now is None:
                went.append(each)
            else:
                left.append((each, now))
        self._seen = _Seen(focus.now, met)
        awake = focus.activity.awake
        return [
            *words.appeared(came, awake=awake),
            *words.left(left, awake=awake),
            *words.gone(went, awake=awake),
            *words.turned(turned),
        ]

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever JSON can hold
        """Return the last look."""
        return msgspec.to_builtins(self._seen)

    def restore(self, state: Any) -> None:  # noqa: ANN401 - what `snapshot` returned
        """Take up an earlier look.

        Raises:
            msgspec.ValidationError: it is not that.
        """
        self._seen = msgspec.convert(state, _Seen | None)

    def _meet(self, met: Met | None, seen: Neighbour, now: float) -> tuple[Met, bool]:
        """Take in a neighbour; tell whether its status is news."""
        if met is None:
            met = _first_met(seen, now)
            return msgspec.structs.replace(met, known=not seen.headless), False
        if met.known and met.turns.told is met.turns.now and met.last == seen:
            return met, False
        known = met.known or now - met.seen_at >= self._config.headless_s
        turns, told = damping.turn(met.turns, seen.status, now)
        return Met(seen, turns, met.seen_at, known), told and met.known

    def _is_news(self, seen: Neighbour, before: _Seen, focus: Focus) -> bool:
        """Tell whether one came since, rather than that it can only now be seen from here."""
        passed = focus.now - before.at
        if seen.came_at is None or passed < 0:
            return True
        slow = self._config.headless_s if seen.headless else 0.0
        return focus.wall - seen.came_at <= passed + slow + _SLACK_S


def _first_met(seen: Neighbour, now: float) -> Met:
    return Met(seen, damping.begin(seen.status, now), now, known=True)


def _came(before: dict[str, Met], fresh: dict[str, Met]) -> list[Neighbour]:
    """List who counts as known only now, but for further processes of known sessions.

    Args:
        before: whom the last look met.
        fresh: who is not quite as that found them.
    """
    found = [
        each.last
        for key, each in fresh.items()
        if each.known and not (key in before and before[key].known)
    ]
    sessions = (each.last.session for each in before.values() if each.known)
    entered = [
        each.last
        for key, each in fresh.items()
        if each.last.here and each.last.moved and key in before and not before[key].last.here
    ]
    return [*_each_once(found, sessions), *entered]


def _went(before: dict[str, Met], met: dict[str, Met]) -> list[Neighbour]:
    """List who was known and is gone, but for processes of sessions that others still run."""
    lost = [each.last for key, each in before.items() if key not in met and each.known]
    return _each_once(lost, (each.last.session for each in met.values()))


def _left(before: dict[str, Met], fresh: dict[str, Met]) -> list[tuple[Neighbour, Neighbour]]:
    """List who has left the project and is still met in a channel: as it was and is."""
    return [
        (was.last, each.last)
        for key, each in fresh.items()
        if (was := before.get(key)) and was.known and was.last.here and not each.last.here
    ]


def _each_once(found: Collection[Neighbour], known: Iterable[str]) -> list[Neighbour]:
    """List sessions once, without those that are known."""
    others = set(known) if found else ()
    return list({each.session: each for each in found if each.session not in others}.values())
