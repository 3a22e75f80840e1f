"""Capture goes on where it had read to, whoever reads and however much there is."""

import sys
from pathlib import Path

import pytest

from attendd.harness.reading import LONGEST
from attendd.hot import db as hot
from attendd.hot import memory_place, memory_session
from attendd.hot.recall import Recall
from attendd.store import Store
from tests.store.test_capturing import Talk

MIB = 1024 * 1024


@pytest.fixture
def talk(store: Store, tmp_path: Path, home: Path) -> Talk:
    return Talk(store, tmp_path)


def read_to(talk: Talk) -> int:
    return talk.store.speakers.places("s1")[str(talk.path)].at


def test_all_that_was_said_while_no_host_ran_is_taken_once(talk: Talk) -> None:
    talk.says(talk.tag("said at first"))
    for _ in range(5):
        talk.hears("x" * MIB)
    talk.says(talk.tag("said at last"))

    talk.look()
    talk.look(talk.new_host())

    assert talk.facts() == ["said at first", "said at last"]
    assert [each.action for each in talk.store.facts.log(1)] == ["recorded"] * 2
    assert read_to(talk) == talk.path.stat().st_size


def test_a_host_goes_on_where_another_has_read_to(talk: Talk) -> None:
    """Who would read the first row once more would find another fact in it."""
    talk.says(talk.tag("said to the first") + "x" * 100)
    talk.look()
    said = talk.path.read_bytes()
    talk.path.write_bytes(said.replace(b"first", b"FIRST").replace(b"r1", b"r0"))

    talk.says(talk.tag("said to the second"))
    talk.look(talk.new_host())

    assert talk.facts() == ["said to the first", "said to the second"]


def test_a_fact_in_a_long_row_is_taken(talk: Talk) -> None:
    talk.says("x" * 3 * MIB + talk.tag("said after much"))

    talk.look()

    assert talk.facts() == ["said after much"]


def test_a_row_that_is_too_long_is_counted_and_told(talk: Talk) -> None:
    old = talk.nonce
    talk.says(talk.tag("said before it"))
    talk.hears("x" * (LONGEST + 1))
    talk.says("x" * LONGEST + talk.tag("too much"))
    talk.says(talk.tag("said after it"))
    noted: list[tuple[str, str]] = []
    host = talk.new_host(note=lambda *said: noted.append(said))

    talk.look(host)
    talk.look(talk.new_host())

    assert talk.facts() == ["said before it"]
    assert talk.refusals() == [
        "it stood in a row of the transcript of more than 4 MiB",
        "its tags had been seen by others, or in code, so they counted no more",
    ]
    said = f"{talk.path} holds a row of more than 4 MiB, so facts in it are not kept"
    assert noted == [("memory.passed-over", said)]
    assert talk.nonce != old, "nobody knows where it stood"


def test_a_row_that_its_client_never_finished_is_counted(talk: Talk) -> None:
    with talk.path.open("a") as file:
        file.write(f'{{"type":"assistant","uuid":"r0","message":"{talk.tag("half")}')
    talk.says(talk.tag("in the same line"))
    talk.says(talk.tag("said after it"))

    talk.look()

    assert talk.facts() == ["said after it"]
    assert talk.refusals() == ["it stood in a row of the transcript that can't be read"]


def test_an_answer_whose_row_is_not_as_known_is_counted(talk: Talk) -> None:
    """As after a change of the client."""
    talk.says(talk.tag("said in another form"), timestamp=1_796_032_800)

    talk.look()

    assert talk.facts() == []
    assert talk.refusals() == ["it stood in a row of the transcript that can't be read"]


def test_a_row_waits_until_it_is_complete(talk: Talk) -> None:
    talk.says(talk.tag("said slowly"))
    whole = talk.path.read_bytes()
    talk.path.write_bytes(whole[:-20])
    talk.look()
    assert talk.facts() == []

    with talk.path.open("ab") as file:
        file.write(whole[-20:])
    talk.look()

    assert talk.facts() == ["said slowly"]


