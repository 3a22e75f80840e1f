"""Any story of writes, deaths, pauses and restarts: shown, or accounted for, at most twice."""

import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from attendd.hot import db as hot
from attendd.hot import ledger
from tests.store import fresh, given

WHO = st.sampled_from(["reader", "its successor", "hook"])


class Story(RuleBasedStateMachine):
    """Three processes show what one host puts; each may die or stop at any step.

    Attributes:
        shown: how often each delivery was written, and whether it was marked.
        held: what each process has claimed and not yet recorded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.db = hot.connect(fresh.store(f"{self.folder.name}/attend.db"))
        self.bt = 1000.0
        self.boots = 1
        self.shown: dict[int, list[int]] = {}
        self.held: dict[str, list[tuple[int, int]]] = {}
        self.written: dict[str, list[int]] = {}

    def teardown(self) -> None:
        self.db.close()
        self.folder.cleanup()

    @property
    def boot(self) -> str:
        return f"boot-{self.boots}"

    @rule(lane=st.sampled_from(["event", "message"]))
    def put(self, lane: str) -> None:
        delivery = given.put_batch(
            self.db,
            attachment="a1",
            session="s1",
            lane=lane,
            text="x\n",
            correlation=str(len(self.shown)),
            wall=0.0,
            boot=self.boot,
            bt=self.bt,
        )
        self.shown[delivery] = []

    @rule(who=WHO, limit=st.integers(1, 3))
    def claim(self, who: str, limit: int) -> None:
        self.db.token = who
        taken = ledger.claim(self.db, "a1", "s1", self.boot, self.bt, limit)
        self.held[who] = [(at, again) for at, _, again in taken]
        self.written.pop(who, None)

    @rule(who=WHO)
    def write(self, who: str) -> None:
        """Check and write, with no pause between: a pause there is what a repeat is for."""
        self.db.token = who
        claims = self.held.pop(who, [])
        if claims and ledger.still_mine(
            self.db, [at for at, _ in claims], "a1", self.boot, self.bt
        ):
            for at, again in claims:
                self.shown[at].append(again)
            self.written[who] = [at for at, _ in claims]

    @rule(who=WHO)
    def record(self, who: str) -> None:
        self.db.token = who
        ledger.offered(self.db, self.written.pop(who, []), "monitor", 0.0, self.bt)

    @rule(who=WHO)
    def die(self, who: str) -> None:
        self.held.pop(who, None)
        self.written.pop(who, None)

    @rule(seconds=st.sampled_from([0.1, 5.0, 14.0, 16.0, 400.0, 700.0]))
    def wait(self, seconds: float) -> None:
        self.bt += seconds

    @rule()
    def restart_the_machine(self) -> None:
        self.boots += 1
        self.bt = 1.0
        self.held.clear()
        self.written.clear()

    @invariant()
    def nothing_is_shown_more_than_twice_or_twice_unmarked(self) -> None:
        for marks in self.shown.values():
            assert marks in ([], [0], [1], [0, 1])

    @invariant()
    def nothing_is_lost_without_a_reason(self) -> None:
        found = hot.read(self.db, "SELECT id, lane, state, reason FROM delivery")
        assert [at for at, _, _, _ in found] == list(self.shown)
        for at, lane, state, reason in found:
            if state == "offered":
                assert self.shown[at]
            elif reason == "stale":
                assert (lane, self.shown[at]) == ("event", [])
            else:
                assert (state, reason) in (
                    ("stored", ""),
                    ("claimed", ""),
                    ("expired", "unconfirmed"),
                )


TestStory = Story.TestCase
TestStory.settings = settings(max_examples=30, stateful_step_count=40, deadline=None)
