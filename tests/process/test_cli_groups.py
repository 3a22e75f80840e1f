"""Who hears what: mutes and channels, and what status, whoami and cleanup know of messages."""

import json
import time

import pytest

from attendd.hot import ledger
from tests.process.box import Box
from tests.process.posting import HOSTILE, Office, as_bob, hidden

SESSION = "38655051-aaaa-4bbb-8ccc-000000000001"
MIRA = {"ATTEND_AS": "mira"}


@pytest.fixture
def office(box: Box) -> Office:
    office = Office(box)
    for name in ("as:bob", "as:mira", "as:juno"):
        office.enrol(name)
    return office


def test_nothing_is_shown_of_whom_one_muted_and_all_of_it_later(
    box: Box, office: Office
) -> None:
    muted = as_bob(box, "mute", "mira", "--for", "30m")
    first = office.say("from mira", "--to", "bob")
    office.say("from juno", "--to", "bob", author="as:juno")
    shown = [letter.author for letter in office.show("as:bob")]
    listed = json.loads(as_bob(box, "mute", "--list", "--json").stdout)["muted"]
    lifted = as_bob(box, "mute", "--off", "Mira")

    assert muted.stdout.startswith("muted mira (w) until ")
    assert shown == ["as:juno"]
    assert [(m["who"], m["name"]) for m in listed] == [("as:mira", "mira (w)")]
    assert listed[0]["until_at"] == pytest.approx(listed[0]["since_at"] + 1800)
    assert lifted.stdout == "mira (w) is heard again, with what came meanwhile\n"
    assert [letter.id for letter in office.show("as:bob")] == [first]
    assert as_bob(box, "mute", "--list").stdout == "nobody is muted\n"


def test_a_mute_without_a_span_holds_until_it_is_lifted(box: Box, office: Office) -> None:
    as_bob(box, "mute", "mira", "--for", "1s")
    as_bob(box, "mute", "mira")
    (found,) = json.loads(as_bob(box, "mute", "--list", "--json").stdout)["muted"]

    assert found["until_at"] is None


def test_a_muted_channel_is_muted_and_its_members_are_not(box: Box, office: Office) -> None:
    as_bob(box, "join", "deploy")
    as_bob(box, "mute", "#deploy")
    office.say("to the channel", "--channel", "deploy")
    direct = office.say("to bob", "--to", "bob")

    assert [letter.id for letter in office.show("as:bob")] == [direct]
    assert as_bob(box, "mute", "--list").stdout.startswith("#deploy, since ")


def test_what_is_said_to_everybody_can_be_muted_too(box: Box, office: Office) -> None:
    as_bob(box, "mute", "#open")
    office.say("to all", "--broadcast")
    direct = office.say("to bob", "--to", "bob")

    assert [letter.id for letter in office.show("as:bob")] == [direct]


def test_who_only_sends_can_be_muted_and_is_named(box: Box, office: Office) -> None:
    """A script that goes by a name is not attended, and may talk too much all the same."""
    first = office.say("one", "--to", "bob", author="as:ci", workdir=box.home)
    office.say("two", "--to", "juno", author="as:other")
    stranger = as_bob(box, "mute", "other")
    muted = as_bob(box, "mute", "CI")
    answer = office.say("three", "--re", first, author="as:bob")

    assert stranger.returncode == 1
    assert muted.stdout.startswith("muted ci (h) until")
    assert office.show("as:bob") == []
    assert "\nci (h): stored\n" in as_bob(box, "sent", answer).stdout


def test_whom_one_muted_stays_so_under_another_id(box: Box, office: Office) -> None:
    """A session that is cleared is still the one that talks too much."""
    office.enrol(SESSION)
    as_bob(box, "mute", SESSION)
    ledger.move_session(office.db, "gone", SESSION, "4a0b11ce-new", 1.0)
    office.say("more of it", "--to", "bob", author="4a0b11ce-new")

    assert office.show("as:bob") == []


def test_a_lifted_mute_wakes_the_reader(box: Box, office: Office) -> None:
    project = box.repository()
    reader = box.reader(project, "--as", "bob")
    reader.err.until("bob")
    as_bob(box, "mute", "mira")
    message = office.say("kept meanwhile", "--to", "bob")
    office.say("from juno", "--to", "bob", author="as:juno")
    before = reader.out.until("from juno")
    as_bob(box, "mute", "--off", "mira")

    assert not [line for line in before if message in line]
    assert message in reader.out.until("kept meanwhile")[-1]


