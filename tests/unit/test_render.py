"""A batch is whole lines of which a client cuts nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.batch import Batch, Line
from attendd.engine.render import block, render, units
from attendd.engine.settings import EngineSettings
from attendd.model import Lane, Observation, Priority
from tests.unit.attending import Session, books, fits, message, utf16
from tests.unit.odd_text import texts

long_texts = st.one_of(texts, texts.map(lambda text: text * 40), texts.map("\n".join))
all_lines = st.builds(
    Line,
    slot=st.sampled_from(["git", "peers", "odd] name", "n" * 80]),
    priority=st.sampled_from(Priority),
    text=long_texts,
    lane=st.sampled_from(Lane),
    count=st.sampled_from([1, 2, 4_096]),
)


def one(text: str, *, lane: Lane = Lane.EVENT, count: int = 1) -> list[str]:
    return block(Line(slot="git", priority=Priority.HIGH, text=text, lane=lane, count=count))


@given(all_lines)
def test_any_line_fits_a_batch_of_its_own(line: Line) -> None:
    text = render(Batch(lines=(line,), lane=line.lane))

    fits(text)
    assert text.count("[attend sensor=") == 1
    assert utf16(text) == units(line)


def test_an_event_is_one_line_and_cut_where_it_is_too_long() -> None:
    assert one("branch switched to x") == [
        "[attend sensor=git priority=high] branch switched to x"
    ]
    (line,) = one("ä" * 2_000)

    assert utf16(line) == 480
    assert line.endswith("ä…")


def test_equal_events_are_one_line_with_a_count() -> None:
    assert one("tree dirty", count=3) == [
        "[attend sensor=git priority=high] tree dirty (\u00d73)"
    ]
    (line,) = one("ä" * 2_000, count=12)

    assert utf16(line) == 480
    assert line.endswith("ä… (\u00d712)")


def test_several_lines_stay_several_up_to_a_number() -> None:
    assert one("# Title\n- one\n- two", count=2) == [
        "[attend sensor=git priority=high] # Title",
        "| - one",
        "| - two",
    ]
    assert len(one("\n".join("abcdefghijklmnopqrstuvwxyz"))) == 16
    assert one("\n".join("abcdefghijklmnopqrstuvwxyz"))[-1] == "| …"


def test_a_message_goes_on_in_continuations() -> None:
    words = "word " * 300
    lines = one(words, lane=Lane.MESSAGE)

    assert len(lines) == 4
    assert "".join(line.removeprefix("| ") for line in lines).count("word") == 300
    assert one("again and again", lane=Lane.MESSAGE, count=2)[0].endswith("again (\u00d72)")


def test_a_message_longer_than_a_batch_shows_that_there_is_more() -> None:
    lines = one("x" * 9_000, lane=Lane.MESSAGE)

    assert lines[-1] == "| …"
    assert sum(utf16(line) + 1 for line in lines) > 2_300


@pytest.mark.parametrize("awake", [True, False])
@given(
    news=st.lists(st.tuples(long_texts, st.sampled_from(Lane), st.floats(0, 10)), max_size=40)
)
def test_what_does_not_fit_goes_with_the_next_batch(
    awake: bool,  # noqa: FBT001 - a parameter of the test
    news: list[tuple[str, Lane, float]],
) -> None:
    session = Session("git", "peers")
    session.mood = type(session.mood)(awake=awake)
    for at, (text, lane, magnitude) in enumerate(news):
        session.see(
            ("git", "peers")[at % 2], Observation(text=text, lane=lane, magnitude=magnitude)
        )
    session.settled()

    books(session)
    told = {n for _, batch in session.told for line in batch.lines for n in line.items}
    written = {n for n, (_, lane, _) in enumerate(news, start=1) if lane is Lane.MESSAGE}
    merged = {each.item for each in session.decisions if each.code == "merged"}
    assert written <= told | merged


def test_a_burst_of_long_messages_takes_as_many_batches_as_it_needs() -> None:
    session = Session("peers")
    session.see("peers", *(message(f"{n} " + "x" * 1_200) for n in range(5)))
    assert session.held("peers") == "held.room"

    session.settled()

    assert [text[0] for text in session.texts()] == list("01234")
    assert [at for at, _ in session.told] == [0, 3, 6]
    books(session)


def test_lines_and_batches_have_the_room_that_is_set() -> None:
    settings = EngineSettings()
    small = type(settings.lines)(line_units=200, batch_units=600)
    line = Line(slot="git", priority=Priority.LOW, text="x" * 900, lane=Lane.MESSAGE)
    lines = block(line, small)

    assert all(utf16(each) <= 200 for each in lines)
    assert sum(utf16(each) + 1 for each in lines) <= 600
