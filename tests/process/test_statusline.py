"""`attend statusline`: the client's figures come in, one line goes out, whatever is wrong."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest

from attendd.store import Health, Store
from tests.process.box import DEADLINE_S, HOT, Box, Client, eventually
from tests.process.seeding import SESSION, Seed

WINDOW = 1_000_000


def stated(session: str = SESSION, model: str = "claude-opus-5-5", **more: Any) -> str:
    """What Claude Code 2.1.328 writes, in part."""
    return json.dumps(
        {
            "session_id": session,
            "transcript_path": "/t.jsonl",
            "cwd": "/w",
            "model": {"id": model, "display_name": "Opus 5.5"},
            "version": "2.1.328",
            "cost": {"total_cost_usd": 0.76, "total_duration_ms": 134_561},
            "context_window": {
                "total_input_tokens": 60_600,
                "total_output_tokens": 78,
                "context_window_size": WINDOW,
                "current_usage": {
                    "input_tokens": 1200,
                    "output_tokens": 78,
                    "cache_creation_input_tokens": 3400,
                    "cache_read_input_tokens": 56_000,
                },
                "used_percentage": 6,
                "remaining_percentage": 94,
            },
            "prompt_cache": {"warm": True, "ttl": "5m", "expires_at": 1_796_026_342},
            **more,
        }
    )


FRESH: dict[str, Any] = {
    "context_window": {
        "total_input_tokens": 0,
        "context_window_size": WINDOW,
        "current_usage": None,
        "used_percentage": None,
        "remaining_percentage": None,
    }
}


def line(box: Box, text: str, *words: str, **env: str) -> str:
    """Have the line said, and nothing else."""
    done = box.hot("statusline", *words, input=text, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_what_the_client_says_is_said_and_kept(box: Box) -> None:
    Seed(box).session()

    assert line(box, stated()) == "context █░░░░░░░░░ 6% of 1M\n"

    kept = Store(str(box.state / "attend.db"), readonly=True).figures.of(SESSION)
    assert kept is not None
    assert (kept.model, kept.version) == ("claude-opus-5-5", "2.1.328")
    assert (kept.window_tokens, kept.used_tokens, kept.used_pct) == (WINDOW, 60_678, 6.0)
    assert (kept.cost_usd, kept.cache_read, kept.cache_written) == (0.76, 56_000, 3400)
    assert kept.cache_until == 1_796_026_342


def test_what_has_not_changed_is_not_written_again(box: Box) -> None:
    """A status line may be drawn each second."""
    seed = Seed(box)
    seed.session()
    line(box, stated())
    before = seed.store.call(lambda db: db.execute("PRAGMA data_version").fetchone())
    line(box, stated(cost={"total_cost_usd": 0.76, "total_duration_ms": 999_999}))

    assert seed.store.call(lambda db: db.execute("PRAGMA data_version").fetchone()) == before

    line(box, stated(cost={"total_cost_usd": 0.77}))

    assert seed.store.call(lambda db: db.execute("PRAGMA data_version").fetchone()) != before


def test_before_the_first_answer_the_window_is_known(box: Box) -> None:
    Seed(box).session()

    assert line(box, stated(**FRESH)) == "context not measured yet, of 1M\n"


def test_what_attend_has_to_say_is_said_and_fits(box: Box) -> None:
    seed = Seed(box)
    attachment = seed.session()
    rows = [("git", "failing", ""), ("context", "ok", "held.gap"), ("peers", "ok", "")]
    seed.store.health.put(
        Health(attachment=attachment, sensor=name, state=state, since_at=1.0, held=held)
        for name, state, held in rows
    )
    box.hot("send", "--as", "bob", "--to", SESSION, "hello")

    assert line(box, stated(), COLUMNS="200") == (
        "context █░░░░░░░░░ 6% of 1M · 1 unread message · failing: git · held: context\n"
    )
    assert line(box, stated(), COLUMNS="20") == "6% · 1 unread\n"
    assert line(box, stated(), COLUMNS="1") == "6\n"


@pytest.mark.parametrize("columns", ["", "0", "-3", "wide", "9" * 30, "²"])
def test_a_width_that_is_none_is_not_gone_by(box: Box, columns: str) -> None:
    assert line(box, stated(), COLUMNS=columns).startswith("context █░░░░░░░░░ 6% of 1M")


@pytest.mark.parametrize(
    "text",
    [
        "",
        stated()[:200],
        "[]",
        "{}",
        '"x"',
        '{"session_id": 7}',
        '{"session_id": ""}',
        '{"session_id": "\\ud800"}',
        "\0" * 100,
        '{"session_id": "s", "x": "' + "x" * (1 << 20) + '"}',
    ],
    ids=range(10),
)
def test_what_names_no_session_gets_silence(box: Box, text: str) -> None:
    assert line(box, text) == ""


@pytest.mark.parametrize("wrong", ["many", -1, 1.5, 1e300, [], {}, True, None])
def test_figures_that_can_not_be_true_are_left_out(box: Box, wrong: Any) -> None:
    said = line(
        box,
        stated(
            cost=wrong,
            model=wrong,
            context_window={"context_window_size": wrong, "used_percentage": wrong},
        ),
    )

    assert said.startswith("context ")
    assert said.count("\n") == 1
    kept = Store(str(box.state / "attend.db"), readonly=True).figures.of(SESSION)
    assert kept is not None


def test_without_a_place_for_a_store_the_bare_gauge_is_left(box: Box) -> None:
    assert line(box, stated(), ATTEND_HOME="/proc/nowhere") == "context █░░░░░░░░░ 6% of 1M\n"


def test_a_locked_store_holds_nothing_up(box: Box) -> None:
    seed = Seed(box)
    seed.session()

    def holding(db: Any) -> str:
        return line(box, stated())

    said = seed.store.call(lambda db: _locked(db, holding))

    assert said == "context █░░░░░░░░░ 6% of 1M\n"


def _locked(db: Any, work: Any) -> Any:
    db.execute("BEGIN EXCLUSIVE")
    try:
        return work(db)
    finally:
        db.execute("ROLLBACK")


def test_a_client_that_never_ends_its_input_is_not_waited_for(box: Box) -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(HOT), "statusline"],
        env=box.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"session_id"')
        process.stdin.flush()

        assert process.wait(DEADLINE_S) == 0


def test_a_word_that_is_no_option_is_refused(box: Box) -> None:
    done = box.hot("statusline", "my-line.sh", input=stated())

    assert (done.returncode, done.stdout) == (2, "")
    assert "a command goes after --" in done.stderr


def gauge_of(box: Box, client: Client) -> dict[str, Any]:
    """Ask `attend context`."""
    done = box.run("context", "--json", "--session", client.session)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_gauge_goes_by_the_window_that_the_client_states(box: Box) -> None:
    client = box.client(box.repository())
    client.prompt()
    client.answer(tokens=50_000)
    by_table = gauge_of(box, client)
    line(box, stated(client.session, "claude-sonnet-4-5[1m]", **FRESH))
    by_client = gauge_of(box, client)
    line(box, stated(client.session, "claude-opus-5-5", **FRESH))
    of_another = gauge_of(box, client)

    assert (by_table["tokens_total"], by_table["window_source"]) == (200_000, "table")
    assert (by_client["tokens_total"], by_client["window_source"]) == (WINDOW, "client")
    assert (of_another["tokens_total"], of_another["window_source"]) == (200_000, "table")


def test_what_the_client_states_later_than_its_transcript_is_what_all_go_by(box: Box) -> None:
    client = box.client(box.repository())
    client.prompt()
    client.answer(tokens=50_000, at=time.time() - 60)
    client.monitor()
    box.looked()
    said = line(box, stated(client.session, "claude-sonnet-4-5"))
    gauge = gauge_of(box, client)
    (peer,) = json.loads(box.hot("peers", "--json", cwd=client.workdir).stdout)

    assert said.startswith("context █░░░░░░░░░ 6% of 1M")
    assert (gauge["tokens_used"], gauge["tokens_total"]) == (60_678, WINDOW)
    assert gauge["method"] == "stated"
    assert {name: peer[name] for name in ("tokens_used", "tokens_total", "model")} == {
        name: gauge[name] for name in ("tokens_used", "tokens_total", "model")
    }
    assert "context █░░░░░░░░░ 6% of 1M" in box.run("top").stdout

    client.answer(tokens=80_000, at=time.time() + 60)

    (peer,) = json.loads(box.hot("peers", "--json", cwd=client.workdir).stdout)
    assert gauge_of(box, client)["tokens_used"] == peer["tokens_used"] == 80_000
    assert "context █░░░░░░░░░ 8% of 1M" in box.run("top").stdout


def test_what_only_the_client_knows_is_shown(box: Box) -> None:
    client = box.client(box.repository())
    client.prompt()
    client.answer()
    line(box, stated(client.session, prompt_cache={"expires_at": 1_000_000_000}))
    said = box.run("context", "--session", client.session).stdout

    assert "cost         $0.76\n" in said
    assert "cache        56,000 tokens read, 3,400 written; it ended at 2001-09-09 " in said


def test_the_host_goes_by_it_too(box: Box) -> None:
    """The tiers are told by it: 6 % of the one window is 45 % of the other."""
    box.open_gates()
    client = box.client(box.repository())
    client.prompt()
    client.answer(tokens=90_000)
    line(box, stated(client.session, "claude-sonnet-4-5[1m]", **FRESH))
    client.monitor()
    box.looked(sensor="context")
    checkpoint = Store(str(box.state / "attend.db"), readonly=True)

    def noticed() -> bool:
        found = checkpoint.call(
            lambda db: db.execute("SELECT state FROM checkpoint").fetchall()
        )
        return any(b'"pct":9.0' in bytes(row[0]) for row in found)

    eventually(noticed)


def test_what_was_told_is_not_held_any_more(box: Box) -> None:
    box.configure("[governor]\ngap_s = 5.0\ngap_growth = 0.0\n")
    project = box.repository()
    client = box.client(project)
    client.prompt()
    client.monitor()
    client.out.until("| `attend run` belongs")
    box.looked()
    box.git(project, "switch", "-q", "-c", "fix")

    eventually(lambda: "held: git" in line(box, stated(client.session)))
    client.out.until("[attend sensor=git priority=medium] branch changed: main → fix")

    eventually(lambda: "held" not in line(box, stated(client.session)), 5.0)
