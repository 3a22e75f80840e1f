"""Messages with real processes: from somebody's `attend send` to a line in another session."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from attendd.hot import bell, db, letter, moment, persona, wishes
from tests.process.box import DEADLINE_S, HOT, Box, eventually
from tests.process.hooking import Hooks
from tests.process.posting import Office
from tests.process.talking import BOB, HIGH, at_a_terminal, id_in, listen, send, settled
from tests.store import mailing


def test_a_message_is_a_line_in_a_session_that_listens(
    box: Box, office: Office, web: Path
) -> None:
    alice = listen(box, office, web)

    said = send(box, web, "--to", "alice", "the build is green")

    assert said == f"sent #{id_in(said)} to 1 session, alice (web)\n"
    assert alice.out.line() == f"{BOB} #{id_in(said)}: the build is green"
    assert alice.out.line() == f"| {letter.HINT}"
    settled(office, "offered")


def test_nobody_named_is_the_others_in_this_project(
    box: Box, office: Office, web: Path
) -> None:
    alice, carol = listen(box, office, web), listen(box, office, web, "carol")
    api = listen(box, office, box.repository("api"), "dave")

    said = send(box, web, "standup", name="carol")

    assert said == f"sent #{id_in(said)} to 1 session, alice (web)\n"
    assert alice.out.line() == (
        f"{HIGH}carol (a name of its own choosing, web), to this project #{id_in(said)}: standup"
    )
    send(box, web, "--broadcast", "done", name="alice")
    assert "to #open" in carol.out.line()
    assert "to #open" in api.out.line()


def test_the_name_of_a_work_tree_or_a_project_is_refused_with_who_works_there(
    box: Box, office: Office, web: Path
) -> None:
    """Both stand beside a session's name where one looks for it."""
    tree = box.home / "web-fix"
    box.git(web, "worktree", "add", "-q", "-b", "fix", str(tree))
    listen(box, office, web)
    (tree / "deep").mkdir()
    listen(box, office, tree / "deep", "ada")

    def refused(who: str) -> str:
        done = box.hot("send", "--as=bob", "--to", who, "hello", cwd=web)
        assert (done.returncode, done.stdout) == (1, "")
        sentence, hint = done.stderr.removesuffix("\n").split("\n  hint: ")
        assert sentence == f"attend: no session is known as {who!r}"
        return hint

    assert refused("web-fix") == "in web-fix there is ada (web); --to ada"
    assert refused("deeep") == "in deep there is ada (web); --to ada"
    assert refused("web") == "in web there is ada (web), alice (web); --to names one"
    assert refused("ada, alice") == "one name at a time: --to ada --to alice"
    assert refused("no one").startswith("attended now: ada (web), alice (web); --to names one")


def test_the_pace_is_the_configured_one_also_once_that_changes(
    box: Box, office: Office, web: Path
) -> None:
    terms = "[messages]\ngap_s = 0.0\nmax_messages = {}\nwindow_s = 3600.0\n"
    config = box.home / "attend" / "config.toml"
    config.write_text(terms.format(2))
    wishes.keep_file(office.db, str(config))  # as a host before has done
    alice = box.reader(web, "--as=alice")
    eventually(lambda: bool(db.read(office.db, "SELECT 1 FROM attachment")))

    said = [send(box, web, "--to", "alice", text) for text in ("one", "two", "three")]
    assert letter.id_of(alice.out.until("one")[-1]) == id_in(said[0])
    assert letter.id_of(alice.out.until("two")[-1]) == id_in(said[1])
    settled(office, "offered", 2)
    assert office.states(id_in(said[2])) == {"as:alice": "stored"}

    config.write_text(terms.format(3))
    bell.ring_host()
    assert letter.id_of(alice.out.until("three")[-1]) == id_in(said[2])


def test_an_answer_finds_its_way_back(box: Box, office: Office, web: Path) -> None:
    alice, bob = listen(box, office, web), listen(box, office, web, "bob")
    asked = id_in(send(box, web, "--to", "alice", "which port?"))
    alice.out.until("which port?")
    settled(office, "offered")

    done = box.hot("reply", "--as=alice", "-", input="8080\n", cwd=web)

    assert done.stdout == f"sent #{id_in(done.stdout)} (5 bytes) to 1 session, bob (web)\n"
    assert bob.out.line() == (
        f"{HIGH}alice (a name of its own choosing, web), answering #{asked}"
        f" #{id_in(done.stdout)}: 8080"
    )


def test_a_session_of_a_client_speaks_under_its_persona(
    box: Box, office: Office, web: Path
) -> None:
    """Who asks is found through the process tree, never by what the environment says."""
    alice = listen(box, office, web)
    client = box.client(web)
    client.monitor()
    sql = "SELECT 1 FROM attachment WHERE session = ? AND ended_at IS NULL"
    eventually(lambda: bool(db.read(office.db, sql, (client.session,))))

    client.do(f"CLAUDE_CODE_SESSION_ID=another '{sys.executable}' -I -S '{HOT}' send hello")

    said = client.out.line()
    assert said.endswith(" to 1 session, alice (web)")
    found = alice.out.line()
    assert found.startswith(HIGH)
    assert "(web), to this project" in found
    assert db.read(office.db, "SELECT author, author_kind FROM message") == [
        (client.session, "agent")
    ]
    send(box, web, "--to", client.session[:8], "hello yourself")
    assert "hello yourself" in client.out.line()


