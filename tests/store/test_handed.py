"""Whatever is handed over is accepted or refused: nothing that it holds ends who takes it in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from attendd.hot import db as hot
from attendd.hot import handed, moment, outside, places
from tests.store import given, mailing

QUICK = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
ODD_NUMBERS = ["nan", "inf", "-inf", "1e999", "1_0", "٣", "", "x", "-1", "9" * 400, "9" * 5000]
NOW = repr(moment.now().wall)
FIELDS = ["send", "-", "s2", "12", "3", "", "/w", NOW, "boot", "2.0"]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hot.Connection]:
    """Have a home of one's own with a store in which ``s1`` is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTEND_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path_factory.mktemp("client")))
        db = hot.connect(full=True)
        given.enrol(db)
        yield db
        db.close()


def record(body: bytes = b"hello", message: str = "k3f9q2xm") -> bytes:
    """Make a record as a sandboxed sender would."""
    made = mailing.draft("s2", "--to", "s1", message=message, body=body)
    made.said = moment.now()
    return outside.packed(made)


def framed(payload: bytes, message: bytes = b"k3f9q2xm") -> bytes:
    return b"@%s %06d\n%s" % (message, len(payload), payload)


def answer(message: str = "k3f9q2xm") -> str:
    return Path(outside.said_path(message)).read_text()


@QUICK
@for_all(st.binary() | st.binary().map(framed) | st.binary(max_size=12).map(b"@".__add__))
@example(framed(b"\0".join([b"x"] * 10 + [b"9" * 20, b"", b""])))
@example(framed(b"\0".join([b"x"] * 10 + [b"9" * 5000, b"", b""])))
@example(framed(b"\0".join([b"x"] * 10 + ["٣".encode(), b"", b""])))
def test_anything_is_a_whole_record_or_none(data: bytes) -> None:
    found = outside.unpacked(data)

    assert found is None or (len(found[1]) >= len(FIELDS) and found[3] <= len(data))


@QUICK
@for_all(st.integers(0, 100), st.integers(0, 9), st.binary(max_size=9))
def test_a_record_with_bytes_changed_cut_or_added_is_one_or_none(
    at: int, length: int, fresh: bytes
) -> None:
    good = record()
    found = outside.unpacked(good[:at] + fresh + good[at + length :])

    assert found is None or len(found[1]) >= len(FIELDS)


def test_a_record_is_taken_apart_as_it_was_put_together() -> None:
    data = record(b"nul \0 and \xff\n")

    message, fields, body, size = outside.unpacked(data + b"more") or ("", [], b"", 0)

    assert (message, body, size) == ("k3f9q2xm", b"nul \0 and \xff\n", len(data))
    assert [*fields[:7], *fields[10:]] == ["send", "", "s2", "0", "", "", "/w", "--to=s1"]


odd_text = st.text(st.characters(exclude_characters="\0", exclude_categories=()), max_size=30)


@QUICK
@for_all(
    st.sampled_from(["k3f9q2xm", "/../../a", "\0" * 8, "........", "ÿÿÿÿÿÿÿÿ"]),
    st.tuples(*(st.just(each) | odd_text | st.sampled_from(ODD_NUMBERS) for each in FIELDS)),
    st.lists(odd_text | st.sampled_from(["--to=s1", "--", "-", "--re=k3f9q2xm"]), max_size=3),
    st.binary(max_size=20),
)
@example(
    "k3f9q2xm", ("send", "", "s", "9" * 400, "", "", "/", NOW, "", "nan"), ["--to=s1"], b"x"
)
@example("k3f9q2xm", ("send", "", "s", "٣" * 9, "", "", "/\udcff", NOW, "", "inf"), [], b"x")
def test_a_record_of_any_fields_is_accepted_or_refused(
    office: hot.Connection, message: str, fields: tuple[str, ...], words: list[str], body: bytes
) -> None:
    """And nothing is left anywhere but an answer, under an id that is one."""
    handed.accept(message, [*fields, *words], body, via="spool", told=True)

    run = Path(places.runtime_dir())
    assert {path.name for path in run.iterdir()} <= {"said-k3f9q2xm"}
    assert {path.name for path in run.parent.iterdir()} <= {"run", "state"}


@pytest.mark.parametrize("number", [each for each in ODD_NUMBERS if each not in ("1_0", "٣")])
def test_a_moment_that_is_none_is_now(office: hot.Connection, number: str) -> None:
    fields = [*FIELDS[:8], moment.now().boot, number, "--to=s1"]
    before = moment.now().wall

    handed.accept("23456789", fields, b"hello", via="fifo")

    said = "SELECT created_at FROM message WHERE id = '23456789'"
    at = hot.read(office, said)
    office.execute("DELETE FROM message")
    office.execute("DELETE FROM delivery")
    assert answer("23456789").startswith("0\nstored #23456789")
    assert before <= at[0][0] <= moment.now().wall


def test_who_is_told_of_a_refusal_is_told_in_words_that_can_be_kept(
    office: hot.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half surrogate, which no store takes, is neither in what is told nor in the answer."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "sessions").mkdir()
    own = f'{{"sessionId":"s1","procStart":"","pidDomain":"","cwd":"/","pid":{os.getpid()}}}'
    (tmp_path / "sessions" / f"{os.getpid()}.json").write_text(own)
    fields = ["send\udcff", "", "s1", str(os.getpid()), "", "", "/", NOW, "", "0", "--\udcff=x"]

    handed.accept("k3f9q2xm", fields, b"hello", via="spool", told=True)

    assert answer().startswith("2\nattend: unknown option")
