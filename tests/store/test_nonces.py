"""Nonces: chosen by chance, kept for a session, never shared, rotated."""

import pytest

from attendd.hot import db as hot
from attendd.hot import lite, nonces


def test_ten_thousand_nonces_are_well_formed_and_hardly_ever_alike() -> None:
    made = [nonces.generate() for _ in range(10_000)]

    assert all(nonces.is_nonce(each) for each in made)
    assert len(set(made)) >= len(made) - 1


@pytest.mark.parametrize(
    "text", ["", "abc12", "abc1234", "ABC123", "abc 12", "äbc123", "abc12\n"]
)
def test_only_six_small_letters_and_digits_are_a_nonce(text: str) -> None:
    assert not nonces.is_nonce(text)


def test_a_session_keeps_its_nonce_until_it_is_rotated(db: hot.Connection) -> None:
    assert nonces.current(db, "s1") == ""
    first = nonces.make(db, "s1", 1.0)

    assert nonces.make(db, "s1", 2.0) == first == nonces.current(db, "s1")
    second = nonces.rotate(db, "s1", 3.0, "quoted in code")

    assert second != first
    assert nonces.current(db, "s1") == second
    kept = "SELECT session, made_wall, rotated_wall, reason FROM nonce ORDER BY made_wall"
    assert hot.read(db, kept) == [("s1", 1.0, 3.0, "quoted in code"), ("s1", 3.0, None, "")]


def test_a_nonce_that_is_none_is_replaced(db: hot.Connection) -> None:
    hot.write(db, lambda db: db.execute("INSERT INTO nonce VALUES ('', 's1', 1.0, NULL, '')"))

    assert nonces.is_nonce(nonces.make(db, "s1", 2.0))


def test_no_two_sessions_can_have_one_nonce(db: hot.Connection) -> None:
    taken = nonces.make(db, "s1", 1.0)
    steal = "INSERT INTO nonce (nonce, session, made_wall) VALUES (?, 's2', 1.0)"

    with pytest.raises(lite.sqlite.IntegrityError):
        hot.write(db, lambda db: db.execute(steal, (taken,)))
    assert nonces.make(db, "s2", 1.0) != taken
