"""What a session is told of its project's memory, and what is taken for told."""

import time
from pathlib import Path

import pytest

from attendd.hot import db as hot
from attendd.hot import (
    identity,
    memory_hiding,
    memory_session,
    memory_settings,
    nonces,
    recall,
)
from attendd.memory import change, ending
from attendd.memory.forget import forget
from attendd.memory.record import Said, refuse
from attendd.store import Store
from tests.store.given import WALL
from tests.store.recalling import Session, facts_in, learn, teaches
from tests.store.remembering import fact, joined


@pytest.fixture
def session(db: hot.Connection, tmp_path: Path) -> Session:
    return Session(db, tmp_path)


def test_a_session_is_taught_and_told_at_its_start(session: Session, store: Store) -> None:
    learn(store, "deploys are on friday")
    learn(store, "the database is called warehouse", producer="user")

    text = session.start()

    nonce = nonces.current(session.db, "s2")
    assert teaches(text)
    assert f"<attend:percept:{nonce}>" in text
    assert facts_in(text) == ["the database is called warehouse", "deploys are on friday"]


def test_nothing_stored_is_no_block_at_all(session: Session) -> None:
    text = session.start()

    assert teaches(text)
    assert "[Remembered facts]\n" not in text


def test_the_instruction_is_the_same_whatever_the_facts(session: Session, store: Store) -> None:
    first = session.start()
    learn(store, "deploys are on friday")
    again = session.start("compact")

    assert again.startswith(first)


def test_a_prompt_brings_facts_that_it_is_about(session: Session, store: Store) -> None:
    for text in ("deploys are on friday", "tests need a database"):
        learn(store, text, session="s3")
    session.start(arrives=True)
    session.db.execute("DELETE FROM injected")  # as if they had not been shown yet

    assert facts_in(session.prompt("how do deploys go?")) == ["deploys are on friday"]
    assert session.prompt("and deploys to production?") == ""
    assert session.prompt("hello") == ""


def test_what_others_found_meanwhile_comes_with_the_next_prompt(
    session: Session, store: Store
) -> None:
    session.start()
    learn(store, "deploys are on friday")

    assert facts_in(session.prompt("let us go on")) == ["deploys are on friday"]
    assert session.prompt("let us go on") == ""


def test_what_was_not_delivered_is_told_again(session: Session, store: Store) -> None:
    learn(store, "deploys are on friday")

    assert teaches(session.start(arrives=False))
    text = session.prompt(arrives=False)
    assert teaches(text)
    assert facts_in(text) == ["deploys are on friday"]
    assert session.prompt() == text
    assert session.prompt() == ""


def test_a_session_does_not_hear_its_own_echo(session: Session, store: Store) -> None:
    session.start()
    learn(store, "deploys are on friday", session="s2")

    assert session.prompt("when are deploys?") == ""


def test_what_it_said_itself_comes_back_once_it_has_lost_it(
    session: Session, store: Store
) -> None:
    session.start()
    learn(store, "deploys are on friday", session="s2")

    assert facts_in(session.start("compact")) == ["deploys are on friday"]


def test_what_its_subagents_and_its_person_said_is_no_echo(
    session: Session, store: Store
) -> None:
    session.start()
    learn(store, "deploys are on friday", session="s2", producer="subagent")
    learn(store, "tests need a database", session="s2", producer="user")

    assert len(facts_in(session.prompt("hello"))) == 2


def test_a_fact_for_oneself_is_told(db: hot.Connection, tmp_path: Path, store: Store) -> None:
    session = Session(db, tmp_path, consumers=["deploy", "#deploy"])
    session.db.execute("INSERT INTO membership VALUES ('deploy', 's2', 1.0)")
    session.start()
    learn(store, "deploys are on friday", session="s2", consumer="#deploy")
    learn(store, "tests need a database", session="s2", consumer="deploy")

    assert len(facts_in(session.prompt("hello"))) == 2


def test_a_fact_for_somebody_else_is_not_told(session: Session, store: Store) -> None:
    learn(store, "deploys are on friday", consumer="reviewer")

    assert facts_in(session.start()) == []
    assert session.prompt("when are deploys?") == ""


def test_what_was_superseded_is_not_told_again(session: Session, store: Store) -> None:
    learn(store, "use tabs in go files")
    learn(store, "do not use tabs in go files")

    assert facts_in(session.start()) == ["do not use tabs in go files"]


def test_a_correction_is_news(session: Session, store: Store) -> None:
    old = learn(store, "use tabs in go files")
    session.start()
    change.edit(store, fact(store, old), "use spaces in go files", time.time(), "user")

    assert facts_in(session.prompt("hello")) == ["use spaces in go files"]


