"""What the host does for messages: prove them, offer them again, mind talks that go round."""

from collections.abc import Callable, Iterable, Sequence

import anyio.to_thread
import msgspec

from attendd import log
from attendd.clock import Clock
from attendd.config import LiveConfig
from attendd.errors import StoreError
from attendd.harness import Harness, Traces
from attendd.host import copies
from attendd.host.roster import Member
from attendd.hot import bell, places, process, wishes
from attendd.hot.ids import USER
from attendd.hot.moment import Moment
from attendd.messaging import proof, talks
from attendd.store import Attachment, Store
from attendd.store.afterwards import Heard, Held, Left, Lost, Offered

AT_ONCE_S = 0.5
"""How often a message is looked after that was offered a moment ago."""
SOON_S = 2.0
"""The same for one that may yet be offered again, or answered."""
LATER_S = 45.0
"""The same where nothing is to be expected."""
LEFT_S = 300.0
"""How often messages are looked after whose readers are gone."""
GONE_S = 30 * 24 * 3600.0
"""So long after the last sign of life its mail is given up."""

_YOUNG_S = 10.0
_EXPECTED_S = 120.0
_DAY_S = 24 * 3600.0
_log = log.get_logger("mail")

Note = Callable[[str, str, str], None]
"""Journals something: a code, a session, a text."""


