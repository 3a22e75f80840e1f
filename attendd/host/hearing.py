"""What lines of a session's transcripts have for memory, as far as its tags counted by then."""

import math
from pathlib import Path
from typing import NamedTuple

import msgspec

from attendd import fingerprint, log
from attendd.config import Memory
from attendd.harness import speech
from attendd.harness.reading import LONGEST
from attendd.harness.rows import lenient
from attendd.harness.voices import Line, results
from attendd.memory import capture
from attendd.memory.record import Said
from attendd.store.speakers import Speaker

_TOO_LONG = f"it stood in a row of the transcript of more than {LONGEST >> 20} MiB"
_A_LONG_ROW = "a row that is too long to be read"
_UNREAD = "it stood in a row of the transcript that can't be read"
_LATE = "its tags had been seen by others, or in code, so they counted no more"

_BY_PLACE = "@"
_ANSWER = b'"assistant"'

_log = log.get_logger("memory")

Waiting = tuple[Said, capture.Found]
"""What is to be recorded, and as what it was found."""


class About(NamedTuple):
    """What is known of a session whose facts are taken.

    Attributes:
        speaker: who it is.
        name: what it is called.
        turn: its present prompt.
        since: when its memory was turned on, wall clock; what is older is not for it.
    """

    speaker: Speaker
    name: str
    turn: int
    since: float

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


class Taken(NamedTuple):
    """What was in some lines.

    Attributes:
        found: facts, and what is refused.
        seen: in what the nonce was seen, so that it counts no more; empty: nowhere.
        passed: transcripts that hold a row with the nonce that is too long to be read.
    """

    found: list[Waiting]
    seen: str
    passed: list[Path]


def take(about: About, lines: list[Line], settings: Memory) -> Taken:
    """Take out of lines what there is for memory, oldest first.

    What stands in tags after the nonce was seen, or in those that it had before, is refused.
    """
    found: list[tuple[Waiting, Line]] = []
    passed: list[Path] = []
    seen = ""
    for each, line in _in_order(lines):
        if not line.text:
            passed.append(line.path)
            lost = [capture.Found(source=each.row, reason=_TOO_LONG)]
            seen = seen or _A_LONG_ROW
        elif each.row.startswith(_BY_PLACE):
            lost = [capture.Found(source=each.row, reason=_UNREAD)]
        elif each.at < about.since:
            continue  # it was off then
        else:
            nonce, before = about.speaker.nonce, about.speaker.replaced
            lost = _late(each, before, settings) if before else []
            if seen:
                lost += _late(each, nonce, settings)
            else:
                taken = capture.take(each, _signs(nonce, settings))
                lost, seen = [*taken.found, *lost], taken.seen
        found += [(about.said(each.agent, line.turn, one), line) for one in lost]
    return Taken(_judged(found), seen, passed)


def _in_order(lines: list[Line]) -> list[tuple[speech.Speech, Line]]:
    """Read lines, and order them by time; one that has none is of the time before it."""
    heard: list[tuple[float, speech.Speech, Line]] = []
    latest: dict[Path, float] = {}
    for line in lines:
        if each := _speech(line):
            at = max(each.at, latest.get(line.path, -math.inf))
            latest[line.path] = at
            heard.append((at, each, line))
    return [(each, line) for _, each, line in sorted(heard, key=lambda timed: timed[0])]


def _signs(nonce: str, settings: Memory) -> capture.Signs:
    return capture.Signs(
        nonce=nonce, namespace=settings.namespace, consumers=settings.consumers
    )


def _late(each: speech.Speech, nonce: str, settings: Memory) -> list[capture.Found]:
    """Return what stands in tags that count no more: without a word of it.

    What was recorded while they counted is known by its source.
    """
    found = capture.take(each, _signs(nonce, settings)).found
    return [
        capture.Found(source=one.source, reason=_LATE, times=one.times)
        for one in found
        if one.text
    ]


def _speech(line: Line) -> speech.Speech | None:
    """Read a line; of one that can't be read it is only known where it is."""
    found = speech.parse(line.text) if line.text else None
    if found or (line.text and _is_another_kind(line.text)):
        return found
    digest = fingerprint.of(line.text).hex()
    return speech.Speech(row=f"{_BY_PLACE}{line.path}@{line.at}@{digest}")


def _is_another_kind(text: bytes) -> bool:
    """Tell whether no row of an answer is lost with a line that says nothing."""
    if _ANSWER in text:
        return speech.is_known(text)
    return lenient(text) is not None


def _judged(found: list[tuple[Waiting, Line]]) -> list[Waiting]:
    """Mark as untrusted what was taken word for word from what a tool returned."""
    returned: dict[tuple[Path, int], list[str]] = {}
    for (said, _), line in found:
        if said.text and (line.path, line.at) not in returned:
            rows = filter(None, map(speech.parse, results(line)))
            returned[line.path, line.at] = capture.returned(rows)
    return [
        (_marked(said, returned.get((line.path, line.at), [])), as_found)
        for (said, as_found), line in found
    ]


def _marked(said: Said, returned: list[str]) -> Said:
    return msgspec.structs.replace(said, untrusted=capture.quoted(said.text, returned))


def tell(session: str, found: list[Waiting]) -> list[Waiting]:
    """Put what is withheld of an answer where a fault is looked for, and nowhere else."""
    for _, each in found:
        if each.raw:
            _log.debug("a tag was never closed", session=session, text=each.raw)
    return [(said, msgspec.structs.replace(each, raw="")) for said, each in found]
