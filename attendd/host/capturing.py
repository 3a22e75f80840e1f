"""Takes the facts that sessions emit from their transcripts, and has them vetted and recorded.

It looks when clients change what they are doing, and each second while one works. A client
writes down its last words a little after it is done, on a busy machine more than a little. So
it looks again after that too, at growing distances. Where no project has a memory this is one
look into the store.

It keeps how far it has read only once all up to there is settled. So whichever host comes next
goes on from there; what it reads once more is known by where it stands.
"""

import math
from collections.abc import Callable, Iterable
from pathlib import Path

import anyio.to_thread

from attendd import log
from attendd.config import Memory
from attendd.errors import AttendError
from attendd.harness.reading import LONGEST
from attendd.harness.voices import Voices, ending
from attendd.host import hearing
from attendd.host.hearing import Waiting
from attendd.host.parts import Parts
from attendd.host.roster import Member
from attendd.hot import nonces, unkept
from attendd.memory import vetting
from attendd.memory.record import Limits, Said, record, refuse
from attendd.model import Status
from attendd.store.speakers import Place, Speaker

SOON_S = 1.0
"""How soon it looks again where more is to be expected; then after twice that, and so on."""
LATEST_S = 60.0
"""How soon at the latest, whatever happens."""
MOST_WAITING = 1_000
"""When so many facts wait because they can't be vetted or recorded, no more are taken."""
TOGETHER = 50
"""So many facts are vetted at once."""
FAR = 256 * 1024
"""Bytes that the next host may have to read once more, where there is nothing in them."""
_SLACK_S = 24 * 3600.0
_PASSED = "{} holds a row of more than {} MiB, so facts in it are not kept"

_log = log.get_logger("memory")


class Capturing:
    """Listens to all sessions that were taught to record facts.

    Attributes:
        behind: whether something that was said may not be settled yet.
    """

    def __init__(
        self,
        parts: Parts,
        members: Callable[[], Iterable[Member]],
        most_waiting: int = MOST_WAITING,
        note: Callable[[str, str], None] = lambda _code, _text: None,
    ) -> None:
        """Take what it works with.

        Args:
            parts: what the host is made of.
            members: returns the attended sessions, also those whose reader is gone.
            most_waiting: no more is taken while so many facts can't be kept yet.
            note: takes a code and a sentence for the journal.
        """
        self._most_waiting = most_waiting
        self._store = parts.store
        self._config = parts.config
        self._clock = parts.clock
        self._members = members
        self._note = note
        self._voices: dict[str, Voices] = {}
        self._kept: dict[str, dict[str, Place]] = {}
        self._waiting: list[Waiting] = []
        self._seen: dict[str, tuple[str, Path]] = {}
        self._planned = math.inf
        self._pause = SOON_S
        self._troubled: bool | None = None  # until it is known
        self.behind = True

    async def look(self, now: float) -> float | None:
        """Take what is new; return when to look again if nothing happens."""
        if now < self._planned:
            self._pause = SOON_S  # it was woken: something has changed
        some = works = more = self.behind = True
        try:
            while more:
                some, works, more = await self._look()
                if not more or len(self._waiting) >= min(TOGETHER, self._most_waiting):
                    await self._settle()
        except AttendError as error:
            works = False
            self._trouble(str(error))
        else:
            self._well()
            self.behind = False
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

    async def _look(self) -> tuple[bool, bool, bool]:
        """Listen to each session once; tell whether any is there, works, has said more."""
        speakers = {each.session: each for each in self._store.speakers.all()}
        clients = {}
        if speakers:
            clients = {
                each.attended.client.session: each.attended.client for each in self._members()
            }
        known, self._voices = self._voices, {}
        more = False
        for session, speaker in speakers.items():
            client = clients.get(session)
            path = (client.transcript if client else "") or speaker.transcript
            if not path:
                continue
            voices = known.get(session)
            if voices is None or str(voices.transcript) != path:
                voices = self._begin(speaker, path)
            if len(self._waiting) >= self._most_waiting:
                more = True
            elif session not in self._seen:
                turn = client.last.turns if client else 0
                more = await self._listen(speaker, voices, turn) or more
            self._voices[session] = voices  # if that failed, it is read once more
        here = speakers.keys() & clients.keys()
        works = any(clients[each].last.status is Status.BUSY for each in here)
        return bool(speakers), works, more

    def _begin(self, speaker: Speaker, path: str) -> Voices:
        """Go on where this host, or another, has read a session's transcripts to."""
        places = self._kept[speaker.session] = self._store.speakers.places(speaker.session)
        return Voices(Path(path), places, speaker.began_at - _SLACK_S)

    async def _listen(self, speaker: Speaker, voices: Voices, turn: int) -> bool:
        """Take what a session has said since; tell whether there is more."""
        marks = [each.encode() for each in (speaker.nonce, speaker.replaced) if each]
        heard = await anyio.to_thread.run_sync(voices.look, *marks)
        if heard.lines:
            known = self._store.around.known([speaker.session]).get(speaker.session)
            since = speaker.enabled_at if speaker.enabled_at <= self._clock.wall() else 0.0
            about = hearing.About(speaker, known.name if known else "", turn, since)
            settings = self._config.current().config.memory
            taken = await anyio.to_thread.run_sync(hearing.take, about, heard.lines, settings)
            if taken.seen:
                self._seen[speaker.session] = (f"seen in {taken.seen}", voices.transcript)
            for path in taken.passed:
                self._note("memory.passed-over", _PASSED.format(path, LONGEST >> 20))
            self._waiting += hearing.tell(speaker.session, taken.found)
        return heard.more

    async def _settle(self) -> None:
        """Have what was found vetted and recorded, and keep how far was read.

        Raises:
            VettingError: it can't be vetted; it waits.
            StoreError: it can't be recorded; the rest waits.
        """
        some = bool(self._waiting)
        await self._keep()
        for session, (reason, transcript) in list(self._seen.items()):
            self._rotate(session, reason, transcript)
            del self._seen[session]
        for session, voices in self._voices.items():
            kept = self._kept.get(session, {})
            new = {path: to for path, to in voices.places.items() if to != kept.get(path)}
            if new and (some or any(_far(to, kept.get(path)) for path, to in new.items())):
                self._store.speakers.read_to(session, new, self._clock.wall())
                self._kept[session] = {**kept, **new}

    def _rotate(self, session: str, reason: str, transcript: Path) -> None:
        wall, said = self._clock.wall(), ending(transcript)
        self._store.call(lambda db: nonces.rotate(db, session, wall, reason, said))
        _log.info("a session has other tags from now on", session=session, why=reason)

    async def _keep(self) -> None:
        """Have what was found vetted, and record it.

        Raises:
            VettingError: it can't be vetted; it waits.
            StoreError: it can't be recorded; the rest waits.
        """
        settings = self._config.current().config.memory
        while self._waiting:
            texts = [said.text for said, _ in self._waiting[:TOGETHER]]
            objections = await vetting.ask(texts) if any(texts) else [""] * len(texts)
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


def _far(to: Place, kept: Place | None) -> bool:
    return not 0 <= to.at - (kept.at if kept else 0) < FAR
