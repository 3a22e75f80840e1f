"""Whom a message is for: found once, at send, among those who were enrolled."""

import pytest

from attendd.hot import db as hot
from attendd.hot import ledger, persona
from attendd.hot.address import RecipientError
from tests.store import given, mailing
from tests.store.mailing import boxes, join, later, send

DAY = 24 * 3600.0


@pytest.fixture
def office(db: hot.Connection) -> hot.Connection:
    """Have s1 and s2 in /w, s3 in /elsewhere, all of them read for; s0 in /w, long gone."""
    given.enrol(db, "s2")
    given.attach(db, "a2", "s2")
    given.enrol(db, "s3", workdir="/elsewhere")
    given.attach(db, "a3", "s3")
    given.enrol(db, "s0")
    db.execute("UPDATE session SET seen_at = ? WHERE id = 's0'", (given.WALL - 2 * DAY,))
    return db


def refused(db: hot.Connection, sender: str, *words: str) -> tuple[str, str]:
    with pytest.raises(RecipientError) as caught:
        send(db, sender, *words)
    assert hot.read(db, "SELECT count(*) FROM message") == [(0,)]
    assert caught.value.exit_code == 1
    return caught.value.args[0], caught.value.hint


def named(db: hot.Connection, session: str) -> str:
    found = hot.read(db, "SELECT origin, instance FROM session WHERE id = ?", (session,))[0]
    return persona.name(*found)


def test_nobody_named_is_everybody_else_in_the_project(office: hot.Connection) -> None:
    assert boxes(send(office, "s1")) == ["s2"]
    assert boxes(send(office, "nobody-enrolled")) == ["s1", "s2"]


def test_a_days_silence_takes_a_session_out_of_its_groups(office: hot.Connection) -> None:
    """Unless somebody reads for it; one that ended within the day can come back."""
    ledger.detach(office, "a2", 100, "client ended", given.WALL)

    assert boxes(send(office, "s1", now=later(3600))) == ["s2"]
    with pytest.raises(RecipientError, match="nobody else is attended in w"):
        send(office, "s1", now=later(DAY + 1))
    assert boxes(send(office, "s2", now=later(DAY + 1))) == ["s1"]


def test_nobody_there_is_an_error_that_names_who_is_elsewhere(office: hot.Connection) -> None:
    said, hint = refused(office, "s3")

    assert said == "nobody else is attended in elsewhere"
    assert named(office, "s1") in hint
    assert named(office, "s2") in hint


def test_broadcast_is_every_attended_session_but_ones_own(office: hot.Connection) -> None:
    assert boxes(send(office, "s1", "--broadcast")) == ["s2", "s3"]


@pytest.mark.parametrize("end", ["client ended", "the reader is gone"])
def test_broadcast_leaves_out_whom_nobody_reads_for(office: hot.Connection, end: str) -> None:
    ledger.detach(office, "a3", 100, end, given.WALL)

    assert boxes(send(office, "s1", "--broadcast")) == ["s2"]


def test_broadcast_reaches_clients_without_monitors(office: hot.Connection) -> None:
    """Their hooks are the only reader they have."""
    given.enrol(office, "s4", workdir="/hooks")

    assert "s4" in boxes(send(office, "s1", "--broadcast"))


@pytest.mark.parametrize("who", ["s2", "/w"])
def test_a_session_and_its_project_can_be_named(office: hot.Connection, who: str) -> None:
    assert boxes(send(office, "s1", "--to", who)) == ["s2"]


def test_a_name_is_enough_in_any_case(office: hot.Connection) -> None:
    name = named(office, "s2")

    for who in (name, name.lower(), f"@{name.upper()}"):
        assert boxes(send(office, "s1", "--to", who)) == ["s2"]
    assert name.endswith("-2")


def test_four_characters_of_an_id_are_enough_if_they_are_one_sessions(
    db: hot.Connection,
) -> None:
    for session in ("aaaa1111-x", "aaaa2222-x", "bbbb1111-x"):
        given.enrol(db, session)

    assert boxes(send(db, "s1", "--to", "bbbb")) == ["bbbb1111-x"]
    with pytest.raises(RecipientError, match="'aaaa' could be any of 2 sessions") as caught:
        send(db, "s1", "--to", "aaaa")
    assert "aaaa1111-x" in caught.value.hint
    assert "aaaa2222-x" in caught.value.hint
    with pytest.raises(RecipientError, match="no session is known as 'bbb'"):
        send(db, "s1", "--to", "bbb")


def test_a_chosen_name_is_meant_whole(db: hot.Connection) -> None:
    """What stands before it is no part of an id, so it does not count towards the four."""
    for session in ("as:bob", "as:roberta", "tty:7"):
        given.enrol(db, session)
    db.execute("UPDATE session SET declared = 1, name = substr(id, 4) WHERE id LIKE 'as:%'")

    assert boxes(send(db, "s1", "--to", "as:bob")) == ["as:bob"]
    assert boxes(send(db, "s1", "--to", "Bob")) == ["as:bob"]
    for who in ("as:b", "as:bo", "as:ro", "as:robert", "robe", "tty:", "tty:7x"):
        with pytest.raises(RecipientError, match=f"no session is known as '{who}'"):
            send(db, "s1", "--to", who)


def test_a_name_that_two_go_by_is_refused_with_their_ids(office: hot.Connection) -> None:
    office.execute("UPDATE session SET name = 'bob', declared = 1 WHERE id IN ('s2', 's3')")

    said, hint = refused(office, "s1", "--to", "bob")

    assert said == "'bob' could be any of 2 sessions"
    assert "s2 bob" in hint
    assert "s3 bob" in hint


