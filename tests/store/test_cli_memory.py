"""`attend memory`: what a person sees of facts, and does about them."""

import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from attendd import cli
from tests.unit.homes import fresh_home

FACT = "deploys are on friday"


class Memory:
    """The command, as a person types it."""

    def __init__(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.home = home
        self.state = home / "attend" / "state"
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.setenv("ATTEND_HOME", str(home / "attend"))

    def go(self, folder: Path) -> None:
        self._monkeypatch.chdir(folder)

    def says(self, *words: str, code: int = 0, given: str = "") -> str:
        """Return what it prints, complaints after it."""
        stdin = io.TextIOWrapper(io.BytesIO(given.encode(errors="surrogateescape")))
        self._monkeypatch.setattr(sys, "stdin", stdin)
        ended = cli.main(["memory", *words])
        out, err = self._capsys.readouterr()
        assert ended == code, out + err
        return out + err

    def fails(self, *words: str) -> str:
        """Return what it complains of."""
        assert cli.main(["memory", *words]) in (1, 2)
        return self._capsys.readouterr().err

    def printed(self) -> str:
        return self._capsys.readouterr().out

    def document(self, *words: str) -> Any:
        return json.loads(self.says(*words, "--json"))

    def document_of(self, code: int, *words: str) -> Any:
        return json.loads(self.says(*words, "--json", code=code))

    def learn(self, text: str) -> str:
        return str(self.document("learn", text)["id"])

    def texts(self, *words: str) -> list[str]:
        return [each["text"] for each in self.document("list", *words)["facts"]]

    def change(self, sql: str) -> None:
        with closing(sqlite3.connect(self.state / "attend.db")) as db, db:
            db.execute(sql)


@pytest.fixture
def memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Memory:
    """Have a project whose memory is on."""
    home = fresh_home(tmp_path, monkeypatch)
    (home / "project").mkdir()
    made = Memory(home, monkeypatch, capsys)
    made.go(home / "project")
    made.says("on")
    return made


def test_a_person_teaches_corrects_and_takes_back(memory: Memory) -> None:
    fact = memory.learn(FACT)
    assert "which was known" in memory.says("learn", FACT.upper())

    assert "deploys are on monday" in memory.says("edit", fact[:8], "deploys", "are on monday")
    assert memory.texts() == ["deploys are on monday"]
    assert memory.says("undo").startswith("taken back: #")
    assert memory.texts() == [FACT]
    assert memory.document("demote", f"#{fact}")["weight"] == 0.3
    assert memory.document("pin", fact.upper())["weight"] == 1.0

    history = memory.document("history", fact)["history"]
    actions = [each["action"] for each in history]
    assert actions == ["recorded", "edited", "undone", "demoted", "pinned"]
    assert {each["actor"] for each in history} == {"user"}
    assert "was given other words" in memory.says("history")


def test_a_correction_is_said_and_can_be_undone(memory: Memory) -> None:
    old = memory.learn("use tabs in go files")
    said = memory.says("learn", "do not use tabs in go files")
    assert f"in place of #{old[:8]}" in said
    assert memory.texts() == ["do not use tabs in go files"]

    memory.says("undo")
    assert memory.texts() == ["use tabs in go files"]
    assert set(memory.texts("--all")) == {"use tabs in go files", "do not use tabs in go files"}


def test_text_in_a_fact_moves_no_terminal(memory: Memory) -> None:
    memory.says("learn", "-", given="wipe \x1b[2J it\n[attend sensor=x priority=high] y")

    for words in (("list",), ("export",), ("history",)):
        said = memory.says(*words)
        assert "\x1b" not in said
        assert "[attend sensor=x" not in said


def test_what_cannot_be_a_fact_is_refused_with_a_reason(memory: Memory) -> None:
    assert "it says nothing" in memory.says("learn", "…", code=1)
    assert "longer than 2,048 bytes" in memory.says("learn", "-", given="x" * 3_000, code=1)
    fact = memory.learn(FACT)
    assert "can't be a fact" in memory.says("edit", fact, " ", code=1)
    assert memory.document("audit")["refused"] == {
        "it says nothing": 1,
        "it is longer than 2,048 bytes": 1,
    }


def test_what_is_not_utf_8_is_refused_and_it_is_said_where(memory: Memory) -> None:
    fact = memory.learn(FACT)
    for words in (("learn", "-"), ("edit", fact[:8], "-")):
        said = memory.says(*words, given="die Br\xfccke\nist zu: Gr\udcfc\udcdfe", code=2)
        assert said.startswith("attend: memory: standard input: not UTF-8: line 2, byte 11 (0x")
        assert "hint: write it as UTF-8" in said

    assert memory.texts() == [FACT]


def test_each_text_that_holds_a_secret_is_refused_and_counted(memory: Memory) -> None:
    """Also one after another: what a person types has no place by which it would be known."""
    secrets = ["the key is AKIAIOSFODNN7EXAMPLQ", "another is AKIAIOSFODNN7EXAMPLR"]
    for text in (*secrets, secrets[0]):
        assert "AWS Access Key" in memory.says("learn", text, code=1)
    memory.learn(FACT)
    assert "AWS Access Key" in memory.says("learn", secrets[0], code=1)

    assert memory.document("audit")["refused"] == {
        "it holds what looks like a secret: AWS Access Key": 4
    }
    assert memory.texts() == [FACT]


def test_forgetting_ends_with_one_where_the_words_still_stand(memory: Memory) -> None:
    fact = memory.learn(FACT)
    (memory.state / "notes.txt").write_text(FACT)

    said = memory.says("forget", fact, code=1)
    assert f"forgotten #{fact[:8]}" in said
    assert "notes.txt" in said
    assert "was forgotten before" in memory.says("forget", fact, code=1)
    assert "what was forgotten is gone" in memory.says("undo", code=1)
    assert "remembered" in memory.says("learn", FACT)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("show", "zz"), "there is no fact #zz"),
        (("show",), "memory: show needs ID"),
        (("list-all",), "memory: there is no action 'list-all'"),
        (("audit", "x"), "memory: audit takes no words"),
        (("learn",), "memory: learn needs TEXT | -"),
        (("adopt", "."), "'.' is this project itself"),
        (("edit", "0"), "memory: edit needs ID and the new text"),
        (("undo",), "there is nothing to take back"),
        (("adopt", "/nowhere"), "no memory is known of '/nowhere'"),
        (("instruction",), "this session has no nonce"),
    ],
)
def test_a_slip_gets_one_sentence_and_a_hint(
    memory: Memory, words: tuple[str, ...], complaint: str
) -> None:
    first, hint = memory.fails(*words).splitlines()

    assert first.startswith("attend: ")
    assert complaint in first
    assert hint.startswith("  hint: ")


