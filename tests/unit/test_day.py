"""One scripted day of five busy sensors: what was told, when, what was held and why."""

from collections import Counter
from itertools import pairwise

import pytest

from attendd.engine.batch import Code, Line
from attendd.model import Lane, Priority
from tests.unit.attending import books
from tests.unit.day import Day, happenings, seconds

DAY = """
07:30                 session     -          new
07:31                 git         3          3 commits came in overnight
07:33                 processes   4,wakes    nightly tests failed with exit code 1
07:40                 peers       7,message  message from Ana (api) #a1: good morning
07:45                 peers       2          Ben appeared in this project

08:00                 session     -          busy
08:00                 disclosure  5          # Messages\\n- how to answer\\n- when silence is right
08:10-08:20/45        git         3,own      commit {n} by this session
08:30-08:35/20        git         3          commit {n} by Ana came in
08:50                 context     1.5        40 % of the window used

09:00                 session     -          idle
09:05-09:55/10        git         1          {2|3} files dirty
09:10-10:00/540       processes   4,wakes    test run {n} of this session failed
10:30                 git         3          upstream moved by 2 commits

11:00                 session     -          busy
11:10                 git         3          rebase began
11:10:02              git         3          rebase stopped at a conflict
11:10:20              git         3          rebase ended
11:40                 processes   2          build started

12:00                 session     -          idle
12:05-12:15/5         peers       1.5        Ben went {idle|busy}

13:00                 session     -          busy
14:00-14:00:10/0.1    peers       4,message  message from bot (ci) #m{n}: job {n} is done
14:30-14:40/5         peers       1.5        Ben went {idle|busy}
14:30-14:40/5         peers       1.5        Cleo went {busy|idle}

15:30-15:30:01/0.005  git         3          file {n} of the generated sources changed
16:00                 context     3          65 % of the window used
16:00:01              disclosure  5          # Messages\\n- as before

18:00                 session     -          idle
18:00-23:59/3600      git         1.9        something little, number {n}
20:00                 peers       7,message  message from Ana (api) #z9: done for today
23:59                 session     -          idle
"""


@pytest.fixture(scope="module")
def day() -> Day:
    return Day(DAY)


def test_nothing_vanished(day: Day) -> None:
    books(day)

    rest = Counter(each.code for each in day.decisions if each.code is not Code.OBSERVED)
    assert rest[Code.OWN] == 14
    assert rest[Code.MERGED] > 300
    assert rest[Code.FADED] == 7
    assert rest[Code.FOLDED] == 136
    assert rest[Code.DROPPED_SLOT_GONE] == 0


def test_the_clock_ran_from_moment_to_moment(day: Day) -> None:
    """No look that was not for a poll, a happening or something held that could go."""
    assert day.steps <= day.polls + len(happenings(DAY)) + 2 * len(day.told)
    assert day.polls < 10_000


def test_before_the_first_prompt_only_a_message_was_told(day: Day) -> None:
    assert day.between("00:00", "08:00") == [
        "07:40:00! peers priority=high] message from Ana (api) #a1: good morning"
    ]
    assert day.why("git", "00:00", "08:00") == ["07:31:00 held.unprompted 1"]
    assert day.why("processes", "00:00", "08:00") == ["07:33:00 held.unprompted 1"]
    assert day.why("peers", "07:45", "08:00") == ["07:45:07.5 low 1"]


def test_with_it_went_all_that_had_waited(day: Day) -> None:
    assert day.between("08:00", "08:30") == [
        "08:00:00  disclosure priority=high] # Messages",
        "08:00:00  | - how to answer",
        "08:00:00  | - when silence is right",
        "08:00:00  git priority=medium] 3 commits came in overnight",
        "08:00:00  processes priority=medium] nightly tests failed with exit code 1",
        "08:00:00  peers priority=low] Ben appeared in this project",
    ]


def test_a_stream_of_commits_was_told_in_ever_fewer_and_fuller_batches(day: Day) -> None:
    told = day.between("08:30", "08:50")

    assert len(told) == 14
    assert len({line[:10] for line in told}) == 6
    assert {code.split()[1] for code in day.why("git", "08:30", "08:50")} == {
        "fired", "held.gap", "held.rate", "held.refractory", "held.raised", "held.below-threshold",
    }  # fmt: skip


