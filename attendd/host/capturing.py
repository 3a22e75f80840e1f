"""Takes the facts that sessions emit from their transcripts, and has them vetted and recorded.

It looks when clients change what they are doing, and each second while one works. A client
writes down its last words a little after it is done, on a busy machine more than a little. So
it looks again after that too, at growing distances. Where no project has a memory this is one
look into the store.
"""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.to_thread
import msgspec

from attendd import log
from attendd.config import Memory
from attendd.errors import AttendError
from attendd.harness import speech
from attendd.harness.voices import Line, Voices, ending, results
from attendd.host.parts import Parts
from attendd.host.roster import Member
from attendd.hot import nonces, unkept
from attendd.memory import capture, vetting
from attendd.memory.record import Limits, Said, record, refuse
from attendd.model import Status
from attendd.store.speakers import Speaker

SOON_S = 1.0
"""How soon it looks again where more is to be expected; then after twice that, and so on."""
LATEST_S = 60.0
"""How soon at the latest, whatever happens."""
MOST_WAITING = 1_000
"""When so many facts wait because they can't be vetted or recorded, no more are taken."""

Waiting = tuple[Said, capture.Found]
"""What is to be recorded, and as what it was found."""

_log = log.get_logger("memory")


class Capturing:
    """Listens to all sessions that were taught to record facts."""

    def __init__(
        self,
        parts: Parts,
        members: Callable[[], Iterable[Member]],
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """Take what it works with.

        Args:
            parts: what the host is made of.
            members: returns the attended sessions, also those whose reader is gone.
            most_waiting: no more is taken while so many facts can't be kept yet.
        """
        self._most_waiting = most_waiting
        self._store = parts.store
        self._config = parts.config
        self._clock = parts.clock
        self._members = members
        self._voices: dict[str, Voices] = {}
        self._waiting: list[Waiting] = []
        self._planned = math.inf
        self._pause = SOON_S
        self._looking = anyio.Lock()
        self._troubled: bool | None = None  # until it is known

    async def look(self, now: float) -> float | None:
        """Take what is new; return when to look again if nothing happens."""
        async with self._looking:
            if now < self._planned:
                self._pause = SOON_S  # it was woken: something has changed
            some = works = True
            try:
                some, works = await self._look()
                await self._keep()
            except AttendError as error:
                works = False
                self._trouble(str(error))
            else:
                self._well()
            self._planned = now + self._pause if some else math.inf
            self._pause = SOON_S if works else min(2 * self._pause, LATEST_S)
            return self._planned if some else None

    def _trouble(self, why: str) -> None:
        if not self._troubled:
            _log.warning("facts can't be kept, they wait", why=why)
        self._troubled = True
        unkept.note({said.session for said, _ in self._waiting}, why)

    def _well(self) -> None:
        if self._troubled is not False:
            unkept.over()
        self._troubled = False

    async def _look(self) -> tuple[bool, bool]:
        """Listen to each session once; tell whether there is any, and whether one works."""
        speakers = {each.session: each for each in self._store.speakers.all()}
        clients = {}
        if speakers:
            clients = {
                each.attended.client.session: each.attended.client for each in self._members()
            }
        kept, self._voices = self._voices, {}
        for session, speaker in speakers.items():
            client = clients.get(session)
            path = (client.transcript if client else "") or speaker.transcript
            if not path:
                continue
            voices = kept.get(session)
            if voices is None or str(voices.transcript) != path:
                voices = Voices(Path(path))
            if len(self._waiting) < self._most_waiting:
                await self._listen(speaker, voices, client.last.turns if client else 0)
            self._voices[session] = voices  # if that failed, it is read once more
        here = speakers.keys() & clients.keys()
        works = any(clients[each].last.status is Status.BUSY for each in here)
        return bool(speakers), works

    async def _listen(self, speaker: Speaker, voices: Voices, turn: int) -> None:
        mark, wall = speaker.nonce.encode(), self._clock.wall()
        lines = await anyio.to_thread.run_sync(voices.look, mark, wall)
        if not lines:
            return
        known = self._store.around.known([speaker.session]).get(speaker.session)
        about = _About(speaker, known.name if known else "", turn)
        found, seen = self._take(about, lines)
        if any(said.text for said, _ in found):
            found = await anyio.to_thread.run_sync(_judged, found, voices.transcript)
        if seen:
            self._rotate(speaker, f"seen in {seen}", voices.transcript)
        self._waiting += found

    def _take(self, about: "_About", lines: list[Line]) -> tuple[list[Waiting], str]:
        """Take facts out of lines, up to one in which the nonce was seen; say in what."""
        settings = self._config.current().config.memory
        signs = capture.Signs(
            nonce=about.speaker.nonce,
            namespace=settings.namespace,
            consumers=settings.consumers,
        )
        heard = [(each, line.turn) for line in lines if (each := speech.parse(line.text))]
        found: list[Waiting] = []
        for each, turn in sorted(heard, key=lambda pair: pair[0].at):
            taken = capture.take(each, signs)
            found += [about.said(each.agent, turn, one) for one in taken.found]
            if taken.seen:
                return found, taken.seen  # no later line can have the new one
        return found, ""

    def _rotate(self, speaker: Speaker, reason: str, transcript: Path) -> None:
        wall, session = self._clock.wall(), speaker.session
        said = ending(transcript)
        self._store.call(lambda db: nonces.rotate(db, session, wall, reason, said))
        _log.info("a session has other tags from now on", session=session, why=reason)

    async def _keep(self) -> None:
        """Have what was found vetted, and record it.

        Raises:
            VettingError: it can't be vetted; it waits.
            StoreError: it can't be recorded; the rest waits.
        """
        texts = [said.text for said, _ in self._waiting]
        objections = await vetting.ask(texts) if any(texts) else [""] * len(texts)
        settings = self._config.current().config.memory
        for objection in objections:
            said, found = self._waiting[0]
            self._record(said, found.reason or objection, found.times, settings)
            del self._waiting[0]

    def _record(self, said: Said, reason: str, times: int, settings: Memory) -> None:
        wall = self._clock.wall()
        if reason:
            refuse(self._store, said, reason, wall, times=times)
        else:
            limits = Limits(per_turn=settings.per_turn, per_session=settings.per_session)
            record(self._store, said, wall, limits)


class _About(NamedTuple):
    """What is known of a session whose facts are taken: who it is, and its present turn."""

    speaker: Speaker
    name: str
    turn: int

    def said(self, agent: str, turn: int, found: capture.Found) -> Waiting:
        """Put together what is known of a fact."""
        said = Said(
            text=found.text,
            project=self.speaker.project,
            producer="subagent" if agent else "agent",
            consumer=found.consumer,
            session=self.speaker.session,
            turn=turn or self.turn,
            agent=agent or self.name,
            source=found.source,
        )
        return said, found


def _judged(found: list[Waiting], transcript: Path) -> list[Waiting]:
    """Mark as untrusted what was taken word for word from what a tool returned."""
    heard = [each for each in map(speech.parse, results(transcript)) if each]
    return [
        (msgspec.structs.replace(said, untrusted=capture.quoted(said.text, heard)), as_found)
        for said, as_found in found
    ]