def test_a_session_is_told_which_note_was_withdrawn(
    session: Session, store: Store, tmp_path: Path
) -> None:
    """Its words are gone, so it is named by its place."""
    said = [learn(store, f"{n}a {n}b", wall=WALL + n) for n in range(3)]
    session.start()
    forget(store, fact(store, said[1]), tmp_path, time.time(), "user")

    text = session.prompt("hello")
    assert "note 2 of block 1 was withdrawn" in text
    assert "1a" not in text
    assert session.prompt("hello") == ""


def test_who_never_saw_it_is_not_told(session: Session, store: Store, tmp_path: Path) -> None:
    session.start()
    said = learn(store, "deploys are on friday")
    forget(store, fact(store, said), tmp_path, time.time(), "user")

    assert session.prompt("hello") == ""


def test_a_session_that_began_before_memory_was_turned_on_is_taught_with_a_prompt(
    session: Session, store: Store
) -> None:
    learn(store, "tests need a database", producer="user")
    learn(store, "deploys are on friday")

    text = session.prompt("when are deploys?")
    assert teaches(text)
    assert facts_in(text) == ["deploys are on friday", "tests need a database"]


def test_what_was_shown_is_on_record(session: Session, store: Store) -> None:
    said = learn(store, "deploys are on friday")
    text = session.start()

    rows = hot.read(
        session.db, "SELECT session, conduit, reason, taught, tokens FROM injection"
    )
    assert rows == [("s2", "session-start", "startup", 1, len(text.encode()) // 4 + 1)]
    assert hot.read(session.db, "SELECT position, fact, used_at FROM injected") == [
        (1, said.fact, None)
    ]
    told = hot.read(session.db, "SELECT sensor, topic, conduit FROM telling")
    assert told == [("disclosure", "memory", "session-start")]


@pytest.mark.parametrize(
    ("show", "shown"),
    [
        ("off", ""),
        (
            "summary",
            "attend gave the session 1 remembered fact (`attend memory injected` lists them)",
        ),
        ("full", "attend gave the session 1 remembered fact:\n- deploys are on friday"),
    ],
)
def test_a_person_sees_as_much_of_it_as_is_set(
    db: hot.Connection, tmp_path: Path, store: Store, show: str, shown: str
) -> None:
    session = Session(db, tmp_path, show=show, hide_tags=False)
    learn(store, "deploys are on friday")
    here = memory_session.begin(db, "s2", session.project, time.time())
    found = recall.at_start(db, session.event(), here, session.settings)

    assert found is not None
    assert found.notice == shown


def test_a_person_is_told_once_how_tags_are_hidden(session: Session) -> None:
    def start(name: str, **settings: object) -> str:
        here = memory_session.begin(session.db, name, session.project, time.time())
        given = memory_settings.Settings(settings)
        found = recall.at_start(session.db, session.event(session_id=name), here, given)
        assert found is not None
        found.delivered(session.db)
        return found.notice

    assert start("s3", hide_tags=False) == start("s4", show="off") == ""
    assert memory_hiding.COMMAND in start("s5")
    assert start("s6") == ""


def test_a_person_is_told_once_what_went_wrong(session: Session) -> None:
    session.start()
    session.db.execute("UPDATE memory_session SET notice = '1 fact was refused: a secret'")
    found = recall.at_prompt(session.db, session.event(prompt="hello"), session.project)

    assert found is not None
    assert (found.text, found.notice) == ("", "1 fact was refused: a secret")
    found.delivered(session.db)
    assert recall.at_prompt(session.db, session.event(prompt="hello"), session.project) is None


def test_a_person_is_told_once_what_was_not_kept_and_never_its_words(
    session: Session, store: Store
) -> None:
    session.start()
    for number in range(3):
        said = Said(
            text="AKIA0123", project=session.project, session="s2", source=f"r/{number}"
        )
        refuse(store, said, "it looks like a secret", time.time())
    found = recall.at_prompt(session.db, session.event(prompt="hello"), session.project)

    assert found is not None
    assert found.notice == "attend did not keep 3 facts of this session: it looks like a secret"
    found.delivered(session.db)
    assert recall.at_prompt(session.db, session.event(prompt="hello"), session.project) is None


def test_a_person_is_told_once_what_was_put_away(
    db: hot.Connection, tmp_path: Path, store: Store
) -> None:
    session = Session(db, tmp_path)
    joined(store, "s1", place=identity.project_of(str(tmp_path)))
    for number in range(3):
        learn(store, f"{number}a {number}b", wall=WALL + number)
    ending.end_session(store, "s1", time.time(), kept=1)

    def notice(**settings: str) -> str:
        here = memory_session.begin(db, "s2", session.project, time.time())
        given = memory_settings.Settings(settings)
        found = recall.at_start(db, session.event(source="resume"), here, given)
        if found:
            found.delivered(db)
        return found.notice if found else ""

    assert "put facts away" not in notice(show="off")
    assert notice() == "attend put facts away: 2 archived (`attend memory list --all` has them)"
    assert notice() == ""
