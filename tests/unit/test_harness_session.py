"""One session followed: which transcript is its own, what it does."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.harness import NoView
from attendd.harness.session import ClaudeView
from attendd.model import Activity, Status
from tests.clients import ClientFolder
from tests.transcripts import START, Written


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[ClientFolder]:
    folder = ClientFolder(tmp_path / "claude")
    yield folder
    folder.close()


# -- what it does ---------------------------------------------------------------


def test_a_session_is_not_prompted_before_its_first_prompt(folder: ClientFolder) -> None:
    client = folder.client()
    view = folder.view(client)
    before = view.activity()
    written = Written()
    written.prompt()
    folder.say(written)
    folder.time += 11.0
    view.refresh()
    after = view.activity()

    assert (before.prompted, before.turns, before.worked_at, before.bytes) == (
        False,
        0,
        None,
        0,
    )
    assert (after.prompted, after.turns) == (True, 1)
    assert (after.worked_at, after.bytes) == (START, len(written.data))


def test_a_session_begun_on_the_command_line_was_prompted(folder: ClientFolder) -> None:
    """It may keep no transcript at all."""
    client = folder.client()
    folder.write(client, entrypoint="sdk-cli")

    assert folder.view(client).activity().prompted is True


def test_a_notice_to_an_idle_session_is_no_prompt(folder: ClientFolder) -> None:
    written = Written()
    written.prompt(origin={"kind": "task-notification"}, promptSource="system")
    written.answer(1000)
    folder.say(written)

    assert folder.view(folder.client()).activity().prompted is False


def test_a_transcript_too_long_to_be_read_was_prompted(folder: ClientFolder) -> None:
    path = folder.transcript()
    with path.open("wb") as file:
        file.truncate(10_000_000)
        file.seek(10_000_000)
        written = Written()
        written.answer(1000)
        file.write(b"\n" + written.data)

    assert folder.view(folder.client()).activity().prompted is True


# -- which session --------------------------------------------------------------


def test_clear_and_resume_change_the_session_of_a_view(folder: ClientFolder) -> None:
    first, second = Written(), Written()
    for written, tokens in ((first, 1000), (second, 2000)):
        written.prompt()
        written.answer(tokens)
    folder.say(first, "one")
    folder.say(second, "two")
    client = folder.client()
    view = folder.view(client)
    seen = []
    for session in ("one", "two", "one"):
        folder.write(client, sessionId=session)
        view.refresh()
        gauge = view.gauge()
        assert gauge is not None
        seen.append((view.session, gauge.session, gauge.tokens_used, gauge.epoch))

    assert seen[0] == ("one", "one", 1000, "one")
    assert seen[1] == ("two", "two", 2000, "two")
    assert seen[2] == seen[0]


def busy_elsewhere(folder: ClientFolder, *others: str) -> ClaudeView:
    """Let a session be busy while only a transcript that is not its own grows."""
    written = Written()
    written.prompt()
    written.answer(1000)
    folder.say(written, "one")
    client = folder.client()
    for other in others:
        folder.client(other)
    view = folder.view(client)
    folder.time += 100.0
    folder.turn(client)
    folder.time += 6.0
    folder.say(written, "two")
    view.refresh()
    return view


def test_a_record_that_names_the_wrong_session_is_not_followed_blindly(
    folder: ClientFolder,
) -> None:
    view = busy_elsewhere(folder)
    folder.time += 1.0
    folder.say(Written(), "two")
    view.refresh()
    view.refresh()

    assert view.activity().contract.endswith("whose transcript no longer grows")
    assert (view.activity().status, view.gauge()) == (Status.UNKNOWN, None)


def test_a_neighbours_transcript_that_grows_is_no_sign_of_that(folder: ClientFolder) -> None:
    view = busy_elsewhere(folder, "two")
    folder.time += 1.0
    folder.say(Written(), "two")
    view.refresh()

    assert (view.contract, view.activity().status) == ("", Status.BUSY)


def test_nor_is_the_last_row_of_a_neighbour_that_ended(folder: ClientFolder) -> None:
    view = busy_elsewhere(folder)
    folder.time += 60.0
    view.refresh()

    assert (view.contract, view.activity().status) == ("", Status.BUSY)


def test_the_transcript_that_a_hook_named_is_waited_for(folder: ClientFolder) -> None:
    """Where a project's path is too long, only the hook knows the folder."""
    elsewhere = folder.path / "projects" / "elsewhere" / "one.jsonl"
    view = folder.view(folder.client(), str(elsewhere))
    before = view.gauge()
    written = Written()
    written.prompt()
    written.answer(1000)
    folder.put(elsewhere, written.data)
    view.refresh()
    after = view.gauge()

    assert before is not None
    assert after is not None
    assert (before.method, after.tokens_used) == ("none", 1000)


def test_a_transcript_of_another_session_is_not_taken(folder: ClientFolder) -> None:
    view = folder.view(folder.client(), str(folder.transcript("other")))

    assert view.transcript == ""


def test_a_transcript_written_anew_begins_an_epoch(folder: ClientFolder) -> None:
    written = Written()
    written.prompt()
    written.answer(1000)
    folder.say(written)
    view = folder.view(folder.client())
    before = view.gauge()
    shutil.copy(folder.transcript(), folder.path / "copy")
    (folder.path / "copy").rename(folder.transcript())
    view.refresh()
    after = view.gauge()

    assert before is not None
    assert after is not None
    assert before.epoch != after.epoch
    assert before.tokens_used == after.tokens_used


def test_without_a_record_the_transcript_is_all_there_is(folder: ClientFolder) -> None:
    written = Written()
    written.prompt()
    written.answer(1000)
    folder.say(written)
    view = folder.harness.view("one", None, "", "/home/u/project")
    view.refresh()
    gauge = view.gauge()

    assert gauge is not None
    assert gauge.tokens_used == 1000
    assert (view.activity().status, view.activity().turns) == (Status.UNKNOWN, 1)


def test_nothing_at_all_is_nothing_known(folder: ClientFolder) -> None:
    view = folder.harness.view("one", None, "", "/nowhere")
    view.refresh()

    assert (view.activity(), view.gauge(), view.own_doing(0.0, 1.0)) == (
        Activity(),
        None,
        False,
    )


def test_a_terminal_is_unknown_and_that_is_not_a_fault() -> None:
    view = NoView("as:me")
    view.refresh()

    assert (view.activity(), view.gauge(), view.own_doing(0.0, 1.0)) == (
        Activity(),
        None,
        False,
    )


def test_the_folder_of_the_records_is_what_is_watched(folder: ClientFolder) -> None:
    assert list(folder.harness.watch_paths()) == [folder.path / "sessions"]
