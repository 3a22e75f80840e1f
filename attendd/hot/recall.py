"""What of memory goes to a session, at its start and with a prompt, and that it really went.

The instruction goes first and is always the same; facts follow. What is counted, and what is
taken for known, moves only once the answer was written.
"""

import time

from attendd.hot import choose, folders, memory_session, memory_settings, terms
from attendd.hot.db import Connection, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from attendd.hot.hook import Event
    from attendd.hot.memory_session import State
    from attendd.hot.memory_settings import Settings

LOOKED_AT = 4_000
"""Characters of a prompt that are looked through for words."""
MOST_COUNTED = 1_000

_LOOKED_AT_FOR_NONCE = 1 << 20
"""Bytes of a transcript in which a new nonce must not stand by chance."""
_NOTHING = ("\0",)
"""A word that no fact has."""


class Recall:
    """What is to be told, and what is true once it was.

    Attributes:
        text: whole lines for the model.
        notice: what its person is shown.
        transcript: path of the session's transcript.
        coming: prompts that are not in it yet.
    """

    __slots__ = (
        "_conduit",
        "_facts",
        "_goal",
        "_here",
        "_hiding",
        "_lesson",
        "_parted",
        "_reason",
        "coming",
        "notice",
        "text",
        "transcript",
    )

    def __init__(self, here: "State", conduit: str, reason: str, transcript: str) -> None:
        """Begin with nothing to tell.

        Args:
            here: where the session is.
            conduit: the way in.
            reason: why now.
            transcript: path of its transcript.
        """
        self.text = ""
        self.notice = here.notice
        self._here = here
        self.coming = int(conduit == "prompt")
        self._conduit = conduit
        self._reason = reason
        self.transcript = transcript
        self._lesson = self._parted = self._hiding = False
        self._goal = ""
        self._facts: list[str] = []

    def add_lesson(self, text: str) -> None:
        """Tell the instruction."""
        self.text += text
        self._lesson = bool(text)

    def add_goal(self, text: str, fact: str) -> None:
        """Tell what the session's person is after."""
        self.text += text
        self._goal = fact

    def add_facts(self, text: str, facts: "Collection[str]") -> None:
        """Tell facts, in a block."""
        self.text += text
        self._facts += facts

    def add_parted(self, parted: "Sequence[tuple[str, int]]") -> None:
        """Show its person how many facts are not shown to sessions any more, and why."""
        counts = ", ".join(f"{count} {action}" for action, count in parted)
        self.notify(f"attend put facts away: {counts} (`attend memory list --all` has them)")
        self._parted = True

    def add_hiding(self) -> None:
        """Show its person how tags are hidden."""
        from attendd.hot import memory_hiding

        self.notify(memory_hiding.NOTICE)
        self._hiding = True

    def notify(self, text: str) -> None:
        """Show something to its person."""
        self.notice = "\n".join(filter(None, (self.notice, text)))

    def delivered(self, db: Connection) -> None:
        """Record that it was written where the model reads it.

        Raises:
            StoreError: it was not recorded, and may be told once more.
        """
        wall = time.time()
        write(db, lambda db: self._record(db, wall))

    def _record(self, db: Connection, wall: float) -> None:
        session = self._here.session
        db.execute(
            """UPDATE memory_session SET prompts = prompts + (? = 'prompt'), told = ?,
                notice = '' WHERE session = ?""",
            (self._conduit, self._here.latest, session),
        )
        if self._parted:
            db.execute(
                "UPDATE memory_project SET parted = max(parted, ?) WHERE id = ?",
                (self._here.latest, self._here.project),
            )
        if self._lesson:
            db.execute(
                """UPDATE memory_session SET due = '', taught_at = ?, taught_prompts = prompts,
                    taught_bytes = ? WHERE session = ?""",
                (wall, folders.size(self.transcript), session),
            )
            memory_session.listen_from_here(db, session, self.transcript, wall)
            db.execute(
                """INSERT INTO telling (session, sensor, topic, conduit, at)
                    VALUES (?, ?, ?, ?, ?)""",
                (session, memory_session.SENSOR, memory_session.TOPIC, self._conduit, wall),
            )
        if self._hiding:
            from attendd.hot import memory_hiding

            memory_hiding.told(db)
        if self._lesson or self._facts:
            self._record_facts(db, wall)

    def _record_facts(self, db: Connection, wall: float) -> None:
        tokens = len(self.text.encode("utf-8", "replace")) // memory_session.TOKEN_BYTES + 1
        here, how = self._here, (self._conduit, self._reason, wall, tokens, self._lesson)
        added = db.execute(
            """INSERT INTO injection (session, project, conduit, reason, at, tokens, taught)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (here.session, here.project, *how),
        ).lastrowid
        db.executemany(
            "INSERT INTO injected (injection, position, fact) VALUES (?, ?, ?)",
            [(added, at, fact) for at, fact in enumerate((self._goal, *self._facts)) if fact],
        )


def at_start(
    db: Connection, event: "Event", here: "State", settings: "Settings"
) -> Recall | None:
    """Find what a session is told at its start; ``None``: nothing.

    Raises:
        StoreError: the store can't be used.
    """
    made = Recall(here, "session-start", event.source or "startup", event.transcript)
    teach = _due(event, here, settings, lost=event.source == "compact")
    words: Collection[str] = () if teach else _NOTHING
    if settings.show != "off" and (parted := memory_session.parted(db, here.project)):
        made.add_parted(parted)
    return _filled(db, made, here, settings, words, teach=teach)


def at_prompt(db: Connection, event: "Event", project: int) -> Recall | None:
    """Find what a session is told with a person's prompt; ``None``: nothing.

    Raises:
        StoreError: the store can't be used.
    """
    here = memory_session.state(db, event.session)
    settings = memory_settings.of_text(here.settings) if here else memory_settings.kept(db)
    if here is None or here.project != project:
        here = memory_session.begin(db, event.session, project, time.time())
    made = Recall(here, "prompt", "prompt", event.transcript)
    teach = _due(event, here, settings)
    words = terms.terms(event.prompt[:LOOKED_AT]) or (() if teach else _NOTHING)
    found = _filled(db, made, here, settings, words, teach=teach)
    if found is None:
        memory_session.count_prompt(db, here)
    return found


def _filled(
    db: Connection,
    made: Recall,
    here: "State",
    settings: "Settings",
    words: "Collection[str]",
    *,
    teach: bool,
) -> Recall | None:
    """Put in what there is to tell; ``None`` if that is nothing."""
    if teach:
        from attendd.hot import goal, memory_hiding, memory_lesson, nonces

        avoid = folders.read(made.transcript, _LOOKED_AT_FOR_NONCE)
        nonce = nonces.make(db, here.session, time.time(), avoid)
        made.add_lesson(memory_lesson.lesson(nonce, settings.namespace, settings.consumers))
        fact, line = goal.told(db, here.session, made.transcript, made.coming)
        made.add_goal(line, fact)
        if memory_hiding.due(db, settings):
            made.add_hiding()
    if gone := memory_session.withdrawn(db, here):
        from attendd.hot import remembered

        made.text += remembered.withdrawn(gone)
    _add_facts(db, made, here, settings, words, teach=teach)
    for reason, count in memory_session.refused(db, here):
        many = f"{count} facts" if count > 1 else "a fact"
        made.notify(f"attend did not keep {many} of this session: {reason}")
    return made if made.text or made.notice else None


def _add_facts(
    db: Connection,
    made: Recall,
    here: "State",
    settings: "Settings",
    words: "Collection[str]",
    *,
    teach: bool,
) -> None:
    names = memory_session.names(db, here.session) if settings.consumers else []
    reader = choose.Reader(here.project, here.session, names, here.fresh_at)
    room = choose.Room(settings.max_facts, settings.max_bytes)
    news = [] if teach else memory_session.news(db, here)

    def known() -> "Collection[str]":
        return () if teach else memory_session.known(db, here, here.taught_at or 0.0)

    chosen = choose.choose(db, reader, room, words, news=news, known=known)
    if teach and words:  # what the prompt is about, and then what there is room for
        told = dict(chosen)
        chosen += choose.choose(db, reader, room.without(chosen), known=lambda: told)
    if not chosen:
        return
    from attendd.hot import remembered

    number = memory_session.blocks(db, here.session) + 1
    texts = [text for _, text in chosen]
    made.add_facts(
        remembered.block(number, texts, settings.namespace), [fact for fact, _ in chosen]
    )
    made.notify(_shown(settings.show, texts))


def _shown(show: str, texts: "list[str]") -> str:
    """Write what a person sees of facts that were put before the model."""
    from attendd.hot import remembered

    count = f"{len(texts)} remembered fact{'s' * (len(texts) > 1)}"
    head = f"attend gave the session {count}"
    if show == "full":
        return "\n".join([f"{head}:", *(f"- {remembered.line(text)}" for text in texts)])
    return f"{head} (`attend memory injected` lists them)" if show == "summary" else ""


def _due(event: "Event", here: "State", settings: "Settings", *, lost: bool = False) -> bool:
    """Tell whether the instruction goes along now."""
    if here.taught_at is None or here.due or lost:
        return True
    turns, limit = here.prompts - here.taught_prompts, settings.growth_bytes
    grown = folders.size(event.transcript) - here.taught_bytes
    near = settings.turns <= 0 or turns < settings.turns
    if near and (limit <= 0 or 0 <= grown < limit):
        return False  # as mostly: a transcript is longer than what of it is words
    from attendd.hot import growth, reteach

    far = reteach.due(
        resuming=True,
        turns_since=turns,
        bytes_since=growth.since(event.transcript, here.taught_bytes, limit) if limit else 0,
        turns=settings.turns,
        size=limit,
    )
    return far and not (here.gauge and _host_lives())


def _host_lives() -> bool:
    """Tell whether there is somebody who would say when teaching is due."""
    from attendd.hot import attach, locks, process

    words = locks.holder(attach.host_lock())
    pid, start = (*words, "", "")[:2]
    return pid.isdecimal() and process.alive(int(pid), start) is not False
