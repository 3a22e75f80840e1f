"""What a client writes about its process is read as it is now, or not believed."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.hot import identity, process, record
from attendd.hot.lite import json_get
from tests.process.box import Client, boxed
from tests.unit.asking import ask, rewrite

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with boxed(tmp_path / "h") as box:
        (box.home / "work").mkdir()
        yield box.client(box.home / "work")


def test_a_session_that_was_cleared_is_followed_at_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(client.home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    start = process.start_time(client.pid) or ""

    for _ in range(20):
        assert identity.current_session(client.pid, start) == client.session
        assert ask(client)["session"] == client.session
        client.clear()

    assert identity.current_session(client.pid, "1") is None
    client.record_path.unlink()
    assert identity.current_session(client.pid, start) is None


def test_a_record_rewritten_within_one_tick_of_the_clock_is_not_missed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place, same length, same time stamp as far as the file system can tell."""
    monkeypatch.setenv("HOME", str(client.home))
    start = process.start_time(client.pid) or ""
    text = client.record_path.read_text()

    for number in range(200):
        changed = text.replace(client.session, f"{number:0{len(client.session)}d}")
        client.record_path.write_text(changed)
        assert identity.current_session(client.pid, start) == f"{number:036d}"


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"sessionId": None}, "names no session as this release knows it"),
        ({"sessionId": 12}, "names no session as this release knows it"),
        ({"sessionId": "a\nb"}, "names no session as this release knows it"),
        ({"sessionId": "../../x"}, "names no session as this release knows it"),
        ({"procStart": None}, "does not say when its process started"),
        ({"pid": 1}, "is about process 1"),
    ],
)
def test_a_record_of_an_unknown_format_is_a_note_and_no_guess(
    client: Client, change: dict[str, object], note: str
) -> None:
    rewrite(client, **change)

    found = ask(client)

    assert (found["session"], found["how"], found["harness"]) == ("", "unresolved", "none")
    assert found["contract"] == f"{client.record_path} {note}"


def test_a_record_that_is_not_json_is_a_note(client: Client) -> None:
    client.record_path.write_text(client.record_path.read_text()[:40])

    assert ask(client)["contract"] == f"{client.record_path} is not JSON"


def test_a_start_time_written_as_a_number_is_the_same(client: Client) -> None:
    rewrite(client, procStart=int(process.start_time(client.pid) or ""))

    assert ask(client)["session"] == client.session


def test_a_record_that_is_just_being_written_is_waited_for(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client rewrites it in place: a reader may see any part of it."""
    monkeypatch.setenv("HOME", str(client.home))
    whole = client.record_path.read_text()
    client.record_path.unlink()
    os.mkfifo(client.record_path)
    path = client.record_path
    client.do(f"exec 3>'{path}'; rm '{path}'; printf '%s' '{whole}' >'{path}'")
    client.do(f"printf '%s' '{whole[:50]}' >&3; exec 3>&-")

    found = record.read(client.pid)

    assert found is not None
    assert found.session == client.session


@pytest.mark.parametrize(
    "workdir", ["/x/My Proj_1.x", "/x/日本/é", "/x/a-b/😀", "/x/" + "long/" * 36, "/"]
)
def test_the_transcript_is_named_by_the_directory_as_the_client_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workdir: str
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    found = record.Record("")
    found.cwd, found.session = workdir, "5b1d-x"
    units = workdir.encode("utf-16-le")
    letters = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    folder = "".join(chr(n) if n < 128 and chr(n).isalnum() else "-" for n in letters)

    assert record.transcript(found) == ""
    (tmp_path / "projects" / folder).mkdir(parents=True)
    (tmp_path / "projects" / folder / "5b1d-x.jsonl").write_text("{}\n")
    assert record.transcript(found) == f"{tmp_path}/projects/{folder}/5b1d-x.jsonl"


WANTED = ["sessionId", "procStart", "pidDomain", "cwd", "pid"]
ODD = st.sampled_from(
    ["", " ", '"', "\\", "{", "}", ",", '"pid":7', "\n", "\x1f", "é", "\ud800"]
)
TEXTS = st.lists(st.one_of(ODD, st.text(max_size=3)), max_size=4).map("".join)
VALUES = st.one_of(TEXTS, st.integers(-9, 1 << 40), st.none(), st.booleans(), st.floats(0, 9))
NESTED = st.one_of(
    VALUES, st.lists(VALUES, max_size=2), st.dictionaries(TEXTS, VALUES, max_size=1)
)
RECORDS = st.builds(
    dict.__or__,
    st.one_of(
        st.fixed_dictionaries(dict.fromkeys(WANTED, VALUES)),
        st.fixed_dictionaries({}, optional=dict.fromkeys(WANTED, VALUES)),
    ),
    st.dictionaries(TEXTS, NESTED, max_size=2),
)


@given(
    said=RECORDS,
    ascii_only=st.booleans(),
    marks=st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :")]),
)
def test_what_a_record_says_is_what_its_json_says(
    said: dict[str, object], *, ascii_only: bool, marks: tuple[str, str]
) -> None:
    text = json.dumps(said, ensure_ascii=ascii_only, separators=marks)
    text = text.encode("utf-8", "replace").decode()

    found = record.members(text)

    assert found == json_get(text, *(f"$.{key}" for key in WANTED))


@given(RECORDS, st.data())
def test_the_beginning_of_a_record_says_nothing(
    said: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(said)

    assert record.members(text[: data.draw(st.integers(0, len(text) - 1))]) is None
