"""A day of one session, written as a table, and a clock that runs it in the blink of an eye.

A row is ``TIME WHO WEIGHT TEXT``. Time is a moment, or ``from-to/step`` in seconds for what goes
on and on, where ``{n}`` in the text counts and ``{a|b}`` takes turns. Who is a sensor, or
``session`` for what its client says. A weight may carry ``message``, ``wakes`` or ``own``.
"""

import re
from collections.abc import Iterator
from itertools import count

from attendd.engine.batch import Code, Mood
from attendd.engine.render import render
from attendd.engine.settings import SlotShape
from attendd.model import Lane, Observation
from tests.unit.attending import Session

SENSORS = {
    "git": SlotShape(interval_s=30, min_interval_s=10, threshold=2.0, decay_threshold=4),
    "peers": SlotShape(interval_s=30, min_interval_s=10, threshold=2.0, decay_threshold=5),
    "processes": SlotShape(interval_s=30, min_interval_s=5, threshold=2.0, decay_threshold=5),
    "context": SlotShape(interval_s=60, min_interval_s=20, threshold=1.5, decay_threshold=3),
    "disclosure": SlotShape(interval_s=60, min_interval_s=20, threshold=1.5, decay_threshold=3),
}
MOODS = {
    "new": Mood(awake=False, prompted=False),
    "idle": Mood(awake=False),
    "busy": Mood(),
}
_ROW = re.compile(r"(\S+)\s+(\w+)\s+(\S+)\s+(.+)")
Happening = tuple[float, str, Observation | str]


def seconds(clock: str) -> float:
    hours, minutes, *rest = clock.split(":")
    return int(hours) * 3_600 + int(minutes) * 60 + float(rest[0] if rest else 0)


def clock(at: float) -> str:
    return f"{int(at) // 3_600:02}:{int(at) // 60 % 60:02}:{at % 60:04.1f}".removesuffix(".0")


def happenings(table: str) -> list[Happening]:
    """Read a day, in the order in which it happens."""
    rows = (line for line in table.strip().splitlines() if line.strip())
    return sorted((each for row in rows for each in _row(row)), key=lambda each: each[0])


def _row(row: str) -> Iterator[Happening]:
    match = _ROW.fullmatch(row.strip())
    assert match, row
    when, who, weight, text = match.groups()
    for n, at in enumerate(_times(when)):
        words = re.sub(r"\{([^}|]+)\|([^}]+)\}", lambda m, n=n: m[1 + n % 2], text)
        words = words.replace("{n}", str(n))
        yield at, who, words if who == "session" else _observation(weight, words)


def _times(when: str) -> Iterator[float]:
    start, _, rest = when.partition("-")
    if not rest:
        yield seconds(start)
        return
    end, _, step = rest.partition("/")
    for n in count():
        at = seconds(start) + n * float(step)
        if at >= seconds(end):
            return
        yield at


def _observation(weight: str, text: str) -> Observation:
    magnitude, *marks = weight.split(",")
    return Observation(
        text=text.replace("\\n", "\n"),
        magnitude=float(magnitude),
        lane=Lane.MESSAGE if "message" in marks else Lane.EVENT,
        wakes="wakes" in marks,
        own="own" in marks,
    )


class Day(Session):
    """Lets a day pass as the loop would: polls when due, steps when asked, sleeps in between.

    Attributes:
        polls: how many polls there were.
        steps: how many looks.
    """

    def __init__(self, table: str) -> None:
        happening = happenings(table)
        super().__init__(now=happening[0][0])
        self.polls = self.steps = 0
        self._coming = happening
        self._found: dict[str, list[Observation]] = {name: [] for name in SENSORS}
        for name, shape in SENSORS.items():
            self.attention.add_slot(name, shape, self.now)
        while self._coming or self._found_any():
            self._pass()
        self.step()

    def _found_any(self) -> bool:
        return any(self._found.values())

    def _pass(self) -> None:
        """Go to the next moment at which there is something to do, and do it."""
        moments = [self.attention.next_poll(name) for name in SENSORS]
        moments += [each[0] for each in self._coming[:1]]
        moments += [] if self.next_at is None else [self.next_at]
        self.now = max(self.now, min(moments))
        while self._coming and self._coming[0][0] <= self.now:
            self._happen(*self._coming.pop(0)[1:])
        for name in self.attention.due(self.now):
            found, self._found[name] = self._found[name], []
            self.decisions += self.attention.observe(name, found, self.now)
            self.polls += 1
        self.step()
        self.steps += 1

    def _happen(self, who: str, what: Observation | str) -> None:
        if isinstance(what, str):
            self.mood = MOODS[what]
            return
        self._found[who].append(what)
        if what.lane is Lane.MESSAGE or what.wakes:
            self.attention.touch(who, self.now)  # it rings

    def between(self, start: str, end: str) -> list[str]:
        """Return what was told, line by line, with its time; ``!`` marks a turn it cost."""
        return [
            f"{clock(at)}{'!' if batch.wakes else ' '} {line.removeprefix('[attend sensor=')}"
            for at, batch in self.told
            if seconds(start) <= at < seconds(end)
            for line in render(batch).splitlines()
        ]

    def why(self, slot: str, start: str, end: str) -> list[str]:
        """Return what was decided on a sensor's account, other than that it observed."""
        return [
            f"{clock(each.at)} {each.code.value} {each.count}"
            for each in self.decisions
            if each.slot == slot and seconds(start) <= each.at < seconds(end)
            if each.code is not Code.OBSERVED
        ]