@pytest.mark.parametrize(
    ("words", "code", "sentence", "hint"),
    [
        ((), 2, "one of three is needed", "attend mute --off juno"),
        (("juno", "--list"), 2, "one of three is needed", "--list"),
        (("--list", "--for", "1h"), 2, "one of three is needed", "--list"),
        (("juno", "--for", "soon"), 2, "mute: --for: 'soon' is no duration", "write 90s, 15m"),
        (("bob",), 2, "'bob' is this session itself", ""),
        (("@human",), 2, "the person at the terminals can't be muted", "`attend reply`"),
        (("jumo",), 1, "no session is known as 'jumo'", "did you mean juno (w)?"),
        (("#depoy",), 1, "there is no channel #depoy", "did you mean #deploy?"),
        (("--off", "juno"), 1, "'juno' is not muted", "nobody is muted"),
    ],
    ids=str,
)
def test_a_mute_that_cannot_be_is_one_sentence(
    box: Box, office: Office, words: tuple[str, ...], code: int, sentence: str, hint: str
) -> None:
    box.run("join", "deploy", env=MIRA)
    done = as_bob(box, "mute", *words)

    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"attend: {sentence}")
    assert hint in done.stderr
    assert "--to" not in done.stderr


def test_a_channel_begins_with_its_first_member_and_ends_with_its_last(
    box: Box, office: Office
) -> None:
    made = box.run("join", "#Deploy", env=MIRA)
    joined = as_bob(box, "join", "deploy")
    again = as_bob(box, "join", "deploy")
    (known,) = json.loads(as_bob(box, "channels", "--json").stdout)["channels"]
    shown = as_bob(box, "channels").stdout.splitlines()
    left = [
        box.run("leave", "deploy", env={"ATTEND_AS": who}).stdout for who in ("bob", "mira")
    ]

    assert made.stdout == "joined #deploy, which is new, with nobody else\n"
    assert joined.stdout == "joined #deploy, with 1 other\n"
    assert again.stdout == "is in #deploy, with 1 other\n"
    assert (known["members"], known["joined"]) == (["as:mira", "as:bob"], True)
    assert shown[1].startswith("#deploy  mira (w), bob (w)  joined")
    assert left == ["left #deploy\n"] * 2
    assert "there is no channel but #open" in as_bob(box, "channels").stdout


def test_a_later_joiner_gets_a_count_and_not_the_history(box: Box, office: Office) -> None:
    for who in ("bob", "mira"):
        box.run("join", "deploy", env={"ATTEND_AS": who})
    for text in ("one", "two"):
        office.say(text, "--channel", "deploy")
    late = box.run("join", "deploy", env={"ATTEND_AS": "juno"})
    inbox = box.run("inbox", env={"ATTEND_AS": "juno"})
    three = office.say("three", "--channel", "deploy")

    assert late.stdout.splitlines()[1] == "2 messages from before are not shown here"
    assert inbox.stdout.startswith("nothing is in this session's inbox")
    assert office.states(three) == {"as:bob": "stored", "as:juno": "stored"}


def test_who_joins_without_having_been_attended_can_be_found(box: Box, office: Office) -> None:
    box.run("join", "deploy", env={"ATTEND_AS": "newcomer"})
    box.run("join", "deploy")
    message = office.say("text", "--channel", "deploy")

    assert office.states(message) == {"as:newcomer": "stored", "@user": "stored"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("open", "#open can't be joined: everybody is in #open"),
        ("Broadcast", "#broadcast can't be joined: that is what --broadcast is for"),
        ("_x", "'_x' can't be the name of a channel"),
        ("@x", "'@x' can't be the name of a channel"),
        ("a/b", "'a/b' can't be the name of a channel"),
        ("..", "'..' can't be the name of a channel"),
        ("a b", "'a b' can't be the name of a channel"),
        ("a:b", "'a:b' can't be the name of a channel"),
        ("\x1b[2Jx", "'\\x1b[2Jx' can't be the name of a channel"),
        ("x" * 41, f"'{'x' * 41}' can't be the name of a channel"),
    ],
)
def test_a_name_that_no_channel_can_have_is_refused(
    box: Box, office: Office, name: str, sentence: str
) -> None:
    done = as_bob(box, "join", name)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"attend: {sentence}\n")
    assert office.db.execute("SELECT * FROM channel").fetchall() == []