@pytest.mark.parametrize("who", ["s9", "nobody", "\x1b[2J", "x" * 300, "s2\u202e", "\udcff"])
def test_an_unknown_recipient_is_never_a_success(office: hot.Connection, who: str) -> None:
    said, hint = refused(office, "s1", "--to", "s2", "--to", who)

    assert said.isprintable()
    assert len(said) < 120
    assert hint


def test_a_mistyped_name_is_suggested(office: hot.Connection) -> None:
    office.execute("UPDATE session SET name = 'reviewer', declared = 1 WHERE id = 's3'")

    _, hint = refused(office, "s1", "--to", "reveiwer")

    assert hint == "did you mean reviewer (elsewhere)? --to reviewer"


def test_several_names_in_one_are_taken_apart(office: hot.Connection) -> None:
    _, hint = refused(office, "s1", "--to", "juno,ann")

    assert hint == "one name at a time: --to juno --to ann"


def test_the_name_of_a_place_tells_who_is_there(office: hot.Connection) -> None:
    _, hint = refused(office, "s1", "--to", "elsewhere")

    name = named(office, "s3")
    assert hint == f"in elsewhere there is {name} (elsewhere); --to {name}"


@pytest.mark.parametrize("who", ["s1", "s1-itself"])
def test_a_session_does_not_write_to_itself(office: hot.Connection, who: str) -> None:
    given.enrol(office, "s1-itself")

    said, _ = refused(office, who, "--to", who)

    assert said == f"{who!r} is this session itself"


@pytest.mark.parametrize("who", ["@user", "@human"])
def test_the_person_can_always_be_written_to(db: hot.Connection, who: str) -> None:
    assert boxes(send(db, "s1", "--to", who)) == ["@user"]


def test_a_terminal_is_the_persons_and_gets_a_message_once(db: hot.Connection) -> None:
    for session in ("tty:1:1", "tty:2:2"):
        given.enrol(db, session)
        given.attach(db, f"a-{session}", session)

    assert boxes(send(db, "s1")) == ["@user"]
    assert boxes(send(db, "s1", "--to", "tty:1:1", "--to", "@user")) == ["@user"]


def test_who_went_on_under_another_id_is_followed(office: hot.Connection) -> None:
    given.enrol(office, "s2b")
    ledger.move_session(office, "a2", "s2", "s2b", given.WALL)
    ledger.move_session(office, "a2", "s2b", "s2c", given.WALL)

    assert boxes(send(office, "s1", "--to", "s2")) == ["s2c"]
    assert boxes(send(office, "s1")) == ["s2c"]
    assert hot.read(office, "SELECT meant FROM delivery ORDER BY id") == [("s2",), ("",)]


def test_a_circle_of_successors_ends(office: hot.Connection) -> None:
    office.execute("UPDATE session SET successor = 's3' WHERE id = 's2'")
    office.execute("UPDATE session SET successor = 's2' WHERE id = 's3'")

    said, _ = refused(office, "s1", "--to", "s2")

    assert "not attended" in said


def test_a_channel_is_who_joined_it(office: hot.Connection) -> None:
    join(office, "s1", "deploy")
    join(office, "s3", "deploy")

    assert boxes(send(office, "s1", "--channel", "Deploy")) == ["s3"]
    assert boxes(send(office, "s2", "--to", "#deploy")) == ["s1", "s3"]
    assert boxes(send(office, "s1")) == ["s2", "s3"], "the project, and the channels one is in"


def test_who_joins_a_channel_late_is_not_shown_its_history(office: hot.Connection) -> None:
    join(office, "s1", "deploy")
    join(office, "s3", "deploy")
    send(office, "s3", "--channel", "deploy")
    send(office, "s1", "--channel", "deploy")

    join(office, "s2", "deploy")

    assert mailing.waiting(office, "s2") == []


def test_an_empty_or_unknown_channel_is_an_error(office: hot.Connection) -> None:
    join(office, "s1", "deploy")

    assert refused(office, "s1", "--channel", "deploy")[0] == "nobody else is in #deploy"
    said, hint = refused(office, "s1", "--channel", "deplyo")
    assert (said, hint) == ("there is no channel #deplyo", "did you mean #deploy?")
    assert refused(office, "s1", "--channel", "zzz")[1] == "`attend join zzz` makes it"


def test_who_is_addressed_in_several_ways_gets_it_once_by_the_closest(
    office: hot.Connection,
) -> None:
    join(office, "s2", "deploy")
    join(office, "s3", "deploy")

    send(office, "s1", "--to", "s2", "--to", "/w", "--channel", "deploy")

    found = hot.read(office, "SELECT session, kind, channel FROM delivery ORDER BY session")
    assert found == [("s2", "directed", ""), ("s3", "channel", "deploy")]
    assert hot.read(office, "SELECT kind, target FROM message") == [
        ("directed", "s2 project:/w #deploy")
    ]


def test_projects_whose_names_look_alike_are_not_mixed_up(db: hot.Connection) -> None:
    """A folder's name once stood for several folders, so mail went astray."""
    for at, workdir in enumerate(
        ["/a/b", "/a_b", "/a.b", "/a-b", "/日本", "/中文", "/" + "x" * 300]
    ):
        given.enrol(db, f"p{at}", workdir=workdir)

        assert boxes(send(db, "s1", "--to", workdir)) == [f"p{at}"]
