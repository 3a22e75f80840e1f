"""Time in which nothing ran: it is named, and taken for nobody's silence."""

from collections.abc import Callable, Iterable

from attendd.clock import Clock
from attendd.host.attended import Attended
from attendd.host.mailroom import Mailroom
from attendd.host.outlet import StoreOutlet
from attendd.host.remarks import Remarks
from attendd.host.roster import Member
from attendd.loop import LOST_S

TOLD_S = 300.0
"""Sessions are told of a sleep that lasted so long."""


class Pauses:
    """Finds out what kept the host from running, and says so to whom it concerns."""

    def __init__(
        self,
        clock: Clock,
        remarks: Remarks,
        outlet: StoreOutlet,
        mailroom: Mailroom,
        members: Callable[[], Iterable[Member]],
        save: Callable[[Attended], None],
    ) -> None:
        """Begin counting what the machine sleeps."""
        self._clock = clock
        self._remarks = remarks
        self._outlet = outlet
        self._mailroom = mailroom
        self._members = members
        self._save = save
        self._slept = clock.slept()

    def lost(self, seconds: float) -> None:
        """Take note that nothing ran here for so long, before anything is judged by it."""
        slept, self._slept = self._clock.slept() - self._slept, self._clock.slept()
        self._mailroom.lost_time()
        if slept > LOST_S:
            said = f"the machine slept for {span(slept)}"
            self._remarks.say("host.slept", said, usual=True)
            if slept > TOLD_S:
                self._tell(said)
        if seconds - slept > LOST_S:
            said = f"this process was stopped for {span(seconds - slept)}"
            self._remarks.say("host.paused", said)

    def _tell(self, said: str) -> None:
        """Have a line ride along with what each session is told next; it wakes none."""
        for member in self._members():
            attended = member.attended
            decisions = attended.attention.remark(said, self._clock.now())
            self._outlet.decided(attended, decisions)
            attended.changed = True
            self._save(attended)  # a later host would not know


def span(seconds: float) -> str:
    """Say a time in hours and minutes, or where there are none, in seconds."""
    hours, minutes = divmod(round(seconds / 60), 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join(parts) if seconds >= 60 else f"{seconds:.0f} s"  # noqa: PLR2004 - a minute