class Mailroom:
    """Looks after all messages of this user that were offered.

    Attributes:
        certain: calls `lost_time` first if time was lost while something was waited for.
    """

    def __init__(
        self,
        store: Store,
        harness: Harness,
        config: LiveConfig,
        clock: Clock,
        members: Callable[[], Iterable[Member]],
        note: Note,
    ) -> None:
        """Take what it works with.

        Args:
            store: where messages are.
            harness: knows the files of sessions that nobody reads for.
            config: what is set.
            clock: the time.
            members: returns the attended sessions, also those whose reader is gone.
            note: journals what was done.
        """
        self._store = store
        self._harness = harness
        self._config = config
        self._clock = clock
        self._members = members
        self._note = note
        self.certain: Callable[[], None] = lambda: None
        self._left_at = float("-inf")
        self._troubled = False
        self._counts_from = float("-inf")

    def lost_time(self) -> None:
        """Take note that clients may have stood still until now: silence meant nothing."""
        self._counts_from = self._clock.now()

    async def look(self, now: float) -> float:
        """Do what there is to do; return when to look again."""
        try:
            pause = await self._look(now)
        except StoreError as error:
            if not self._troubled:
                _log.warning("messages can't be looked after", why=str(error))
            self._troubled, pause = True, LATER_S
        else:
            self._troubled = False
        return now + pause

    async def _look(self, now: float) -> float:
        self._keep_wishes()
        await copies.look(self._store, self._harness, self._clock)
        pause = await self._prove()
        if now - self._left_at >= LEFT_S:
            self._left_at = now
            self._store.age(self._moment())
            await self._prove_left()
        self._mind_talks()
        return pause

    def somebody_left(self) -> None:
        """Take note that a reader is gone, perhaps with its client: see to what it had."""
        self._left_at = float("-inf")

    def sweep(self) -> None:
        """Give up the mail of those who are gone, and tell its authors.

        Raises:
            StoreError: the store can't be used.
        """
        now = self._moment()
        lost = self._store.afterwards.lost(now.wall - GONE_S)
        for each in self._store.afterwards.give_up(lost, _gone, now):
            self._note(
                "undeliverable", each.box, f"#{each.message}: no sign of life for 30 days"
            )

    # -- proof ------------------------------------------------------------------

    async def _prove(self) -> float:
        members = {}
        for member in self._members():
            client = member.attended.client
            if client.session != member.row.session:
                await client.activity()  # a hook has noticed before us that it moved on
            members[client.session] = member
        offered = self._offered(list(members))
        # Before the transcripts are read: who is dead by now writes nothing more there.
        lives = [self._still_has(each, members[each.session].row) for each in offered]
        traces: dict[str, Traces | None] = {}
        for each in offered:
            if each.session not in traces:
                member = members[each.session]
                seen = member.row.client_pid is not None
                traces[each.session] = await member.attended.client.traces() if seen else None
        for each, living in zip(offered, lives, strict=True):
            self._settle(each, traces[each.session], lives=living)
        return _pause(offered)

    async def _prove_left(self) -> None:
        """Look at sessions without a reader: what a dead client had is offered again."""
        attended = {member.attended.client.session for member in self._members()}
        now = self._clock.wall()
        for each in self._store.afterwards.left(now - _DAY_S, now - _EXPECTED_S):
            if each.session in attended or self._may_live(each):
                continue
            view = self._harness.view(each.session, None, "", each.workdir, each.transcript)
            traces = await anyio.to_thread.run_sync(view.traces)
            for offered in self._offered([each.session]):
                self._settle(offered, traces, lives=False)

    def _offered(self, sessions: list[str]) -> list[Offered]:
        self.certain()
        now = self._moment()
        found = self._store.afterwards.unproven(sessions, now.wall, now.boot, now.bt)
        most = now.bt - self._counts_from
        return [
            each if each.age_s <= most else msgspec.structs.replace(each, age_s=most)
            for each in found
        ]

    def _still_has(self, offered: Offered, row: Attachment) -> bool:
        """Tell whether the client that was given a message may live, not a later one."""
        given = None
        if offered.by != row.id:
            given = self._store.sessions.attachment(offered.by)
        return _lives(given or row)

    def _may_live(self, left: Left) -> bool:
        return any(map(_lives, self._store.sessions.attachments(left.session)))

    def _settle(self, offered: Offered, traces: Traces | None, *, lives: bool) -> None:
        afterwards = self._store.afterwards
        told = offered.state in ("announced", "offered")
        late = told and offered.age_s >= proof.WAIT_S
        ways = afterwards.ways(offered.session) if late else set()
        verdict = proof.judge(offered, traces, lives=lives, ways=ways)
        if isinstance(verdict, proof.Again):
            if afterwards.again(offered, verdict.avoid):
                text = f"#{offered.message} is offered again: {verdict.why}"
                self._note("again", offered.session, text)
            return
        for each in verdict or ():
            if each.state == "announced":
                afterwards.line_proved(each.delivery, each.evidence)
                text = f"the line that told of #{offered.message} was seen"
                self._note("seen", offered.session, text)
                continue
            afterwards.advance(each.delivery, each.state, each.at, each.evidence)
            self._note(each.state, offered.session, f"#{offered.message} was {each.state}")

    # -- talks ------------------------------------------------------------------

    def _mind_talks(self) -> None:
        members = {member.attended.client.session: member for member in self._members()}
        heard = self._store.afterwards.heard(list(members))
        for session, member in members.items():
            talk, known = member.attended.client.talk(), heard.get(session, Heard())
            if talks.begins_anew(talk, known):
                self._let_go(session)
            gap_s = talks.gap_s(talk)
            if gap_s != known.gap_s:
                self._store.afterwards.slow_down(session, gap_s)
            member.attended.slow_down(gap_s)
        held = self._store.afterwards.held()
        for box in {each.box for each in held if each.freed}:
            self._let_go(box)
        for pair in talks.pairs([each for each in held if not each.freed]).values():
            self._tell_person(pair)

    def _let_go(self, box: str) -> None:
        if freed := self._store.afterwards.let_go(box):
            _log.info("a talk goes on", boxes=freed)

    def _tell_person(self, held: Sequence[Held]) -> None:
        first = held[0]
        name = self._store.mail.name(first.box, self._moment())
        text = (
            f"{first.name} and {name} only answer each other, so their talk is held."
            " It goes on once one of them has done something else, or is prompted."
        )
        self._store.afterwards.tell(USER, text, f"held:{first.delivery}", self._moment())

    # -- the rest ---------------------------------------------------------------

    def _keep_wishes(self) -> None:
        """Keep what hooks and readers must know of the configuration where they can read it."""
        said = self._config.current().config.messages
        wished = {key: str(getattr(said, key)) for key in wishes.DEFAULTS}
        if self._store.call(lambda db: wishes.keep(db, wished)):
            bell.ring_all(places.runtime_dir())  # what waits may have to wait no longer

    def _moment(self) -> Moment:
        return Moment(self._clock.wall(), process.boot_id(), self._clock.now())


def _lives(row: Attachment) -> bool:
    """Tell whether the client behind an attachment may be alive."""
    if row.client_pid is None:
        return row.ended_at is None
    return process.alive(row.client_pid, row.client_start, row.pidns, row.boot) is not False


def _pause(offered: Sequence[Offered]) -> float:
    """Return how soon something may have happened to what was offered."""
    if any(each.state != "seen" and each.age_s < _YOUNG_S for each in offered):
        return AT_ONCE_S
    return SOON_S if any(each.age_s < _EXPECTED_S for each in offered) else LATER_S


def _gone(lost: Lost) -> str:
    return (
        f"#{lost.message} could not be delivered: its recipient gave no sign of life"
        f" for 30 days; `attend sent {lost.message}` has the text"
    )