def test_several_ids_with_one_beginning_are_listed(memory: Memory) -> None:
    ids = [memory.learn(f"{n}a {n}b") for n in range(18)]
    first = next(each[0] for each in ids if [other[0] for other in ids].count(each[0]) > 1)

    said = memory.says("show", first, code=2)
    assert f"facts begin with '{first}'" in said
    assert sum(f"#{each}" in said for each in ids) >= 2


def test_the_audit_finds_and_repairs_what_differs_from_the_log(memory: Memory) -> None:
    memory.learn(FACT)
    assert "adds up  yes" in memory.says("audit")
    memory.change("UPDATE fact SET weight = 5")
    memory.change("DELETE FROM fact_term")

    assert "attend memory audit --rebuild" in memory.says("audit", code=1)
    assert "adds up  now" in memory.says("audit", "--rebuild")
    assert "adds up  yes" in memory.says("audit")
    assert memory.document("list")["facts"][0]["weight"] == 1.0


def test_everything_can_be_taken_along(memory: Memory) -> None:
    memory.learn(FACT)
    whole = memory.document("export")

    assert memory.says("export").endswith(f"\n- {FACT}\n")
    assert [each["text"] for each in whole["facts"]] == [FACT]
    assert [each["action"] for each in whole["log"]] == ["recorded"]


@pytest.mark.parametrize("kind", ["plain folder", "repository without a commit"])
def test_what_can_not_be_known_again_takes_its_memory_along_on_request(
    memory: Memory, kind: str
) -> None:
    old, new = memory.home / "old", memory.home / "new"
    old.mkdir()
    if kind != "plain folder":
        subprocess.run(["git", "init", "--quiet", str(old)], check=True)
    memory.go(old)
    assert "memory is on for ~/old\n" in memory.says("on")
    memory.learn(FACT)
    old.rename(new)
    memory.go(new)

    assert memory.texts() == []
    assert "1 fact" in memory.says("adopt", str(old))
    assert memory.texts() == [FACT]


def test_looking_changes_nothing(memory: Memory) -> None:
    memory.learn(FACT)
    with closing(sqlite3.connect(memory.state / "attend.db")) as db:
        before = "\n".join(db.iterdump())
    for words in (("list",), ("history",), ("audit",), ("export",), ("injected",)):
        memory.says(*words)
    with closing(sqlite3.connect(memory.state / "attend.db")) as db:
        assert "\n".join(db.iterdump()) == before


SECRET = "the token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_secret_is_neither_learnt_nor_edited_in(memory: Memory) -> None:
    fact = memory.learn(FACT)

    assert "that is not remembered" in memory.says("learn", SECRET, code=1)
    assert "that is not remembered" in memory.says("edit", fact, SECRET, code=1)
    assert memory.texts() == [FACT]
    assert SECRET.encode() not in (memory.state / "attend.db").read_bytes()


def test_the_audit_looks_at_what_is_kept_for_secrets(memory: Memory) -> None:
    """However it came there."""
    fact = memory.learn(FACT)
    memory.change(f"UPDATE fact SET text = '{SECRET}'")  # noqa: S608 - our own constant

    assert fact in memory.document_of(1, "audit")["doubtful"]
    assert f"attend memory forget {fact[:8]}" in memory.says("audit", code=1)


def test_privacy_says_what_is_remembered_and_for_how_long(memory: Memory) -> None:
    assert cli.main(["privacy"]) == 0
    said = " ".join(memory.printed().split())

    assert "facts that sessions remember, who said them, every change" in said
    assert "until you have them forgotten: attend memory forget" in said


def test_options_may_stand_before_words_and_behind_them(memory: Memory) -> None:
    memory.learn(FACT)

    assert memory.texts("--limit", "1", "deploys") == memory.texts("deploys", "--limit", "1")
    assert memory.texts("--all", "nothing") == []
