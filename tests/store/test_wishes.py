"""What a person has set reaches hooks and readers through the store."""

from pathlib import Path

import pytest

from attendd.config import schema
from attendd.hot import db as hot
from attendd.hot import pace, wishes

DEFAULT = (pace.GAP_S, pace.MOST, pace.WINDOW_S)


def test_what_nobody_has_set_is_as_the_configuration_has_it() -> None:
    said = schema.Messages()

    assert {key: str(getattr(said, key)) for key in wishes.DEFAULTS} == wishes.DEFAULTS


def test_what_is_kept_is_known_and_only_what_is_new_is_written(db: hot.Connection) -> None:
    assert wishes.terms(db) == DEFAULT

    assert wishes.keep(db, {"gap_s": "0.0", "max_messages": "2", "window_s": "3600.0"})
    assert not wishes.keep(db, {"gap_s": "0.0", "max_messages": "2"})
    assert wishes.terms(db) == (0.0, 2, 3600.0)
    assert wishes.get(db, wishes.SHOW_HOOKS) == "summary"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gap_s", "-1"), ("gap_s", "nan"), ("gap_s", "inf"), ("max_messages", "0"),
        ("max_messages", "1.5"), ("window_s", "0"), ("show_hooks", "loud"), ("show_hooks", "3"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_not_kept_and_not_believed(
    db: hot.Connection, key: str, value: str
) -> None:
    """A later release may have other keys, and other values for ours."""
    assert not wishes.keep(db, {key: value})
    db.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (f"wish:{key}", value))
    db.execute("INSERT INTO meta (key, value) VALUES ('wish:later', 'x')")

    assert wishes.terms(db) == DEFAULT
    assert wishes.get(db, wishes.SHOW_HOOKS) == "summary"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[messages]\ngap_s = 0\nmax_messages = 5\n", (0.0, 5, 60.0)),
        ("messages = 3\n", (1.0, 30, 60.0)),
        ("[messages]\ngap_s = true\nwindow_s = 'x'\n", (1.0, 30, 60.0)),
        ("[governor]\ngap_s = 1.0\n", DEFAULT),
        ("[messages\n", (1.0, 30, 60.0)),
        ("[messages]\ngap_s = 0  # f\udcfcr alle\n", (1.0, 30, 60.0)),
    ],
)
def test_a_file_is_read_as_far_as_it_can_be(
    db: hot.Connection, tmp_path: Path, text: str, found: tuple[float, int, float]
) -> None:
    """What it does not say has its default; what is broken changes nothing."""
    wishes.keep(db, {"gap_s": "1.0"})
    (tmp_path / "config.toml").write_bytes(text.encode(errors="surrogateescape"))

    wishes.keep_file(db, f"{tmp_path}/config.toml")

    assert wishes.terms(db) == found
