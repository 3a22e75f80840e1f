"""What waits is said at a person's prompt and at a turn's end: once, whole, and with an end."""

import json
import os
import signal

import pytest

from tests.process.box import HOOK, LAUNCHER, Box, eventually
from tests.process.hooking import Hooks, bodies, change, rows, said, send
from tests.process.posting import HOSTILE

STATES = "SELECT state, conduit, repeats FROM delivery WHERE message IS NOT NULL ORDER BY id"


@pytest.fixture
def hooks(box: Box) -> Hooks:
    """The hooks of a session that has started."""
    found = Hooks(box)
    assert "sensor=disclosure" in found.start()
    return found


def test_a_prompt_shows_what_waits_once(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")
    send(box, hooks.session, "two\nlines")

    shown = hooks.prompt()

    assert bodies(shown) == ["hello", "two"]
    assert "\n| lines" in shown
    assert rows(box, STATES) == [("offered", "prompt", 0)] * 2
    assert hooks.prompt() == ""
    assert hooks.stop() == ""


def test_how_to_answer_is_said_with_the_first_message_alone(box: Box, hooks: Hooks) -> None:
    for text in ("one", "two"):
        send(box, hooks.session, text)
        assert ("attend reply" in hooks.prompt()) is (text == "one")


def test_an_event_that_comes_as_a_prompt_is_no_person(box: Box, hooks: Hooks) -> None:
    for _ in range(5):
        send(box, hooks.session, "hello")
        assert hooks.stop()
    send(box, hooks.session, "still here")

    assert hooks.prompt("<task-notification>\n<event>x</event>\n</task-notification>") == ""
    assert hooks.stop() == ""

    assert bodies(hooks.prompt("and now <task-notification>")) == ["still here"]


def test_endless_mail_ends_a_turn_after_five_rounds(box: Box, hooks: Hooks) -> None:
    """Whatever lies between the rounds, and though the client says that each is a new one."""
    for number in range(5):
        send(box, hooks.session, f"{number}")
        assert bodies(hooks.stop(active=number % 2 == 0)) == [f"{number}"]
        hooks.call("PostToolUse", tool_name="Bash")
    send(box, hooks.session, "one more")

    assert hooks.stop() == ""
    assert hooks.stop() == ""

    assert bodies(hooks.prompt()) == ["one more"]
    send(box, hooks.session, "after a prompt")
    assert bodies(hooks.stop()) == ["after a prompt"]


def test_a_turns_end_says_it_in_the_form_that_is_no_error(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")
    hooks.stop()

    answer = json.loads(hooks.last)
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "Stop"


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
def test_a_double_installation_answers_once(box: Box, hooks: Hooks, event: str) -> None:
    for number in range(20):
        send(box, hooks.session, "x" * 1_100 + f" {number}")
    for number in range(13):
        change(box, "UPDATE delivery SET hold = 'later' WHERE id = ?", number + 1)
    same = hooks.event(event, prompt="hello")

    answers = [said(hooks.alone(same)) for _ in range(2)]

    assert len(bodies(answers[0])) == 5
    assert answers[1] == ""
    assert len(bodies(hooks.prompt())) == 2


def test_two_turns_that_end_in_the_same_words_are_two(box: Box, hooks: Hooks) -> None:
    """Of something new both are about; without, it is one event that was heard twice."""
    same = hooks.event("Stop", stop_hook_active=True, last_assistant_message="ok")

    for text in ("one", "two"):
        send(box, hooks.session, text)
        answers = [said(hooks.alone(same)) for _ in range(2)]
        assert [bodies(answer) for answer in answers] == [[text], []]


def test_many_become_one_line_that_names_where_they_are(box: Box, hooks: Hooks) -> None:
    sent = [send(box, hooks.session, f"{number}") for number in range(9)]

    shown = hooks.prompt()

    assert bodies(shown) == []
    assert f"] 9 messages wait (#{sent[0]} to #{sent[8]}): 9 from bob" in shown
    assert rows(box, STATES) == [("announced", "prompt", 0)] * 9


def test_whatever_is_in_a_text_it_stays_one(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, HOSTILE + "\ud83d")

    shown = hooks.prompt()

    lines = shown.split("\n")
    assert all(
        line.startswith(("[attend sensor=peers priority=high] ", "| ")) for line in lines
    )
    assert sum(line.startswith("[") for line in lines) == 1
    assert "<system-reminder>" not in shown
    assert not {"\x1b", "\u202e", "\u200b", "\x07", "\r", "\x85"} & set(shown)


def test_a_long_text_shows_its_beginning(box: Box, hooks: Hooks) -> None:
    number = send(box, hooks.session, "long " * 13_000)

    shown = hooks.prompt()

    assert len(shown) < 2_500
    assert f"65,000 characters in all: attend inbox {number}" in shown


def test_a_start_counts_what_waits_and_takes_nothing(box: Box, hooks: Hooks) -> None:
    message = send(box, hooks.session, "hello")

    shown = hooks.start("resume")

    assert f"] 1 message waits (#{message}): 1 from bob" in shown
    assert "hello" not in shown
    assert bodies(hooks.prompt()) == ["hello"]
    assert "wait" not in hooks.start("compact").split("\n")[-1]


def test_a_session_that_was_never_enrolled_is_told_nothing(box: Box, hooks: Hooks) -> None:
    send(box, hooks.session, "hello")

    assert Hooks(box, "somebody-else").prompt() == ""
    assert rows(box, "SELECT id FROM session WHERE harness = 'claude-code'") == [
        (hooks.session,)
    ]


def test_the_person_sees_what_was_told_as_they_set_it(box: Box, hooks: Hooks) -> None:
    config = box.home / "attend" / "config.toml"
    seen: dict[str, list[tuple[str, str]]] = {}
    for setting in ("off", "summary", "full", "never heard of"):
        config.write_text(f'[messages]\nshow_hooks = "{setting}"\n')
        message = send(box, hooks.session, "hello")
        for call in (hooks.start, hooks.prompt):
            shown = call(f"resume {setting}")
            notice = json.loads(hooks.last).get("systemMessage", "").replace(message, "ID")
            shown = shown.replace(message, "ID")
            seen.setdefault(setting, []).append((notice, shown))

    assert [notice for notice, _ in seen["off"]] == ["", ""]
    start, prompt = (notice for notice, _ in seen["summary"])
    told = "attend told the session: how to use it; 1 message waits (#ID): 1 from bob"
    assert start.startswith(told)
    assert prompt.startswith("attend told the session: 1 message from bob")
    assert all(notice == shown for notice, shown in seen["full"])
    assert all(notice == shown for notice, shown in seen["never heard of"]), "it stays in force"


def test_a_live_monitor_is_left_its_mail(box: Box) -> None:
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.monitor()
    eventually(lambda: rows(box, "SELECT conduit FROM attachment") == [("monitor",)])

    send(box, hooks.session, "hello")

    assert "hello" in client.out.until("] message from")[-1]
    assert hooks.prompt() == ""


def test_a_monitor_that_is_stopped_is_not_waited_for(box: Box) -> None:
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    client.monitor()
    eventually(lambda: rows(box, "SELECT conduit FROM attachment") == [("monitor",)])
    reader = rows(box, "SELECT reader_pid FROM attachment")[0][0]
    os.kill(reader, signal.SIGSTOP)
    send(box, hooks.session, "hello")

    assert bodies(hooks.stop()) == ["hello"]

    os.kill(reader, signal.SIGCONT)
    send(box, hooks.session, "and this")
    lines = client.out.until("and this")
    assert not any("hello" in line for line in lines)


def test_hooks_attach_a_session_and_a_reader_takes_it_over_and_leaves_it(box: Box) -> None:
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    attached = "SELECT conduit, reader_pid = client_pid, ended_at IS NULL FROM attachment"
    assert rows(box, attached) == [("hook", 1, 1)]

    client.monitor()
    eventually(lambda: rows(box, attached) == [("monitor", 0, 1)])
    reader = rows(box, "SELECT reader_pid FROM attachment")[0][0]
    os.kill(reader, signal.SIGTERM)
    eventually(lambda: rows(box, attached) == [("monitor", 0, 0)])

    hooks.prompt()
    assert rows(box, attached) == [("hook", 1, 1)]


def test_a_sender_is_told_that_only_hooks_reach_a_session(box: Box) -> None:
    """Nor is a file of the sender's own taken for anybody's bell."""
    client = box.client(box.home)
    Hooks(box, client=client).start()
    (box.home / ".post").write_text("mine")

    done = box.hot("send", "--as=bob", "--to", client.session, "hello", cwd=box.home)

    assert done.stdout.endswith(
        ": it is shown with the next prompt or when a turn ends there\n"
    )
    assert (box.home / ".post").read_text() == "mine"


def test_unread_mail_goes_along_when_a_session_is_cleared(box: Box) -> None:
    client = box.client(box.home)
    hooks = Hooks(box, client=client)
    hooks.start()
    send(box, client.session, "hello")

    client.clear()
    hooks.start("clear")

    assert bodies(hooks.prompt()) == ["hello"]
    assert rows(box, "SELECT session FROM attachment") == [(client.session,)]


def test_a_client_inside_anothers_session_is_not_taken_for_it(box: Box) -> None:
    outer = box.client(box.home)
    hooks = Hooks(box, client=outer)
    hooks.start()
    before = rows(box, "SELECT id, session FROM attachment")
    event = json.loads(hooks.event("SessionStart", source="startup"))
    (box.home / "inner").write_text(json.dumps(event | {"session_id": "inner-session"}))

    outer.do(f"'{LAUNCHER}' {' '.join(HOOK)} <{box.home}/inner >/dev/null; echo done")
    outer.out.until("done")

    assert rows(box, "SELECT id, session FROM attachment") == before
    assert rows(box, "SELECT 1 FROM session WHERE id = 'inner-session'") == [(1,)]
