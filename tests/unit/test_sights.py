"""How each sees those that run: made for all at once, and as if made for each alone."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd.harness import LiveSession
from attendd.host import sights
from attendd.host.places import Place
from attendd.host.sights import Eyes, Runs, Sights
from attendd.model import Neighbour, Status
from attendd.store.around import Known

CHANNELS = ("one", "two")
TREES = {"/p": "/a", "/q": "/a", "/p/w": "/a", "": ""}
"""Work trees, and the projects that they belong to."""


def runs(
    pid: int,
    session: str = "s",
    tree: str = "/p",
    status: Status = Status.IDLE,
    entered: Sequence[str] = (),
) -> Runs:
    place = Place(TREES[tree], tree, "main")
    live = LiveSession(session=session, pid=pid, start="1", cwd=tree, status=status)
    neighbour = Neighbour(
        key=f"{pid}:1", session=session, worktree=tree, status=status, came_at=100.0 - pid
    )
    known = Known(
        session=session,
        name="",
        project=place.project,
        workdir=tree,
        channels=dict.fromkeys(entered, 50.0),
    )
    return Runs(neighbour, live, known, place)


someone = st.builds(
    runs,
    st.just(1),
    st.sampled_from("abc"),
    st.sampled_from(sorted(TREES)),
    st.sampled_from(Status),
    st.lists(st.sampled_from(CHANNELS), unique=True),
)
look = st.dictionaries(st.integers(1, 5), someone, max_size=4)
eyes = st.builds(
    lambda session, pid, tree, channels: Eyes(
        session, pid and (pid, "1"), TREES[tree], tree, frozenset(channels)
    ),
    st.sampled_from("abc"),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(sorted(TREES)),
    st.sets(st.sampled_from(CHANNELS)),
)
ABOVE = {"3:1": frozenset({(1, "1")})}
"""The third is started by the first."""


def alone(found: dict[int, Runs]) -> list[Runs]:
    return [
        runs(pid, each.known.session, each.place.worktree, each.neighbour.status,
             list(each.known.channels))
        for pid, each in found.items()
    ]  # fmt: skip


def gist(found: Sequence[Neighbour]) -> set[tuple[object, ...]]:
    return {(each.key, each.session, each.status, each.channels, each.here) for each in found}


@given(st.lists(look, min_size=1, max_size=5), st.lists(eyes, min_size=1, max_size=4))
def test_each_sees_what_it_would_see_alone_and_hears_of_all_that_turns(
    looks: list[dict[int, Runs]], who: list[Eyes]
) -> None:
    kept = Sights()
    for found in looks:
        before, version = {each: kept.of(each) for each in who}, kept.version
        kept.take(alone(found), ABOVE)
        for each in who:
            fresh = Sights()
            fresh.take(alone(found), ABOVE)
            seen = kept.of(each)
            assert seen == fresh.of(each)
            assert kept.turned(each, version) == (gist(before[each]) != gist(seen))
            assert not kept.turned(each, kept.version)
            assert list(seen) == sorted(seen, key=lambda one: (one.came_at or 0.0, one.key))


def test_what_is_seen_depends_on_who_looks() -> None:
    kept = Sights()
    kept.take([runs(1, "a"), runs(2, "b", "/p/w"), runs(3, "c", "/q", entered=["one"])], ABOVE)
    in_a_tree = kept.of(Eyes("a", (1, "1"), "/a", "/p", frozenset({"one"})))
    elsewhere = kept.of(Eyes("x", None, "/x", "/x", frozenset({"one"})))

    assert [(each.session, each.beside, each.own) for each in in_a_tree] == [
        ("c", False, True),
        ("b", False, False),
    ]
    assert [(each.session, each.here, each.channels) for each in elsewhere] == [
        ("c", False, ("one",))
    ]
    assert kept.of(Eyes("x", None, "/a", "/p", frozenset()))[-1].beside


@pytest.mark.parametrize("more", [0, 1])
def test_who_has_not_asked_for_long_is_made_to(more: int) -> None:
    kept, who = Sights(), Eyes("x", None, "/x", "/x", frozenset())
    kept.take([runs(1)], {})
    since = kept.version
    statuses = itertools.cycle((Status.BUSY, Status.IDLE))
    for _ in range(sights._MOST + more):  # noqa: SLF001
        kept.take([runs(1, status=next(statuses))], {})

    assert kept.turned(who, since) == bool(more)
