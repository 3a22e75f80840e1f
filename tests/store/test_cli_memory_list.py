"""`attend memory list`: which facts, and what is said of them."""

import re

from tests.store.test_cli_memory import FACT, Memory, memory

__all__ = ["memory"]


def test_what_is_listed_shows_where_it_came_from_and_for_whom(memory: Memory) -> None:
    fact = memory.learn(FACT)
    shown = memory.says("show", fact)

    for part in (fact, FACT, "a person (attend memory learn)", "everybody", "1.00"):
        assert part in shown
    assert "was recorded" in shown
    assert re.search(r"FOR +FROM", memory.says("list"))


def test_a_question_finds_what_is_about_it(memory: Memory) -> None:
    memory.learn(FACT)
    memory.learn("tests need a database")

    assert memory.texts("which", "day", "do", "deploys", "happen") == [FACT]
    assert "no fact is about that" in memory.says("list", "nothing")


def test_facts_are_listed_by_who_said_them_for_whom_and_how_much_they_weigh(
    memory: Memory,
) -> None:
    memory.learn(FACT)
    memory.learn("tests need a database")
    memory.change(
        "UPDATE fact SET consumer = 'juno', weight = 70, producer = 'agent', session = 's-1742'"
        " WHERE text LIKE 'tests%'"
    )

    for option, value in (("--for", "juno"), ("--from", "agent"), ("--from", "s-17")):
        assert memory.texts(option, value) == ["tests need a database"]
    assert memory.texts("--weight", "0.71") == memory.texts("--from=user") == [FACT]
    assert "no fact is like that" in memory.says("list", "--for", "nobody")
    assert "'much' is no weight" in memory.fails("list", "--weight", "much")


def test_a_question_is_also_asked_of_what_is_not_shown_any_more(memory: Memory) -> None:
    memory.learn(FACT)
    memory.change("UPDATE fact SET status = 'archived'")

    assert memory.texts("friday") == []
    assert memory.texts("friday", "--all") == memory.texts("friday", "--archived") == [FACT]