def test_a_person_at_a_terminal_is_the_user(box: Box, office: Office, web: Path) -> None:
    alice = listen(box, office, web)

    said = at_a_terminal(box, web, "send", "--to", "alice", "hello")

    assert said.startswith("sent #")
    assert alice.out.line().startswith(f"{HIGH}@user (at a terminal) #")
    settled(office, "offered")
    done = box.hot("reply", "--as=alice", "yes", cwd=web)
    assert " for 1 session, @user: nobody is listening there now" in done.stdout
    reading = box.reader(web, "--host-after=-1")
    assert reading.out.line().endswith(": yes")


def test_a_process_without_a_terminal_is_no_person(box: Box, office: Office, web: Path) -> None:
    alice = listen(box, office, web)

    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOT), "send", "--to", "alice", "hello"],
        cwd=web,
        env=box.env,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        timeout=DEADLINE_S,
        check=True,
    )

    assert done.returncode == 0
    assert alice.out.line().startswith(f"{HIGH}a script (web, no terminal) #")


def test_who_is_away_finds_it_on_coming_back(box: Box, office: Office, web: Path) -> None:
    alice = listen(box, office, web)
    alice.kill(signal.SIGKILL)

    said = send(box, web, "--to", "alice", "are you there")

    assert said == (
        f"stored #{id_in(said)} for 1 session, alice (web): nobody is listening there now\n"
    )
    again = listen(box, office, web)
    assert again.out.line() == f"{BOB} #{id_in(said)}: are you there"
    assert again.kill(signal.SIGTERM) == 0
    assert again.out.end() == [f"| {letter.HINT}"]


def test_a_session_that_never_opted_in_is_fed_nothing(
    box: Box, office: Office, web: Path
) -> None:
    client = box.client(web)
    listen(box, office, web)

    said = send(box, web, "--broadcast", "hello all")

    assert said.endswith(" to 1 session, alice (web)\n")
    done = box.hot("send", "--as=bob", "--to", client.session, "hello you", cwd=web)
    assert done.returncode == 1
    assert "no session is known as" in done.stderr


def test_a_session_that_was_never_enrolled_bears_nobodys_name(
    box: Box, office: Office, web: Path
) -> None:
    """It is one more in a project where sessions are called by its name and a number."""
    ada, stranger = box.client(web), box.client(web)
    Hooks(box, client=ada).start()

    stranger.do(f"'{sys.executable}' -I -S '{HOT}' send --to {ada.session} 'who are you'")
    assert stranger.out.line().startswith("stored #")
    told = Hooks(box, client=ada).prompt()
    ada.do(f"'{sys.executable}' -I -S '{HOT}' reply 'who are you yourself'")
    stored = ada.out.line()
    stranger.do(f"cd '{Path.cwd()}' && '{sys.executable}' -P -m attendd inbox")

    assert "] message from a session (web) #" in told
    assert stored.endswith(
        " for 1 session, a session (web): it is not attended, so only `attend inbox` there"
        " shows it"
    )
    assert stranger.out.line().split(" from ")[1].startswith(persona.name(str(web / ".git"), 1))
    assert stranger.out.line() == "| who are you yourself"


def test_what_comes_at_once_is_shown_at_a_pace_and_none_is_dropped(
    box: Box, office: Office, web: Path
) -> None:
    alice = listen(box, office, web)
    sent = [id_in(send(box, web, "--to", "alice", f"number {at}")) for at in range(14)]

    first = alice.out.line()
    alice.out.line()
    rest = alice.out.line()

    assert letter.id_of(first) == sent[0]
    shown = [letter.id_of(rest)]
    while shown[-1] and len(shown) < 13:
        shown.append(letter.id_of(alice.out.line()))
    if not shown[-1]:
        assert f"13 messages wait (#{sent[1]} to #{sent[13]}): 13 from bob" in rest
    else:
        assert shown == sent[1:]


def test_thousands_that_waited_for_a_restart_are_one_line(
    box: Box, office: Office, web: Path
) -> None:
    wishes.keep(office.db, {"gap_s": "0.0"})
    before = listen(box, office, web)
    send(box, web, "--to", "alice", "shown before the restart")
    before.out.until(letter.HINT)
    settled(office, "offered")
    before.kill()
    mailing.many(office.db, 3000, "as:alice")

    alice = listen(box, office, web)

    line = alice.out.line()
    assert "] 3000 messages wait (#" in line
    assert "), the oldest for" in line
    settled(office, "announced", 3000)
    said = send(box, web, "--to", "alice", "a fresh one")
    assert letter.id_of(alice.out.line()) == id_in(said)


def test_a_batch_and_a_message_that_wait_together_are_one_write(
    box: Box, office: Office, web: Path
) -> None:
    """Each write is a notification, and costs the session some tokens of its own."""
    office.enrol("as:alice", web)
    office.say("hello", "--to", "as:alice", author="as:bob", workdir=web)
    now = moment.now()
    office.alter(
        "INSERT INTO outbox VALUES (1, 'c', 'a', 'as:alice', ?, 0)", "[attend …] moved\n"
    )
    office.alter(
        """INSERT INTO delivery (session, batch, lane, state, created_at, created_boot,
            created_bt) VALUES ('as:alice', 1, 'event', 'stored', ?, ?, ?)""",
        now.wall,
        now.boot,
        now.bt,
    )

    alice = listen(box, office, web)

    pipe = alice.process.stdout
    assert pipe is not None
    assert select.select([pipe], [], [], DEADLINE_S)[0]
    written = (os.read(pipe.fileno(), 65_536)).decode().splitlines()
    assert len(written) == 3
    assert letter.id_of(written[0])
    assert written[2] == "[attend …] moved"