def test_the_idle_session_was_woken_four_times_in_the_hour_and_riders_went_along(
    day: Day,
) -> None:
    assert [line for line in day.between("09:00", "11:00") if "processes" in line] == [
        "09:10:00! processes priority=medium] test run 0 of this session failed",
        "09:19:00! processes priority=medium] test run 1 of this session failed",
        "09:28:00! processes priority=medium] test run 2 of this session failed",
        "09:37:00! processes priority=medium] test run 3 of this session failed",
        "10:10:00! processes priority=high] test run 4 of this session failed",
        "10:10:00! processes priority=high] test run 5 of this session failed",
    ]
    assert "09:46:00 held.wake-budget 1" in day.why("processes", "09:38", "10:10")
    riding = [line for line in day.between("09:00", "11:00") if "files dirty" in line]
    assert all("git priority=low]" in line for line in riding)
    assert day.why("git", "10:30", "11:00") == ["10:30:12.5 held.idle 1"]


def test_a_rebase_was_two_batches_a_gap_apart(day: Day) -> None:
    assert day.between("11:00", "11:40") == [
        "11:00:00  git priority=medium] upstream moved by 2 commits",
        "11:10:05  git priority=high] rebase began",
        "11:10:05  git priority=high] rebase stopped at a conflict",
        "11:10:28.6  git priority=medium] rebase ended",
    ]


def test_flapping_while_nobody_was_awake_became_one_line_each(day: Day) -> None:
    assert day.between("12:00", "14:00") == [
        "13:00:00  peers priority=high] Ben went idle (\u00d760)",
        "13:00:00  peers priority=high] Ben went busy (\u00d760)",
        "13:00:00  processes priority=low] build started",
    ]


def test_a_hundred_messages_at_once_were_paced_in_order(day: Day) -> None:
    told = day.between("14:00", "14:30")

    assert [line.split("#")[1].split(":")[0] for line in told] == [f"m{n}" for n in range(100)]
    assert told[0].startswith("14:00:00 ")
    assert told[-1].startswith("14:03:")
    assert {c.split()[1] for c in day.why("peers", "14:00", "14:30")} == {
        "fired", "held.gap", "held.rate",
    }  # fmt: skip


def test_flapping_peers_took_no_more_than_the_governor_allows(day: Day) -> None:
    told = day.between("14:30", "14:42")

    assert len({line[:10] for line in told}) <= 15
    assert len(told) <= 4 * 15


def test_two_hundred_changes_in_a_second_were_two_batches_and_a_count(day: Day) -> None:
    told = day.between("15:30", "16:00")

    assert len(told) == 65
    assert "136 earlier changes, folded into this count" in told[0]
    assert len({line[:10] for line in told}) == 2
    assert [code for code in day.why("git", "15:30", "16:00") if "held" in code] == [
        "15:30:07.5 held.room 29",
        "15:30:15 held.gap 29",
    ]


def test_little_things_in_the_evening_faded_and_the_message_woke(day: Day) -> None:
    assert day.between("18:00", "24:00") == [
        "20:00:00! peers priority=high] message from Ana (api) #z9: done for today"
    ]
    assert [c.split()[1] for c in day.why("git", "18:00", "24:00")].count("faded") == 6


def test_all_day_long_the_governors_held(day: Day) -> None:
    events = [at for at, batch in day.told if any(_fired_event(line) for line in batch.lines)]
    messages = [
        at for at, batch in day.told for line in batch.lines if line.lane is Lane.MESSAGE
    ]
    wakes = [at for at, batch in day.told if batch.wakes and batch.lane is Lane.EVENT]

    assert all(b - a >= 15 for a, b in pairwise(events))
    assert all(b - a >= 120 for a, b in zip(events, events[3:], strict=False))
    assert all(b - a >= 3 for a, b in pairwise(sorted(set(messages))))
    assert all(b - a >= 60 for a, b in zip(messages, messages[30:], strict=False))
    assert all(b - a >= 3_600 for a, b in zip(wakes, wakes[4:], strict=False))
    asleep = [("07:30", "08:00"), ("09:00", "11:00"), ("12:00", "13:00"), ("18:00", "24:00")]
    for at, batch in day.told:
        assert batch.wakes == any(seconds(a) <= at < seconds(b) for a, b in asleep)


def _fired_event(line: Line) -> bool:
    return line.lane is Lane.EVENT and line.priority is not Priority.LOW
