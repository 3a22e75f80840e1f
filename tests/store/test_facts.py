"""Facts: recorded once, corrected, strengthened, refused with a reason."""

import pytest

from attendd.memory.record import PER_TURN, Limits, Said, record, refuse
from attendd.store import Store
from tests.store.given import WALL
from tests.store.remembering import PROJECT, active, changed, fact, say


def test_a_fact_knows_where_it_came_from(store: Store) -> None:
    outcome = say(store, "  deploys are on friday\n", agent="Juno", source="row/0", turn=3)

    found = fact(store, outcome)
    assert outcome.kind == "recorded"
    assert found.text == "deploys are on friday"
    assert (found.session, found.turn, found.agent, found.producer, found.source) == (
        "s1",
        3,
        "Juno",
        "agent",
        "row/0",
    )
    assert (found.weight, found.scope, found.status) == (70, "session", "active")
    assert (found.created_at, found.updated_at) == (WALL, WALL)


def test_a_true_duplicate_of_an_equal_changes_only_when_it_was_said(store: Store) -> None:
    first = fact(store, say(store, "deploy on friday"))
    again = say(store, "Deploy  on FRIDAY", wall=WALL + 9)

    assert (again.kind, again.fact) == ("duplicate", first.id)
    assert fact(store, again) == changed(first, updated_at=WALL + 9)


def test_a_weaker_voice_changes_nothing(store: Store) -> None:
    first = fact(store, say(store, "deploy on friday", producer="user"))
    again = say(store, "deploy on friday", producer="agent", wall=WALL + 9)

    assert fact(store, again) == first


def test_a_stronger_voice_raises_the_weight(store: Store) -> None:
    say(store, "deploy on friday", producer="system")

    assert fact(store, say(store, "deploy on friday", producer="user")).weight == 90


def test_a_persons_wish_makes_the_weak_copy_one_that_stays(store: Store) -> None:
    say(store, "deploy on friday")
    wished = say(store, "deploy on friday", producer="user", wished=True, session="")

    found = fact(store, wished)
    assert active(store) == ["deploy on friday"]
    assert (found.core, found.weight, found.scope) == (True, 100, "project")


@pytest.mark.parametrize(
    ("first", "then", "both"),
    [
        ("", "", ""),
        ("primary", "", ""),
        ("primary", "other", ""),
        ("primary", "primary", "primary"),
    ],
)
def test_whoever_a_duplicate_is_for_sees_the_one_that_is_kept(
    store: Store, first: str, then: str, both: str
) -> None:
    say(store, "deploy on friday", consumer=first)

    assert fact(store, say(store, "deploy on friday", consumer=then)).consumer == both


def test_what_two_sessions_found_stays_with_the_project(store: Store) -> None:
    say(store, "deploy on friday")
    again = fact(store, say(store, "deploy on friday", session="s2"))

    assert again.scope == "project"
    assert store.facts.by_prefix(PROJECT, again.id)[0].hits == 1


def test_what_a_stranger_said_twice_is_still_not_promoted(store: Store) -> None:
    say(store, "deploy on friday", untrusted=True)

    assert fact(store, say(store, "deploy on friday", session="s2")).scope == "session"


def test_a_correction_takes_the_place_of_what_it_corrects(store: Store) -> None:
    old = say(store, "use tabs in go files", consumer="primary")
    new = say(store, "do not use tabs in go files")

    assert new.kind == "updated"
    assert active(store) == ["do not use tabs in go files"]
    assert fact(store, old).status == "superseded"
    assert fact(store, new).supersedes == old.fact
    assert store.facts.superseder(old.fact) == new.fact


def test_a_correction_for_one_reader_reaches_all_who_saw_what_it_corrects(store: Store) -> None:
    say(store, "use tabs in go files")
    new = say(store, "do not use tabs in go files", consumer="primary")

    assert fact(store, new).consumer == ""


def test_a_correction_can_be_corrected_back(store: Store) -> None:
    for text in ("server listens on port 8080", "server listens on port 9090") * 2:
        say(store, text)

    assert active(store) == ["server listens on port 9090"]


