"""What comes out of the store: a struct for each kind of row, its fields named as its columns.

Columns that a later release adds are not asked for, so they do no harm here.
"""

import os
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

RowT = TypeVar("RowT", bound=msgspec.Struct)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is or was attended.

    Attributes:
        id: the client's id, or ``as:NAME``, or ``tty:…``.
        harness: ``claude-code`` or ``none``.
        project: what all worktrees of a repository have in common; else its directory.
        workdir: its directory.
        transcript: path of its transcript; empty where there is none.
        name: for display only.
        declared: whether the name is the process's own claim.
        seen_at: its last sign of life, wall clock.
        successor: the id under which its process went on; mostly empty.
    """

    id: str
    harness: str
    project: str
    workdir: str
    transcript: str
    name: str
    declared: bool
    seen_at: float
    successor: str


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A process that reads for a session, or did.

    Attributes:
        id: names the client's process, or the reader's where there is no client.
        session: whom it reads for.
        conduit: ``monitor``, ``terminal``, or ``hook`` where hooks alone tell it.
        reader_pid: its process.
        reader_start: when that started, as the system writes it.
        client_pid: the client's process; ``None`` where there is no client.
        client_start: when that started.
        boot: the boot id of both.
        pidns: the pid namespace of both.
        bell: the socket that wakes the reader.
        workdir: where the reader was started.
        version: the reader's release.
        attached_at: wall clock.
        ended_at: wall clock; ``None`` while it reads.
        end_reason: why it ended.
        blocked_at: since when its output takes nothing, wall clock; ``None`` if it does.
    """

    id: str
    session: str
    conduit: str
    reader_pid: int
    reader_start: str
    client_pid: int | None
    client_start: str
    boot: str
    pidns: str
    bell: str
    workdir: str
    version: str
    attached_at: float
    ended_at: float | None
    end_reason: str
    blocked_at: float | None


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A batch, and how it fares.

    Attributes:
        id: names it in the ledger.
        correlation: names it in the journal, from the first observation on.
        session: whom it is for.
        attachment: who is to show it; ``None``: any reader of the session.
        lane: ``event`` or ``message``.
        state: ``stored``, ``claimed``, ``offered``, ``expired`` or ``undeliverable``.
        reason: of an expired one ``stale`` or ``unconfirmed``.
        text: its lines.
        created_at: wall clock.
        conduit: the way it went; empty until then.
        offered_at: wall clock; ``None`` until then.
        latency_ms: from the commit to the write; ``None`` if not known.
        repeats: how often it may have been shown before.
    """

    id: int
    correlation: str
    session: str
    attachment: str | None
    lane: str
    state: str
    reason: str
    text: str
    created_at: float
    conduit: str
    offered_at: float | None
    latency_ms: float | None
    repeats: int


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Engine and sensor state of one attachment.

    Attributes:
        attachment: whose it is.
        session: the session it ran then.
        boot: the boot id that ``saved_bt`` is valid for.
        saved_at: wall clock.
        saved_bt: the clock that counts suspend.
        state: JSON.
    """

    attachment: str
    session: str
    boot: str
    saved_at: float
    saved_bt: float
    state: bytes


class Conduit(msgspec.Struct, frozen=True, kw_only=True):
    """How a way into a session fares.

    Attributes:
        session: which session.
        name: for instance ``monitor`` or ``session-start``.
        ok_at: when it last worked, wall clock; ``None``: never.
        failed_at: when it last failed, wall clock; ``None``: never.
        failure: why it did.
        latency_ms: of a monitor from the commit of its last batch to its write, of a hook how
            long its last answer took; ``None`` if not known.
    """

    session: str
    name: str
    ok_at: float | None
    failed_at: float | None
    failure: str
    latency_ms: float | None


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """How a sensor of one attachment fares.

    Attributes:
        attachment: whose sensor.
        sensor: its name.
        state: ``ok``, ``limited``, ``flooding``, ``failing`` or ``off``.
        since_at: since when it is so, wall clock.
        failures: failed polls in a row.
        detail: what is wrong, in words; of what is limited, also what can be done.
        polled_at: its last poll, wall clock; ``None``: never.
        next_at: its next one, wall clock; ``None``: none is planned.
        told: how many of its observations were told.
        held: what holds what is pending; empty when nothing is.
        pending: the accumulated magnitude.
        threshold: what that has to reach, the engagement curve included.
    """

    attachment: str
    sensor: str
    state: str
    since_at: float
    failures: int = 0
    detail: str = ""
    polled_at: float | None = None
    next_at: float | None = None
    told: int = 0
    held: str = ""
    pending: float = 0.0
    threshold: float = 0.0


class JournalRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened on the way from an observation to a line, and why.

    Attributes:
        at: wall clock.
        kind: ``observation``, ``gate``, ``delivery``, ``health`` or ``host``.
        code: the reason code, for instance ``held.gap``.
        session: whom it concerns; empty for the host itself.
        attachment: which of its processes.
        sensor: which sensor.
        text: the line, or what else a person should read.
        magnitude: of the observation, or what had accumulated.
        batch: correlation of the batch it became part of; empty otherwise.
        detail: what explains the code, for instance until when it is held.
        correlation: names the observation it is about, and the batch that one opened.
    """

    at: float
    kind: str
    code: str
    session: str = ""
    attachment: str = ""
    sensor: str = ""
    text: str = ""
    magnitude: float = 0.0
    batch: str = ""
    detail: str = ""
    correlation: str = ""


def columns(kind: type[msgspec.Struct]) -> str:
    """Write a struct's fields as a list of columns."""
    return ", ".join(kind.__struct_fields__)


def rows(kind: type[RowT], found: Sequence[Sequence[Any]]) -> list[RowT]:
    """Make structs of rows that were asked for by `columns`.

    A path that is no text is kept as bytes, and comes back as Python names such paths.
    """
    fields = msgspec.structs.fields(kind)
    return [
        msgspec.convert(
            {
                field.name: os.fsdecode(value)
                if isinstance(value, bytes) and field.type is str
                else value
                for field, value in zip(fields, row, strict=True)
            },
            kind,
            strict=False,
        )
        for row in found
    ]
