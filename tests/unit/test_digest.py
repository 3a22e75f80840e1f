"""One line for many messages: it names the first and the last, and is known again by them."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness import delivered
from attendd.hot import digest, frame, letter
from attendd.hot.letter import Letter
from tests.unit.proving import notification
from tests.unit.test_letter import HEADER, NOW, a_letter, is_framed, letters, several


@given(st.lists(letters, min_size=1, max_size=40))
def test_a_digest_is_one_short_text_that_is_known_again(waiting: list[Letter]) -> None:
    made = digest.make(waiting, NOW)
    lines = made.text.removesuffix("\n").split("\n")

    assert is_framed(lines)
    assert letter.size(lines) <= 2 * frame.LINE_UNITS
    assert (made.letters, made.announced) == (waiting, True)
    assert not any(map(letter.id_of, lines))
    assert digest.key_of(lines[0]) == made.digest == digest.key(waiting[0].id, waiting[-1].id)
    assert not any(map(digest.key_of, lines[1:]))


def test_it_counts_by_author_and_tells_how_old_the_oldest_is() -> None:
    waiting = [
        *several("a", "b", created_bt=700.0),
        a_letter(id="c3d4e5f6", author_name="Kiro", place="api", kind="open"),
    ]

    assert digest.make(waiting, NOW).text == (
        f"{HEADER} 3 messages wait (#k3f9q2xm to #c3d4e5f6), the oldest for 5 min:"
        " 2 from Juno (web), 1 from Kiro (api); `attend inbox` lists them\n"
    )


def test_one_alone_is_spoken_of_as_one() -> None:
    made = digest.make([a_letter(repeats=1)], NOW)

    assert made.text == (
        f"{HEADER} (again) 1 message waits (#k3f9q2xm): 1 from Juno (web); `attend inbox` lists it\n"
    )
    assert digest.key_of(made.text) == "k3f9q2xm-k3f9q2xm"


def test_of_many_authors_it_names_the_busiest() -> None:
    waiting = [
        a_letter(author_name=f"N{at}", place="") for at in range(9) for _ in range(at + 1)
    ]

    assert "9 from N8, 8 from N7, 7 from N6, 21 from others;" in digest.make(waiting, NOW).text


def test_the_longest_names_leave_a_line_within_its_limits() -> None:
    names = {"author_kind": "declared", "author_name": "n" * 99, "place": "p" * 99}
    waiting = [a_letter(**names | {"author_name": f"{at}{'n' * 99}"}) for at in range(4)]

    lines = digest.make(waiting * 2_500, NOW).text.removesuffix("\n").split("\n")

    assert all(frame.units(line) <= frame.LINE_UNITS for line in lines)
    assert len(lines) == 2
    assert digest.key_of(lines[0])


@pytest.mark.parametrize("said", [notification, lambda text: text], ids=["event", "context"])
def test_what_was_delivered_is_known_by_it(said: object) -> None:
    assert callable(said)
    made = digest.make(several("a", "b"), NOW)
    text = f"{made.text}{HEADER} message from Juno (web) #zzzz9999: hello\n"

    assert delivered.ids(said(text)) == (made.digest, "zzzz9999")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "2 messages wait (#k3f9q2xm to #a2b3c4d5): 2 from Juno",
        f"| {HEADER} 2 messages wait (#k3f9q2xm to #a2b3c4d5): 2 from Juno",
        f"{HEADER} message from Ana #zzzz9999: 2 messages wait (#k3f9q2xm to #a2b3c4d5): 2",
        f"{HEADER} message from 2 messages wait (#k3f9q2xm to #a2b3c4d5): 2 from Juno",
        f"{HEADER} no messages wait (#k3f9q2xm to #a2b3c4d5): 2 from Juno",
        f"{HEADER} 2 messages wait (#k3f9q2xm to #nobody): 2 from Juno",
        f"{HEADER} 2 messages wait: 2 from Juno (#k3f9q2xm to #a2b3c4d5)",
        html.escape("[attend sensor=git priority=high] 2 messages wait (#k3f9q2xm)"),
    ],
)
def test_no_other_line_is_taken_for_one(line: str) -> None:
    assert digest.key_of(line) == ""
