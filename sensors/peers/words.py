"""Says who came, went and turned. Pure."""

from collections.abc import Sequence

from attendd.api import Magnitude, Neighbour, Observation, Status

HERE: Magnitude = 3
"""Who comes or goes in the project while work goes on: worth a line of its own."""
ELSEWHERE: Magnitude = 2
"""Who does so in a shared channel alone, or while the session is idle: rides along."""
TURNED: Magnitude = 1.5
CROWD = 3
"""So many at once are named one by one; more become one line."""

_DID = {
    Status.BUSY: "began to work",
    Status.WAITING: "began to wait for its person",
    Status.IDLE: "finished its turn",
}
_LONGEST = 60


def appeared(found: Sequence[Neighbour], *, awake: bool) -> list[Observation]:
    """Say who came, to a session that is awake or not."""
    if len(found) > CROWD:
        text = f"{len(found)} sessions appeared: {_listed(found)}"
        return [_observed("appeared", text, _weight(*found, awake=awake))]
    return [
        _observed(
            "appeared",
            f"{who(each)}{_from(each)} appeared {_where(each)}",
            _weight(each, awake=awake),
            own=each.own,
        )
        for each in found
    ]


def gone(found: Sequence[Neighbour], *, awake: bool) -> list[Observation]:
    """Say who went, to a session that is awake or not."""
    if len(found) > CROWD:
        text = f"{len(found)} sessions are gone: {_listed(found)}"
        return [_observed("gone", text, _weight(*found, awake=awake))]
    return [
        _observed(
            "gone",
            f"{who(each)}{_from(each)} is {_away(each)}",
            _weight(each, awake=awake),
            own=each.own,
        )
        for each in found
    ]


def left(found: Sequence[tuple[Neighbour, Neighbour]], *, awake: bool) -> list[Observation]:
    """Say who runs on and is no neighbour any more, or one in a channel only.

    Args:
        found: each as it was, and as it is.
        awake: whether the session that is told is.
    """
    if len(found) > CROWD:
        before = [each for each, _ in found]
        text = f"{len(found)} sessions have left: {_listed(before)}"
        return [_observed("left", text, _weight(*before, awake=awake))]
    return [
        _observed(
            "left",
            f"{who(before)}{_from(before)} {_left(before, now)}",
            _weight(before, awake=awake),
            own=before.own,
        )
        for before, now in found
    ]


def turned(found: Sequence[Neighbour]) -> list[Observation]:
    """Say who does something else now."""
    if len(found) > CROWD:
        text = f"{len(found)} sessions turned: {_listed(found)}"
        return [_observed("status", text, TURNED)]
    return [
        _observed("status", f"{who(each)} {_DID[each.status]}", TURNED, own=each.own)
        for each in found
    ]


def who(neighbour: Neighbour) -> str:
    """Name a session so that it can be written to: its name, and the beginning of its id."""
    if neighbour.session.startswith("as:"):
        return f"{neighbour.session.removeprefix('as:')} (a name of its own choosing)"
    kind = "a program's session" if neighbour.headless else "session"
    brief = neighbour.session[:8]
    return f"{neighbour.name} ({kind} {brief})" if neighbour.name else f"{kind} {brief}"


def _weight(*found: Neighbour, awake: bool) -> Magnitude:
    return HERE if awake and any(each.here for each in found) else ELSEWHERE


def _where(neighbour: Neighbour) -> str:
    if not neighbour.here:
        return f"in {_channels(neighbour)}"
    branch = f" on branch {neighbour.branch[:_LONGEST]}" if neighbour.branch else ""
    moved = ", from another project" if neighbour.moved else ""
    kind = "work tree" if neighbour.branch else "folder"
    if neighbour.beside:
        return f"in this very {kind}{branch}{moved}"
    folder = neighbour.worktree.rstrip("/").rpartition("/")[2]
    tree = f", in the {kind} {folder[:_LONGEST]}" if folder else ""
    return f"in this project{branch}{tree}{moved}"


def _from(neighbour: Neighbour) -> str:
    return "" if neighbour.here else f", at work on {neighbour.place},"


def _away(neighbour: Neighbour) -> str:
    return "gone" if neighbour.here else f"no longer in {_channels(neighbour)}"


def _left(before: Neighbour, now: Neighbour) -> str:
    if not before.here:
        return f"is {_away(before)}"
    if now.worktree == before.worktree:  # not the session has moved, but its repository
        return "is no longer in this project"
    return f"has left for another project, {now.place}"


def _channels(neighbour: Neighbour) -> str:
    return ", ".join(f"#{name}" for name in neighbour.channels)


def _listed(found: Sequence[Neighbour]) -> str:
    names = ", ".join(each.name or each.session[:8] for each in found[:CROWD])
    return f"{names} and {len(found) - CROWD} more"


def _observed(topic: str, text: str, magnitude: Magnitude, *, own: bool = False) -> Observation:
    return Observation(topic=f"peers.{topic}", text=text, magnitude=magnitude, own=own)
