"""A message is proved, or offered again, also when its client has gone or moved meanwhile."""

import os
import signal

from tests.process.box import Box, Client, eventually
from tests.process.hooking import Hooks, change, hosting, rows, send
from tests.process.test_proof import becomes, context, enqueue, fate, shown

ATTACHED = "SELECT conduit, count(*) FROM attachment WHERE ended_at IS NULL GROUP BY conduit"


def test_what_a_client_held_that_took_its_host_along_is_offered_to_the_next(box: Box) -> None:
    """The next host finds the session attended, by a client that was given nothing."""
    hosting(box)
    client = box.client(box.home)
    Hooks(box, client=client).start()
    client.monitor()
    client.prompt("begin")
    eventually(lambda: rows(box, ATTACHED) == [("monitor", 1)])
    message = send(box, client.session, "hello")
    enqueue(client, shown(client, "hello"))
    becomes(box, message, "queued")
    box.running[0].kill()
    client.kill()

    resumed = box.client(box.home, client.session)
    resumed.monitor()
    eventually(lambda: rows(box, ATTACHED) == [("monitor", 2)])
    box.daemon()

    assert "(again) message from" in shown(resumed, "hello")


def test_the_answer_is_found_of_a_client_that_ended_with_it(box: Box) -> None:
    hosting(box)
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    message = send(box, client.session, "hello")
    text = hooks.prompt()
    client.prompt()
    context(client, text)
    becomes(box, message, "seen")

    host = box.running[0].process.pid
    os.kill(host, signal.SIGSTOP)
    client.answer()
    client.kill()
    os.kill(host, signal.SIGCONT)

    becomes(box, message, "answered")


def test_what_a_hook_says_after_clear_is_proved_though_nobody_looked_since(box: Box) -> None:
    hosting(box)
    client = box.client(box.home)
    Hooks(box, client=client).start()
    message = send(box, client.session, "hello")
    client.clear()
    hooks = Hooks(box, client=client)
    hooks.start("clear")

    text = hooks.prompt()
    client.prompt()
    context(client, text)
    client.answer()

    becomes(box, message, "answered")
    assert fate(box, message)[:3] == ("answered", "prompt", 0)


def test_what_a_hook_said_to_a_client_that_died_is_said_to_the_next_at_once(box: Box) -> None:
    """It died before it wrote down what it was told: nobody waits a minute to be sure."""
    hosting(box)
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    message = send(box, client.session, "hello")
    assert "hello" in hooks.prompt()
    client.prompt()
    client.kill()

    resumed = box.client(box.home, client.session)
    again = Hooks(box, client=resumed)
    again.start("resume")
    becomes(box, message, "stored")

    text = again.prompt()
    assert "(again) message from" in text
    resumed.prompt()
    context(resumed, text)
    becomes(box, message, "seen")
    assert fate(box, message) == ("seen", "prompt", 1, 1)


def test_unread_mail_goes_along_with_resume_and_with_a_fork_but_not_from_under_who_still_runs(
    box: Box,
) -> None:
    """Each is a new process; a fork has a new id as well."""
    first = box.client(box.home)
    Hooks(box, client=first).start()
    lost = send(box, first.session, "first")
    beside = box.client(box.home, words=f"--resume {first.session} --fork-session")
    assert "first" not in _all_told(box, beside, "fork")
    first.kill()

    resumed = box.client(box.home, first.session, f"--resume {first.session}")
    assert f"#{lost}: first" in _all_told(box, resumed, "resume")
    kept = send(box, first.session, "second")
    resumed.kill()

    fork = box.client(box.home, words=f"--resume {first.session} --fork-session")
    told = _all_told(box, fork, "fork")
    assert f"said to an earlier session here #{kept}: second" in told
    later = send(box, first.session, "third")
    assert f"#{later}: third" in Hooks(box, client=fork).prompt("on")


def test_unread_mail_goes_along_with_a_fork_of_a_session_chosen_from_a_list(box: Box) -> None:
    """Only the rows that it was copied with tell of which: they come with its first prompt."""
    hosting(box)
    first = box.client(box.home)
    Hooks(box, client=first).start()
    first.prompt("begin")
    first.answer()
    message = send(box, first.session, "hello")
    first.kill()
    fork = box.client(box.home, words="--resume --fork-session")
    assert "hello" not in _all_told(box, fork, "fork")

    fork.transcript.write_bytes(first.transcript.read_bytes())
    fork.prompt("and on")
    fork.record("busy")

    sql = "SELECT session FROM delivery WHERE message = ?"
    eventually(lambda: rows(box, sql, message) == [(fork.session,)])
    assert f"#{message}: hello" in Hooks(box, client=fork).stop()


def test_who_forked_a_session_long_ago_and_moves_on_takes_nothing_of_it(box: Box) -> None:
    """By then the session has its own life again, and its mail."""
    first = box.client(box.home)
    Hooks(box, client=first).start()
    fork = box.client(box.home, words=f"--resume {first.session} --fork-session")
    Hooks(box, client=fork).start("fork")
    first.kill()
    message = send(box, first.session, "hello")

    fork.clear()

    assert "hello" not in _all_told(box, fork, "fork")
    assert rows(box, "SELECT session FROM delivery WHERE message = ?", message) == [
        (first.session,)
    ]


def test_a_fork_whose_start_bore_the_id_of_its_origin_goes_on_with_what_waits(
    box: Box,
) -> None:
    """As under a client of before; a process that was never attended is not fed by that."""
    first = box.client(box.home)
    Hooks(box, client=first).start()
    message = send(box, first.session, "hello")
    first.kill()
    fork = box.client(box.home, words=f"--resume {first.session} --fork-session")
    hooks = Hooks(box, client=fork)
    assert "1 message waits" in hooks.call(
        "SessionStart", source="resume", session_id=first.session
    )
    stranger = box.client(box.home)

    assert Hooks(box, client=stranger).prompt() == ""
    assert f"#{message}: hello" in hooks.prompt()
    assert f"#{send(box, first.session, 'later')}: later" in hooks.stop()


def test_a_fork_in_the_background_hears_what_its_origin_hears_from_then_on(box: Box) -> None:
    """Its process says nothing of where it came from, but the client keeps the rows."""
    first = box.client(box.home)
    Hooks(box, client=first).start()
    change(box, "INSERT INTO channel (name, made_at) VALUES ('deploy', 0)")
    change(box, "INSERT INTO membership VALUES ('deploy', ?, 0)", first.session)
    before = send(box, first.session, "hello")
    fork = box.client(box.home)
    kept = fork.transcript.parents[2] / "jobs" / fork.session[:8] / "parent-transcript.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text(f'{{"type":"mode"}}\n{{"type":"user","sessionId":"{first.session}"}}\n')

    assert "hello" not in _all_told(box, fork, "fork")
    after = send(box, "#deploy", "to both")

    assert f"#{after}: to both" in Hooks(box, client=fork).prompt()
    told = Hooks(box, client=first).prompt()
    assert f"#{before}: hello" in told
    assert f"#{after}: to both" in told


def _all_told(box: Box, client: Client, source: str) -> str:
    """Return what a session is told at its start and with its first prompt."""
    hooks = Hooks(box, client=client)
    return hooks.start(source) + hooks.prompt()