@pytest.mark.parametrize("cut", [0, 1])
def test_a_transcript_that_was_cut_or_replaced_is_read_anew(talk: Talk, cut: int) -> None:
    talk.says(talk.tag("said before"))
    talk.says(talk.tag("said and cut"))
    talk.look()
    lines = talk.path.read_bytes().splitlines(keepends=True)
    talk.path.write_bytes(b"".join(lines[:cut]))
    talk.says(talk.tag("said after"))

    talk.look()

    assert talk.facts() == ["said after", "said and cut", "said before"]
    assert [each.action for each in talk.store.facts.log(1)] == ["recorded"] * 3


def test_what_was_said_while_memory_was_off_is_not_taken(talk: Talk) -> None:
    """Its rows are of ten o'clock and seconds."""

    def turn(db: hot.Connection, second: int, *, on: bool) -> None:
        wall = 1_796_032_800.0 + second  # 2026-11-30T10:00:00Z
        memory_place.configure(db, talk.project, wall, configured=on)

    talk.says(talk.tag("said before"))
    talk.look()
    talk.store.call(lambda db: turn(db, 1, on=False))
    talk.says(talk.tag("said while it was off"))
    talk.store.call(lambda db: turn(db, 3, on=True))
    talk.says(talk.tag("said after"))

    talk.look()

    assert talk.facts() == ["said after", "said before"]


def test_memory_that_was_turned_on_in_times_to_come_is_on(talk: Talk) -> None:
    """As where the clock was set back since."""
    talk.store.call(lambda db: db.execute("UPDATE memory_project SET enabled_at = 1e12"))
    talk.says(talk.tag("said now"))

    talk.look()

    assert talk.facts() == ["said now"]


def test_what_lies_before_a_session_was_taught_is_not_read(talk: Talk) -> None:
    talk.says("what was said for long before memory was turned on")
    here = talk.store.call(lambda db: memory_session.state(db, "s1"))
    assert here is not None
    taught = Recall(here, "prompt", "prompt", str(talk.path))
    taught.add_lesson("how to record facts")

    talk.store.call(taught.delivered)

    assert read_to(talk) == talk.path.stat().st_size


def test_what_was_found_before_the_nonce_was_seen_survives_the_host(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = talk.nonce
    talk.says(talk.tag("said before"))
    talk.hears(talk.tag("seen"))
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/false")
        talk.look()
        assert talk.nonce == old

    talk.look(talk.new_host())

    assert talk.facts() == ["said before"]
    assert talk.nonce != old


def test_what_is_said_in_tags_of_before_is_refused_and_counted(talk: Talk) -> None:
    tag = talk.tag("said too late")
    talk.hears(tag)
    talk.says(tag)
    talk.look()
    talk.says(tag)

    talk.look()
    talk.look(talk.new_host())

    assert talk.facts() == []
    (refused,) = talk.store.facts.log(talk.project)
    assert refused.changes["_count"] == 2


def test_what_was_taken_while_its_tags_counted_is_not_refused_afterwards(talk: Talk) -> None:
    talk.says(talk.tag("said in time"))
    talk.hears(talk.tag("seen"))
    talk.look()
    talk.store.call(lambda db: db.execute("DELETE FROM listened"))

    talk.look(talk.new_host())

    assert [each.action for each in talk.store.facts.log(talk.project)] == ["recorded"]


def test_what_a_subagent_was_returned_word_for_word_is_not_trusted(talk: Talk) -> None:
    side = talk.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    side.parent.mkdir(parents=True)
    more = {"isSidechain": True, "attributionAgent": "Explore"}
    found = [{"type": "tool_result", "content": "Deploy on friday."}]
    talk.row("user", found, side, **more)
    for _ in range(3):
        talk.row("user", "x" * MIB)
    talk.says(talk.tag("deploy on friday"), side, **more)

    talk.look()

    (only,) = talk.store.facts.all(talk.project, "active")
    assert only.fact.untrusted
