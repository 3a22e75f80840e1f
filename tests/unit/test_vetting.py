"""What looks like a secret is no fact; what only reads like one is."""

import string
import sys
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.memory import vetting

HOLDS_ONE = [
    ("AWS key AKIAIOSFODNN7EXAMPLE", "AWS Access Key"),
    ("the aws secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "Secret Keyword"),
    ("it signs with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "High Entropy String"),
    ("the password is hunter2", "Secret Keyword"),
    ("db password = 'correct-horse'", "Secret Keyword"),
    ("export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345", "GitHub Token"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", "Private Key"),
    ("postgres://alice:s3cr3tpw@db/x", "Basic Auth Credentials"),
    ("the api key 9f86d081884c7d659a2feaa0c55ad015", "High Entropy String"),
    ("card 4111 1111 1111 1111", "Card Number"),
]
HOLDS_NONE = [
    "deploy on friday with `make release`",
    "the token is refreshed every hour",
    "the token budget is 4096",
    "password: see the vault",
    "password = ${DB_PASSWORD}",
    "the bug came with commit 3f2a9c1d4b5e6f708192a3b4c5d6e7f8091a2b3c",
    "session 123e4567-e89b-12d3-a456-426614174000",
    "the server is 8.8.8.8, port 5432",
    "src/attendd/memory/vettingOfThingsAndMoreStuff.py has it",
    "call getUserAccountPreferencesByIdentifierV2",
    "the epoch is 1796025908020",
    "der Schlüssel zum Erfolg ist Geduld",
    "",
]


@pytest.mark.parametrize(("text", "kind"), HOLDS_ONE, ids=lambda value: value[:20])
def test_a_secret_is_named_and_not_repeated(text: str, kind: str) -> None:
    said = vetting.objection(text)

    assert said.endswith(kind)
    assert not any(word in said for word in text.split() if any(map(str.isdigit, word)))


@pytest.mark.parametrize("text", HOLDS_NONE)
def test_what_only_reads_like_a_secret_may_be_kept(text: str) -> None:
    assert vetting.objection(text) == ""


@given(st.text(string.ascii_lowercase + " .,'-", max_size=200))
def test_plain_words_may_be_kept(text: str) -> None:
    assert "Entropy" not in vetting.objection(text)


def test_another_process_says_the_same() -> None:
    texts = [
        HOLDS_ONE[0][0],
        "deploy on friday",
        "é \ud83d".encode("utf-8", "replace").decode(),
    ]

    assert anyio.run(vetting.ask, texts) == vetting.objections(texts)


def test_a_text_that_breaks_the_detectors_keeps_no_other_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    detectors = tmp_path / "detectors"
    detectors.write_text(
        f"#!{sys.executable}\nimport json, sys\ntexts = json.load(sys.stdin)\n"
        "assert 'poison' not in texts\nprint(json.dumps([''] * len(texts)))\n"
    )
    detectors.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(detectors))

    found = anyio.run(vetting.ask, ["a", "b", "poison", "c"])

    assert found == ["", "", "it can't be looked at for secrets", ""]


def test_nothing_is_kept_that_can_not_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    with pytest.raises(vetting.VettingError, match="can't be looked at"):
        anyio.run(vetting.ask, ["a"])
