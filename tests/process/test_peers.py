"""Sessions beside each other: real processes come, turn and are killed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.process.box import Box, Client, eventually


def observed(box: Box, text: str) -> int:
    """Count how often the peers sensor noticed something."""
    sql = """SELECT count(*) FROM entry WHERE sensor = 'peers' AND text LIKE ?
        AND code IN ('observed', 'merged')"""
    try:
        with closing(sqlite3.connect(f"file:{box.state}/journal.db?mode=ro", uri=True)) as db:
            return int(db.execute(sql, (f"%{text}%",)).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def attended(box: Box, workdir: Path, nth: int = 1) -> Client:
    """Start a client, the nth that is attended, up to its first look at its neighbours."""
    client = box.client(workdir)
    client.prompt()
    client.monitor()
    box.looked(nth, sensor="peers")
    return client


def test_a_session_in_another_work_tree_is_seen_to_come_and_go(box: Box) -> None:
    project = box.repository()
    box.git(project, "worktree", "add", "-q", "-b", "fix", str(box.home / "fix"))
    attended(box, project)

    other = box.client(box.home / "fix")
    came = f"session {other.session[:8]} appeared in this project on branch fix"
    eventually(lambda: observed(box, came) == 1)
    other.record_path.unlink()
    other.end()

    eventually(lambda: observed(box, f"session {other.session[:8]} is gone") == 1)
    assert observed(box, came) == 1


def test_a_killed_client_is_gone_at_once_though_its_record_stays(box: Box) -> None:
    """No file tells of it."""
    project = box.repository()
    other = box.client(project)
    attended(box, project)

    other.process.kill()
    other.process.wait()

    eventually(lambda: observed(box, "is gone") == 1)
    assert other.record_path.exists()


def test_records_that_tell_of_no_live_session_here_are_no_news(box: Box) -> None:
    """A killed client's, one of a pid used again, one of another pid namespace, broken ones."""
    project = box.repository()
    first = attended(box, project)
    folder = first.record_path.parent
    model = json.loads(first.record_path.read_text()) | {"sessionId": "ghost"}
    pid = box.client(box.home).pid  # lives, in another project
    for name, record in {
        "4194300": model | {"pid": 4194300},
        str(pid): model | {"pid": pid, "procStart": "1"},
        "1": model | {"pid": 1, "pidDomain": "linux:0:pid:[1]"},
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(record))
    (folder / "77.json").write_text("{")
    for at in range(2000):
        (folder / f"{5_000_000 + at}.json").write_text(json.dumps(model))

    other = box.client(project)  # what comes last is seen after all of these
    eventually(lambda: observed(box, other.session[:8]) == 1)

    assert observed(box, "ghost") == 0
    assert observed(box, "appeared") == 1


def test_clear_is_no_news_and_the_session_never_its_own_peer(box: Box) -> None:
    project = box.repository()
    first = attended(box, project)
    second = attended(box, project, nth=2)
    eventually(lambda: observed(box, f"{second.session[:8]}%appeared") == 1)

    first.clear()
    second.clear()
    third = box.client(project)
    eventually(lambda: observed(box, f"{third.session[:8]}%appeared") == 2)

    assert observed(box, "appeared") == 3
    assert observed(box, "is gone") == 0


def test_a_session_that_moves_to_another_project_and_back_is_not_gone(box: Box) -> None:
    project, elsewhere = box.repository(), box.repository("elsewhere")
    attended(box, project)
    other = box.client(project)
    eventually(lambda: observed(box, f"{other.session[:8]}%appeared") == 1)

    other.workdir = elsewhere
    other.record("idle")
    eventually(lambda: observed(box, "has left for another project, elsewhere") == 1)
    other.workdir = project
    other.record("idle")

    eventually(lambda: observed(box, "appeared%, from another project") == 1)
    assert observed(box, "is gone") == 0
