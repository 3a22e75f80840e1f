"""Ids of observations: the same with another host, others in another attention."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.attention import Attention
from attendd.engine.settings import EngineSettings
from attendd.host.saved import Saved, decode
from attendd.host.trail import Trail


@given(st.sets(st.integers(1, 10_000), max_size=200))
def test_each_observation_has_an_id_of_its_own(items: set[int]) -> None:
    trail = Trail()
    ids = {trail.of(item) for item in items}

    assert len(ids) == len(items)
    assert all(len(each) == 8 and each.isalnum() and each == each.lower() for each in ids)
    assert not ids & {Trail().of(item) for item in items}


@given(st.lists(st.integers(0, 50), max_size=6))
def test_no_id_is_given_twice_whatever_hosts_died_after(grown: list[int]) -> None:
    """Each host takes up a checkpoint that knows fewer numbers than were given."""
    trail, last, given_out, names = Trail(), 0, 0, set[str]()
    for known in grown:
        fresh = {trail.of(item) for item in range(last + 1, last + known + 6)}
        assert len(fresh) == known + 5
        names |= fresh
        given_out += known + 5
        assert len(names) == given_out
        last += known
        before = {item: trail.of(item) for item in range(max(1, last - 3), last + 1)}
        trail = Trail(trail.epochs, last)
        assert {item: trail.of(item) for item in before} == before


def test_ids_go_with_a_checkpoint_and_nothing_has_none() -> None:
    trail = Trail()
    saved = Saved(Attention(EngineSettings()).snapshot(), epochs=trail.epochs)

    taken_up = decode(msgspec.json.encode(saved), "a1", otherwise=saved)

    assert Trail(taken_up.epochs, 7).of(7) == trail.of(7)
    assert Trail(taken_up.epochs, 7).of(8) != trail.of(8)
    assert trail.of(0) == ""


def test_a_checkpoint_of_a_release_without_ids_is_taken_up() -> None:
    """And one that is none begins anew."""
    fresh = Saved(Attention(EngineSettings()).snapshot())
    earlier = msgspec.json.encode({"attention": fresh.attention, "sensors": {"git": [1]}})

    assert decode(earlier, "a1", otherwise=fresh).sensors == {"git": [1]}
    assert decode(b"no json", "a1", otherwise=fresh) is fresh
