"""A message is proved, or offered again, also when its client has gone or moved meanwhile."""

import os
import signal

from tests.process.box import Box, Client, eventually
from tests.process.hooking import Hooks, hosting, rows, send
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


def _all_told(box: Box, client: Client, source: str) -> str:
    """Return what a session is told at its start and with its first prompt."""
    hooks = Hooks(box, client=client)
    return hooks.start(source) + hooks.prompt()