def test_a_channel_that_no_join_of_ours_made_is_shown_as_text(box: Box, office: Office) -> None:
    """Whatever another program wrote into the store."""
    sql = "INSERT INTO channel (name, about, made_at) VALUES (?1, ?1, 0)"
    office.alter(sql, HOSTILE)
    office.alter("INSERT INTO membership VALUES (?, 'as:bob', 0)", HOSTILE)
    message = office.say("text", "--to", "bob")
    office.alter("UPDATE delivery SET channel = ?, hold = ?, reason = ?", *[HOSTILE] * 3)
    office.alter("INSERT INTO mute VALUES ('as:bob', ?, NULL, 0)", f"#{HOSTILE}")
    for words in (
        ("channels",),
        ("inbox",),
        ("why", message),
        ("mute", "--list"),
        ("status",),
        ("leave", "x"),
    ):
        for said in (as_bob(box, *words), as_bob(box, *words, "--help")):
            shown = said.stdout + said.stderr

            assert hidden(shown) == []
            assert "<system-reminder" not in shown
            assert not [line for line in shown.splitlines() if line.startswith("[attend")]


def test_leaving_what_one_is_not_in_says_what_one_is_in(box: Box, office: Office) -> None:
    as_bob(box, "join", "deploy")
    done = as_bob(box, "leave", "depoly")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "attend: this session is not in #depoly",
        "  hint: it is in #deploy",
    ]


def test_status_counts_what_was_not_shown_and_names_what_is_held(
    box: Box, office: Office
) -> None:
    office.say("one", "--to", "bob")
    as_bob(box, "join", "deploy")
    office.say("two", "--channel", "deploy")
    held = office.say("three", "--to", "juno")
    sql = "UPDATE delivery SET hold = 'six links without a human' WHERE message = ?"
    office.alter(sql, held)
    known = json.loads(box.run("status", "--json").stdout)
    said = box.run("status").stdout

    assert {u["session"]: (u["directed"], u["grouped"]) for u in known["unread"]} == {
        "as:bob": (1, 1),
        "as:juno": (1, 0),
    }
    (found,) = known["held"]
    assert (found["session"], found["author"], found["messages"]) == ("as:juno", "mira", 1)
    assert "not shown yet" in said
    assert "six links without a human" in said


def test_whoami_says_what_others_call_one(box: Box, office: Office) -> None:
    known = json.loads(as_bob(box, "whoami", "--json").stdout)

    assert known["called"] == "bob (w)"
    named = box.run("whoami", "--json", "--as", "bob")
    assert json.loads(named.stdout)["called"] == "bob (w)"
    assert json.loads(box.run("whoami", "--json").stdout)["called"] is None


def test_cleanup_removes_a_message_a_month_after_all_have_it(box: Box, office: Office) -> None:
    month = 31 * 24 * 3600
    done, waits, new = (office.say(text, "--to", "bob") for text in ("done", "waits", "new"))
    office.advance(done, "read")
    office.advance(new, "read")
    for message in (done, waits):
        for table, key in (("message", "id"), ("delivery", "message")):
            sql = f"UPDATE {table} SET created_at = created_at - {month} WHERE {key} = ?"  # noqa: S608 - of the lines above
            office.alter(sql, message)
    sql = "UPDATE delivery SET read_at = ? WHERE message = ?"
    office.alter(sql, time.time() - month, done)
    counted = json.loads(box.run("cleanup", "--dry-run", "--json").stdout)["rows"]["messages"]
    kept = box.run("inbox", done, "--session", "bob").returncode
    removed = json.loads(box.run("cleanup", "--json").stdout)["rows"]["messages"]

    assert (counted, kept, removed) == (1, 0, 1)
    assert box.run("inbox", done, "--session", "bob").returncode == 1
    assert [office.states(each) for each in (waits, new)] == [
        {"as:bob": "stored"},
        {"as:bob": "read"},
    ]


def test_privacy_says_that_messages_are_kept_and_for_how_long(box: Box, office: Office) -> None:
    kept = json.loads(box.run("privacy", "--json").stdout)["kept"]
    (found,) = [each for each in kept if each["what"].startswith("messages")]

    assert found["path"] == office.path
    assert found["how_long"] == "30 days after it came to rest with all recipients"
