"""Where `attend build` reports, and in which words: a file for each run, replaced whole.

Its name says project, command and time, so that parallel runs don't mix, and so that a small
ring of each can be kept by looking at names alone.
"""

import posix

from attendd.hot import db, folders, jsonout, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.moment import Moment

ENDING = ".json"
KEPT_S = 300.0
"""What ended so lately is not among the few: not everybody may have read it yet."""
_OF_COMMAND = 4
"""So many runs of one command in one project are kept, besides those that still run."""
_OF_ALL = 256
"""So many reports are kept, besides those of what still runs, however lately they ended."""


def folder(*, make: bool) -> str:
    """Return where reports lie.

    Raises:
        PlaceError: there is no place for state.
        OSError: the folder can't be made.
    """
    path = f"{places.state_dir() if make else places.known_state_dir()}/builds"
    if make:
        folders.make_private(path)
    return path


def prefix(project: str) -> str:
    """Return how the names of a project's reports begin."""
    return f"{places.digest(project)}-"


def name(project: str, command: str, ns: int, pid: int) -> str:
    """Name a run's report.

    Args:
        project: the key of its project.
        command: its command line.
        ns: when it began, in nanoseconds since 1970.
        pid: the process of the command, or of `attend build` if there is none.
    """
    return f"{prefix(project)}{places.digest(command)}-{ns:016x}-{pid}{ENDING}"


def write(path: str, report: "dict[str, object]") -> None:
    """Write a report whole, or leave the earlier one.

    Raises:
        OSError: it can't be written.
    """
    part = f"{path}.{posix.getpid()}.part"
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC | posix.O_NOFOLLOW
    fd = posix.open(part, flags, 0o600)
    try:
        data = jsonout.document(report).encode("ascii")
        while data:
            data = data[posix.write(fd, data) :]
    except OSError:
        posix.unlink(part)
        raise
    finally:
        posix.close(fd)
    posix.rename(part, path)


def prune(where: str, project: str, command: str, now: "Moment") -> None:
    """Remove the oldest reports, so that few are kept of each command, and not many at all.

    Args:
        where: the folder in which they lie.
        project: the key of a project.
        command: the command line of which few are to be kept there.
        now: the present.
    """
    try:
        names = posix.listdir(where)
    except OSError:
        return
    begin = f"{prefix(project)}{places.digest(command)}-"
    same = sorted(each for each in names if each.startswith(begin))
    by_age = sorted(names, key=_when)
    old = []
    for each in same[:-_OF_COMMAND]:
        if _over(each):
            if _ended_lately(f"{where}/{each}", now):
                break  # those after it hardly ended earlier
            old.append(each)
    for each in {*old, *filter(_over, by_age[:-_OF_ALL])}:
        try:
            posix.unlink(f"{where}/{each}")
        except OSError:
            continue


def _when(report: str) -> str:
    parts = report.split("-")
    return parts[2] if len(parts) > 2 else ""  # noqa: PLR2004 - project, command, time, pid


def _over(report: str) -> bool:
    """Whether the process that is reported is surely gone."""
    pid = report.rpartition("-")[2].partition(".")[0]
    try:
        posix.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return True
    except OSError:
        return False
    return False


def _ended_lately(path: str, now: "Moment") -> bool:
    boot, bt = db.json_get(folders.read(path), "$.boot", "$.ended_bt") or ("", None)
    return boot == now.boot and isinstance(bt, float) and now.bt - bt < KEPT_S
