"""Who may have been meant, and what messages and sessions are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import ids, near, persona

words = st.text("abcä-1", max_size=8)


@given(words, words)
def test_the_distance_of_two_words_is_the_same_from_both_sides(one: str, other: str) -> None:
    found = near.distance(one, other)

    assert found == near.distance(other, one)
    assert (found == 0) == (one == other)
    assert abs(len(one) - len(other)) <= found <= max(len(one), len(other))


@given(words, words, st.integers(0, 8))
def test_one_change_is_one_step(one: str, other: str, at: int) -> None:
    at = min(at, len(one))

    assert near.distance(one, f"{one[:at]}x{one[at:]}") == 1


def test_two_neighbours_that_changed_places_are_one_step() -> None:
    assert near.distance("jnuo", "juno") == 1


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("jnuo", ["Juno"]),
        ("JUNO", ["Juno"]),
        ("jun", ["Juno"]),
        ("deplpy", ["deploy"]),
        ("dep", ["deploy"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_the_nearest_is_suggested(word: str, meant: list[str]) -> None:
    assert near.suggest(word, ["Juno", "Mara", "deploy"]) == meant


def test_of_words_that_begin_so_the_one_with_the_fewest_changes_is_first() -> None:
    assert near.suggest("gap", ["gap_growth", "gap_s"], 1) == ["gap_s"]


def test_an_id_is_eight_characters_that_are_not_mistaken_for_each_other() -> None:
    found = {ids.new_id() for _ in range(1000)}

    assert len(found) == 1000
    assert all(ids.is_id(each) and ids.clean(f"#{each.upper()}:") == each for each in found)
    assert not set("01ilo") & set("".join(found))


@pytest.mark.parametrize("text", ["", "k3f9", "k3f9q2xmm", "k3f9q2x0", "k3f9q2x\u0661"])
def test_what_is_no_id_is_none(text: str) -> None:
    assert ids.clean(text) == ""


def test_a_terminal_reads_for_the_person() -> None:
    assert ids.boxes("tty:1:2") == ("tty:1:2", "@user")
    assert ids.boxes("as:bob") == ("as:bob",)
    assert (ids.box_of("tty:1:2"), ids.box_of("as:bob")) == ("@user", "as:bob")


def test_sessions_of_one_place_share_a_name_and_differ_by_number() -> None:
    first = persona.name("/home/u/web/.git", 1)

    assert first in persona.NAMES
    assert persona.name("/home/u/web/.git", 2) == f"{first}-2"
    assert len({persona.name(f"/home/u/p{at}", 1) for at in range(500)}) > 100


def test_no_name_is_there_twice() -> None:
    assert len(set(persona.NAMES)) == len(persona.NAMES)
    assert all(name.isascii() and name.isalpha() for name in persona.NAMES)


@pytest.mark.parametrize(
    ("project", "place"),
    [
        ("/home/u/web/.git", "web"),
        ("/home/u/web", "web"),
        ("/srv/git/web.git", "web"),
        ("/home/u/日本", "日本"),
        ("/home/u/a b:c#d\n[x]", "a-b-c-d--x-"),
        ("bytes:2f686f6d652f77ff62", "w-b"),
        ("/" + "x" * 300, "x" * 32),
        ("", ""),
    ],
)
def test_a_place_is_a_word_that_ends_no_part_of_a_line(project: str, place: str) -> None:
    assert persona.place(project) == place
