"""Ids of observations: the same with another host, others in another attention."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from attendd.engine.attention import Attention, EngineSettings
from attendd.host.saved import Saved, decode
from attendd.host.trail import Trail


@given(st.sets(st.integers(1, 10_000), max_size=200))
def test_each_observation_has_an_id_of_its_own(items: set[int]) -> None:
    trail = Trail()
    ids = {trail.of(item) for item in items}

    assert len(ids) == len(items)
    assert all(len(each) == 8 and each.isalnum() and each == each.lower() for each in ids)
    assert not ids & {Trail().of(item) for item in items}


def test_a_later_host_goes_on_with_the_ids_and_nothing_has_none() -> None:
    trail = Trail()
    saved = Saved(Attention(EngineSettings()).snapshot(), epoch=trail.epoch)

    later = Trail(decode(msgspec.json.encode(saved), "a1", otherwise=saved).epoch)

    assert later.of(7) == trail.of(7)
    assert later.of(0) == ""


def test_a_checkpoint_of_a_release_without_ids_is_taken_up() -> None:
    """And one that is none begins anew."""
    fresh = Saved(Attention(EngineSettings()).snapshot())
    earlier = msgspec.json.encode({"attention": fresh.attention, "sensors": {"git": [1]}})

    assert decode(earlier, "a1", otherwise=fresh).sensors == {"git": [1]}
    assert decode(b"no json", "a1", otherwise=fresh) is fresh