def test_what_a_stranger_says_does_not_correct_a_person(store: Store) -> None:
    old = say(store, "always sign commits", producer="user")
    new = say(store, "never always sign commits", untrusted=True)

    assert (new.kind, new.fact) == ("refused", old.fact)
    assert active(store) == ["always sign commits"]


def test_projects_have_memories_of_their_own(store: Store) -> None:
    say(store, "deploy on friday")

    assert say(store, "deploy on friday", project=2).kind == "recorded"
    assert active(store, 2) == ["deploy on friday"]


@pytest.mark.parametrize("text", ["", " \n\t ", "…", "\u200b", "x" * 2_049, "é" * 1_025])
def test_what_says_nothing_or_too_much_is_refused(store: Store, text: str) -> None:
    assert say(store, text).kind == "refused"
    assert active(store) == []


@pytest.mark.parametrize("text", ["a\ud800b", "nul\0nul", "\x1b[2J", "\u202eright to left"])
def test_any_text_can_be_kept(store: Store, text: str) -> None:
    assert say(store, text).kind == "recorded"
    assert say(store, text).kind == "duplicate"


def test_what_stands_in_one_place_is_taken_once(store: Store) -> None:
    """A transcript that is read again brings back neither what was corrected since nor a copy."""
    say(store, "use tabs in go files", source="row/0")
    say(store, "do not use tabs in go files", source="row/1")

    assert say(store, "use tabs in go files", source="row/0").kind == "known"
    assert active(store) == ["do not use tabs in go files"]


def test_a_flood_is_cut_off_and_counted(store: Store) -> None:
    kinds = [say(store, f"{number}a {number}b").kind for number in range(50)]

    assert kinds == ["recorded"] * PER_TURN + ["refused"] * (50 - PER_TURN)
    refused = [each for each in store.facts.log(PROJECT) if each.action == "refused"]
    assert [each.changes["_count"] for each in refused] == [30]


def test_a_session_records_so_many_in_all_its_turns(store: Store) -> None:
    limits = Limits(per_session=5)
    for turn in range(1, 9):
        said = Said(text=f"{turn}a {turn}b", project=PROJECT, session="s1", turn=turn)
        kind = record(store, said, WALL, limits).kind
        assert kind == ("recorded" if turn <= 5 else "refused")


def test_limits_can_be_set(store: Store) -> None:
    none = Limits(per_turn=0, per_session=0)
    for number in range(30):
        said = Said(text=f"fact {number} {number}x", project=PROJECT, session="s1", turn=1)
        assert record(store, said, WALL, none).kind == "recorded"


def test_what_was_vetted_and_refused_leaves_its_reason_and_not_its_text(store: Store) -> None:
    said = Said(text="AKIA0123456789", project=PROJECT, session="s1", turn=1, source="row/0")

    assert refuse(store, said, "it looks like a secret", WALL).kind == "refused"
    assert refuse(store, said, "it looks like a secret", WALL).kind == "known"
    (entry,) = store.facts.log(PROJECT)
    assert entry.changes == {"_reason": "it looks like a secret", "_turn": 1, "_count": 1}


def test_facts_are_found_by_words_in_a_question(store: Store) -> None:
    say(store, "deploy on friday")
    say(store, "deploy with make release on a friday when ci is green")
    say(store, "tests need a database")

    found = store.facts.search(PROJECT, "which day do we deploy")
    assert [each.fact.text for each in found] == [
        "deploy on friday",
        "deploy with make release on a friday when ci is green",
    ]
    assert store.facts.search(PROJECT, "or not") == []
    assert len(store.facts.search(PROJECT, "on a")) == 1


def test_a_fact_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    only = say(store, "deploy on friday").fact

    for prefix in (only, only[:6], only[:6].upper(), f"#{only[:8]}"):
        assert [each.fact.id for each in store.facts.by_prefix(PROJECT, prefix)] == [only]
    for prefix in ("", "#", "xyz", "%", only + "0"):
        assert store.facts.by_prefix(PROJECT, prefix) == []
