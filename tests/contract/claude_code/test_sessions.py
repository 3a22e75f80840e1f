"""Which session a process runs, and whose turns are whose, as the real client wrote it."""

from pathlib import Path

from attendd.harness.conversation import Conversation
from attendd.hot import process
from attendd.model import Status
from tests.contract.claude_code.recorded import Play, Recorded, measured, usages


def test_clear_is_followed_to_the_new_session(play: Play) -> None:
    recorded = play("cuts")
    view = recorded.view()
    recorded.play("after and on again")
    old = measured(view)
    recorded.play("after /clear")
    empty = measured(view)
    asked = view.activity().prompted
    recorded.play("after after clear")
    new = measured(view)

    assert (empty.tokens_used, empty.method, asked) == (0, "none", False)
    assert old.session != empty.session == new.session == view.session
    assert view.transcript.endswith(f"{new.session}.jsonl")
    assert old.epoch != empty.epoch == new.epoch
    assert view.activity().turns == 1


def test_two_processes_with_one_session_are_told_apart(play: Play) -> None:
    recorded = play("shared")
    first, second = recorded.view(0), recorded.view(1)
    for label in recorded.steps:
        recorded.play(label)
        ours, theirs = measured(first), measured(second)
        if label == "after from A3":
            break
    answers = usages(recorded, recorded.main(), label)

    assert ours.tokens_used == answers[-1]
    assert theirs.tokens_used == answers[-2]
    assert ours.epoch != theirs.epoch
    assert (first.contract, second.contract) == ("", "")
    assert ours.session == theirs.session


def test_while_it_cannot_be_told_whose_turns_are_whose_that_is_said(tmp_path: Path) -> None:
    """2.1.328 wrote no status for turns this short: nothing tells B's first from a rewind."""
    recorded = Recorded("2.1.328", "shared", tmp_path)
    first = recorded.view(0)
    said = {}
    for label in recorded.steps:
        recorded.play(label)
        first.refresh()
        said[label] = first.contract
    recorded.close()

    assert said["second process"] == ""
    assert said["after from B1"].startswith("two processes run this session")
    assert said["after from B3"] == ""


def test_what_another_process_runs_in_the_same_session_is_not_our_doing(play: Play) -> None:
    recorded = play("shared")
    first, second = recorded.view(0), recorded.view(1)
    for label in recorded.steps:
        recorded.play(label)
        first.refresh()
        second.refresh()
        if label == "before kill":
            break
    moment = recorded.moment

    assert first.own_doing(moment - 0.2, moment) is True
    assert second.own_doing(moment - 0.2, moment) is False


def test_a_session_whose_client_was_killed_is_not_live(play: Play) -> None:
    recorded = play("shared")
    recorded.play("before kill")
    before = [live.pid for live in recorded.harness.live()]
    recorded.clients[0].kill()
    recorded.clients[0].wait()
    recorded.play("killed")

    assert sorted(before) == sorted(client.pid for client in recorded.clients[:3])
    assert [live.pid for live in recorded.harness.live()] == sorted(before[1:])


def test_a_fork_is_a_session_of_its_own_with_the_same_history(play: Play) -> None:
    recorded = play("shared")
    recorded.play("after in the fork")
    fork, origin = recorded.view(2), recorded.view(0)
    theirs, ours = measured(fork), measured(origin)

    assert theirs.session != ours.session
    assert theirs.epoch != ours.epoch
    assert theirs.tokens_used > ours.tokens_used
    assert fork.activity().turns == origin.activity().turns + 1


def test_live_sessions_carry_what_their_clients_say(play: Play) -> None:
    recorded = play("tools")
    recorded.play("in bash")
    (live,) = recorded.harness.live()
    client = recorded.clients[0]

    assert (live.pid, live.start) == (client.pid, process.start_time(client.pid))
    assert (live.status, live.cwd) == (Status.BUSY, "/home/u/project")
    assert live.version == recorded.source.parent.name
    assert live.transcript.endswith(f"{live.session}.jsonl")


def test_a_fork_of_what_was_compacted_is_not_empty(tmp_path: Path) -> None:
    """The copies of kept answers say that they took nothing."""
    recorded = Recorded("2.1.328", "forked", tmp_path)
    rows = recorded.lines(recorded.main())
    compacted, whole = Conversation(), Conversation()
    compacted.read(rows[:26])
    whole.read(rows)
    recorded.close()

    assert compacted.branches.latest.figure is not None
    assert compacted.branches.latest.figure.method == "compaction"
    assert whole.branches.latest.figure is not None
    assert whole.branches.latest.figure.tokens == 23_462
    assert whole.branches.latest.number == 0


def test_a_prompt_on_the_command_line_is_a_prompt(tmp_path: Path) -> None:
    recorded = Recorded("2.1.328", "print", tmp_path)
    recorded.play("end")
    view = recorded.view()
    view.refresh()
    activity = view.activity()
    recorded.close()

    assert (activity.turns, activity.prompted) == (1, True)
