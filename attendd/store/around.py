"""What is written down of the sessions that run now: their names, projects and channels."""

import os
from collections.abc import Iterable, Sequence

import msgspec

from attendd.hot import persona
from attendd.hot.ids import box_of
from attendd.store.link import Link

_FEW = 500
"""So many ids at once: SQLite takes no more than 999 values in a statement of old."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What attend knows of a session.

    Attributes:
        session: its id.
        name: what it is called: its persona, or its declared name.
        project: the key of its project.
        workdir: its directory.
        channels: channel to when the session entered it, wall clock.
    """

    session: str
    name: str
    project: str
    workdir: str
    channels: dict[str, float] = {}


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A process that listens for a session of no client.

    Attributes:
        session: which.
        pid: the process.
        start: when it started.
        boot: the boot of both.
        pidns: the pid namespace of both.
        attached_at: wall clock.
    """

    session: str
    pid: int
    start: str
    boot: str
    pidns: str
    attached_at: float


class AroundRows:
    """Reads them. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def known(self, sessions: Iterable[str]) -> dict[str, Known]:
        """Return what is known of some sessions; those never met are not among the keys."""
        found: dict[str, Known] = {}
        ids = sorted(set(sessions))
        for at in range(0, len(ids), _FEW):
            found |= self._few(ids[at : at + _FEW])
        return found

    def readers(self) -> list[Reader]:
        """Return the readers of sessions that go by a name of their own, outside any client."""
        rows = self._link.read(
            """SELECT session, reader_pid, reader_start, boot, pidns, attached_at
                FROM attachment WHERE ended_at IS NULL AND client_pid IS NULL
                AND session LIKE 'as:%' ORDER BY attached_at"""
        )
        return [msgspec.convert(row, Reader, strict=False) for row in map(_reader, rows)]

    def _few(self, ids: Sequence[str]) -> dict[str, Known]:
        marks = ", ".join("?" * len(ids))
        boxes = {session: box_of(session) for session in ids}
        channels: dict[str, dict[str, float]] = {}
        sql = f"SELECT session, channel, joined_at FROM membership WHERE session IN ({marks})"
        for box, channel, at in self._link.read(sql, tuple(boxes.values())):
            channels.setdefault(str(box), {})[str(channel)] = float(at)
        sql = f"""SELECT id, coalesce(nullif(origin, ''), project), instance, name, declared,
            project, workdir FROM session WHERE id IN ({marks})"""
        found = {}
        for session, origin, instance, name, declared, project, workdir in self._link.read(
            sql, tuple(ids)
        ):
            called = name if declared else persona.name(_text(origin), int(instance or 1))
            found[session] = Known(
                session=session,
                name=_text(called),
                project=_text(project),
                workdir=_text(workdir),
                channels=channels.get(boxes[session], {}),
            )
        return found


def _reader(row: Sequence[object]) -> dict[str, object]:
    return dict(zip(Reader.__struct_fields__, row, strict=True))


def _text(value: object) -> str:
    return os.fsdecode(value) if isinstance(value, bytes) else str(value or "")
