"""The end of a session: reckoned with once, however often it is noticed."""

from attendd.memory.change import pin
from attendd.memory.ending import end_session
from attendd.store import Store
from tests.store.given import WALL
from tests.store.remembering import PROJECT, active, fact, joined, say


def changes(store: Store) -> list[str]:
    """Return what was done to facts, the first first."""
    return [each.action for each in store.facts.log(PROJECT)]


def test_ten_turns_fade_nothing_and_the_end_fades_once(store: Store) -> None:
    joined(store)
    said = [say(store, f"{turn}a {turn}b", turn=turn) for turn in range(10)]
    assert {fact(store, each).weight for each in said} == {70}

    for later in (1, 2):
        end_session(store, "s1", WALL + later)
        assert {fact(store, each).weight for each in said} == {60}


def test_a_session_that_was_resumed_ends_once_more(store: Store) -> None:
    joined(store)
    said = say(store, "deploy on friday")
    weights = []
    for _ in range(6):
        end_session(store, "s1", WALL)
        weights.append(fact(store, said).weight)
        joined(store)

    assert weights == [60, 50, 40, 30, 20, 20]
    assert fact(store, said).status == "pruned"


def test_a_session_without_memory_has_no_end(store: Store) -> None:
    joined(store)
    said = say(store, "deploy on friday")
    end_session(store, "s9", WALL)

    assert fact(store, said).weight == 70


def test_what_a_person_said_stays_after_the_first_end(store: Store) -> None:
    joined(store)
    said = say(store, "deploy on friday", producer="user")

    end_session(store, "s1", WALL)

    assert changes(store)[-1] == "promoted"
    assert (fact(store, said).scope, fact(store, said).weight) == ("project", 80)


def test_only_what_the_session_recorded_fades(store: Store) -> None:
    joined(store)
    joined(store, "s2")
    other = say(store, "deploy on friday", session="s2")
    end_session(store, "s1", WALL)

    assert fact(store, other).weight == 70


def test_what_thirty_sessions_had_no_use_for_is_archived_and_can_be_had_back(
    store: Store,
) -> None:
    joined(store, "s0")
    said = say(store, "deploy on friday", producer="user", session="s0")
    for number in range(31):
        joined(store, f"t{number}", wall=WALL + 10 + number)
        end_session(store, f"t{number}", WALL + 10.5 + number)
        assert changes(store).count("archived") == int(number >= 29), number

    found = fact(store, said)
    assert (found.status, active(store)) == ("archived", [])
    assert [each.fact for each in store.facts.all(PROJECT, "archived")] == [found]
    assert pin(store, found, WALL + 99, "user").status == "active"


def test_what_was_of_use_stays(store: Store) -> None:
    joined(store, "s0")
    say(store, "deploy on friday", session="s0")
    for number in range(60):
        joined(store, f"t{number}", wall=WALL + 10 + number)
        say(store, "deploy on friday", session=f"t{number}", wall=WALL + 10.2 + number)
        end_session(store, f"t{number}", WALL + 10.5 + number)

    assert active(store) == ["deploy on friday"]


def test_a_project_keeps_so_many_facts_and_all_that_a_person_wished_for(store: Store) -> None:
    joined(store)
    for number in range(6):
        say(store, f"{number}a {number}b", wall=WALL + number)
    say(store, "deploy on friday", producer="user", wished=True)

    end_session(store, "s1", WALL + 9, kept=4)

    assert [changes(store).count(each) for each in ("faded", "archived")] == [6, 2]
    assert active(store) == ["deploy on friday", "5a 5b", "4a 4b", "3a 3b", "2a 2b"]
    assert "no room" in {each.changes.get("_why") for each in store.facts.log(PROJECT)}
