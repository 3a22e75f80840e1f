"""What `attendd.hot` reads of the client's files by itself is what `attendd.harness` reads."""

from pathlib import Path

import pytest

from attendd.harness.base import LiveSession
from attendd.harness.records import STATUSES
from attendd.harness.transcript import Transcript
from attendd.hot import present, record
from attendd.hot.present import Present
from tests.contract.claude_code.recorded import ROOT, VERSIONS, Recorded

SHAPES = [(v, s.name) for v in VERSIONS for s in sorted((ROOT / v).iterdir()) if s.is_dir()]
SHARED = "shared"
"""Here two processes run one session, and only the host, which follows both, tells them apart."""


def by_harness(each: LiveSession) -> dict[str, object]:
    names = ("session", "pid", "start", "cwd", "name", "version", "entrypoint", "since")
    found = {name: getattr(each, name) for name in names}
    return found | {"status": each.status, "transcript": each.transcript, "model": model(each)}


def model(each: LiveSession) -> str:
    """Return the model of a session's last answer; empty if there is none."""
    if not each.transcript:
        return ""
    end = Transcript(Path(each.transcript))
    end.refresh()
    return end.conversation.branches.latest.model


def by_hot(each: Present) -> dict[str, object]:
    names = ("session", "pid", "start", "cwd", "name", "version", "entrypoint", "since")
    found = {name: getattr(each, name) for name in names}
    return found | {
        "status": STATUSES[each.status],
        "transcript": present.transcript(each),
        "model": each.end.model,
    }


@pytest.mark.parametrize(("version", "scenario"), SHAPES)
def test_both_read_the_same_at_every_step(
    version: str, scenario: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions, what they do, transcripts and models; and tokens, where one process writes."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    recorded = Recorded(version, scenario, tmp_path)
    try:
        for label in recorded.steps:
            recorded.play(label)
            ours = present.live()
            present.look(ours)
            theirs = recorded.harness.live()

            assert {e.pid: by_hot(e) for e in ours} == {e.pid: by_harness(e) for e in theirs}
            for each in ours:
                own = record.read(each.pid)
                assert own is not None
                assert own.problem == ""
                assert (own.session, own.start, own.cwd) == (each.session, each.start, each.cwd)
                if scenario != SHARED:
                    assert (each.end.tokens or 0) == tokens(recorded, each), label
    finally:
        recorded.close()


def tokens(recorded: Recorded, each: Present) -> int:
    view = recorded.harness.view(each.session, each.pid, each.start, each.cwd)
    view.refresh()
    gauge = view.gauge()
    assert gauge is not None
    return gauge.tokens_used
