"""Any story of sends, deaths, pauses and restarts: each message shown, at most twice, none lost."""

import tempfile

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from attendd.hot import db as hot
from attendd.hot import digest, fate, letter, mail
from attendd.hot.letter import Letter
from attendd.hot.moment import Moment
from tests.store import fresh, given, mailing

WHO = st.sampled_from(["reader", "its successor", "hook"])


class Story(RuleBasedStateMachine):
    """Three processes show what others say; each may die or stop at any step.

    Attributes:
        shown: of each message, how often its text was written, and whether that was marked.
        pointed: the messages of which only the id or the number was written.
        held: what each process has claimed and not yet written.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.db = hot.connect(fresh.store(f"{self.folder.name}/attend.db"))
        given.enrol(self.db, "s1")
        given.enrol(self.db, "s2")
        self.bt = 1000.0
        self.boots = 1
        self.shown: dict[str, list[int]] = {}
        self.pointed: set[str] = set()
        self.held: dict[str, letter.Batch] = {}
        self.written: dict[str, letter.Batch] = {}

    def teardown(self) -> None:
        """However it went, a reader that lives shows all that is left, in time."""
        self.held.clear()
        self.written.clear()
        for _ in range(3 * len(self.shown) + 1):
            self.wait(16.0)
            self.claim("the last", fold=False)
            self.write("the last")
            self.record("the last")
        left = mail.waiting(self.db, ("s1",), self.now, "monitor")
        states = {row[1] for row in mailing.fates(self.db)}
        self.db.close()
        self.folder.cleanup()

        assert left == []
        assert states <= {"offered", "announced"}
        for message, marks in self.shown.items():
            assert marks or message in self.pointed

    @property
    def now(self) -> Moment:
        return Moment(self.bt, f"boot-{self.boots}", self.bt)

    @rule(count=st.integers(1, 4))
    def send(self, count: int) -> None:
        for _ in range(count):
            outcome = mailing.send(self.db, "s2", "--to", "s1", now=self.now)
            self.shown[outcome.id] = []

    @rule(who=WHO, fold=st.booleans())
    def claim(self, who: str, *, fold: bool) -> None:
        self.db.token = who
        found = mail.waiting(self.db, ("s1",), self.now, "monitor")
        if not found:
            return
        made = self.made(found, fold=fold)
        taken = mail.take(self.db, made.letters, "a1", self.now)
        if taken:
            self.held[who] = self.made(taken, fold=fold)
        self.written.pop(who, None)

    def made(self, letters: list[Letter], *, fold: bool) -> letter.Batch:
        return digest.make(letters, self.now) if fold else letter.batch(letters, self.now)

    @rule(who=WHO)
    def write(self, who: str) -> None:
        """Check and write, with no pause between: a pause there is what a repeat is for."""
        self.db.token = who
        made = self.held.pop(who, None)
        if made is None or not mail.mine(self.db, made.letters, "a1", self.now):
            return
        self.written[who] = made
        for each in made.letters:
            if made.announced:
                self.pointed.add(each.id)
            else:
                self.shown[each.id].append(each.repeats)

    @rule(who=WHO)
    def record(self, who: str) -> None:
        self.db.token = who
        made = self.written.pop(who, None)
        if made is not None:
            fate.record(self.db, made.letters, "monitor", self.now, made)

    @rule(who=WHO)
    def give_back(self, who: str) -> None:
        self.db.token = who
        made = self.held.pop(who, None)
        if made is not None:
            mail.release(self.db, made.letters, "a1")

    @rule(who=WHO)
    def die(self, who: str) -> None:
        self.held.pop(who, None)
        self.written.pop(who, None)

    @rule(who=WHO, fold=st.booleans(), seconds=st.sampled_from([14.0, 16.0]))
    def show_and_die(self, who: str, *, fold: bool, seconds: float) -> None:
        """Stand at the worst moment: written, and not recorded."""
        self.claim(who, fold=fold)
        self.write(who)
        self.die(who)
        self.wait(seconds)

    @rule(seconds=st.sampled_from([0.1, 5.0, 14.0, 16.0, 400.0]))
    def wait(self, seconds: float) -> None:
        self.bt += seconds

    @rule()
    def restart_the_machine(self) -> None:
        self.boots += 1
        self.bt = 1.0
        self.held.clear()
        self.written.clear()

    @invariant()
    def no_text_is_shown_more_than_twice_or_twice_unmarked(self) -> None:
        for marks in self.shown.values():
            assert marks in ([], [0], [1], [0, 1])


TestStory = Story.TestCase
TestStory.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
