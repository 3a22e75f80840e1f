"""Whatever happens to facts, their log adds up to them, and the index finds the active ones."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from attendd.errors import AttendError
from attendd.hot import db as hot
from attendd.memory import change
from attendd.memory.ending import end_session
from attendd.memory.forget import forget
from attendd.store import Store
from attendd.store.fact_rows import Fact
from tests.store import fresh
from tests.store.given import WALL
from tests.store.remembering import PROJECT, differences, joined, say

TEXTS = st.sampled_from(
    ["use tabs", "do not use tabs", "use tabs not spaces", "use spaces not tabs", "deploy friday",
     "port 80 is open", "port 81 is open", "部署在周五", "x" * 1_500, "<b>\"\\\n[x]"]
)  # fmt: skip
WHO = st.sampled_from(["s1", "s2", "s3"])
STATUSES = ("active", "superseded", "pruned", "archived", "undone", "forgotten")


class Memory(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = Store(fresh.store(f"{self.folder.name}/attend.db"))
        self.wall = WALL
        for session in ("s1", "s2", "s3"):
            joined(self.store, session)

    def now(self) -> float:
        self.wall += 1
        return self.wall

    @property
    def facts(self) -> list[Fact]:
        return [each.fact for each in self.store.facts.all(PROJECT, *STATUSES)]

    def pick(self, data: st.DataObject) -> Fact:
        return data.draw(st.sampled_from(sorted(self.facts, key=lambda fact: fact.created_at)))

    @rule(
        text=TEXTS,
        session=WHO,
        producer=st.sampled_from(["user", "agent", "system"]),
        consumer=st.sampled_from(["", "primary", "@goal"]),
        flags=st.tuples(st.booleans(), st.booleans()),
    )
    def says(
        self, text: str, session: str, producer: str, consumer: str, flags: tuple[bool, bool]
    ) -> None:
        wished, untrusted = flags
        more = {"wished": wished, "untrusted": untrusted, "producer": producer}
        say(self.store, text, session=session, consumer=consumer, wall=self.now(), **more)

    @rule(session=WHO)
    def ends(self, session: str) -> None:
        end_session(self.store, session, self.now(), kept=3, after=2)

    @rule(session=WHO)
    def goes_on(self, session: str) -> None:
        joined(self.store, session)

    @precondition(lambda self: self.facts)
    @rule(data=st.data(), action=st.sampled_from([change.pin, change.demote]))
    def is_moved(self, data: st.DataObject, action: object) -> None:
        fact = self.pick(data)
        if fact.status != "forgotten":
            action(self.store, fact, self.now(), "user")  # type: ignore[operator]

    @precondition(lambda self: self.facts)
    @rule(data=st.data(), text=TEXTS)
    def is_edited(self, data: st.DataObject, text: str) -> None:
        fact = self.pick(data)
        if fact.status != "forgotten":
            change.edit(self.store, fact, text, self.now(), "user")

    @precondition(lambda self: self.facts)
    @rule(data=st.data())
    def is_forgotten(self, data: st.DataObject) -> None:
        fact = self.pick(data)
        forget(self.store, fact, Path(self.folder.name), self.now(), "user")

    @rule()
    def is_taken_back(self) -> None:
        last = change.last_change(self.store.facts.log(PROJECT))
        with contextlib.suppress(AttendError):  # it was forgotten since
            if last is not None:
                change.undo(self.store, last, self.now(), "user")

    @invariant()
    def the_log_adds_up_to_what_there_is(self) -> None:
        assert differences(self.store) == {}

    @invariant()
    def what_is_forgotten_has_no_text(self) -> None:
        assert all(bool(fact.text) == (fact.status != "forgotten") for fact in self.facts)

    @invariant()
    def what_a_person_wished_for_weighs_most(self) -> None:
        assert all(fact.weight == 100 for fact in self.facts if fact.core)

    def teardown(self) -> None:
        for damage in (
            "DELETE FROM fact",
            "DELETE FROM fact_term",
            "UPDATE fact_hit SET at = 0",
        ):
            self.store.call(lambda db, sql=damage: hot.write(db, lambda db: db.execute(sql)))  # type: ignore[misc]
        self.store.facts.audit(rebuild=True)
        assert differences(self.store) == {}
        self.store.close()
        self.folder.cleanup()


Memory.TestCase.settings = settings(max_examples=12, stateful_step_count=30, deadline=None)
test_a_story_of_facts = Memory.TestCase
