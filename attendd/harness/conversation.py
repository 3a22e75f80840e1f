"""What the rows of a transcript say: how full it is, who prompted, what ran. Pure."""

import math
from collections.abc import Iterable

from attendd.harness.branches import Branch, Branches, Figure
from attendd.harness.calls import PERSON, Calls
from attendd.harness.commands import NOTICE, Commands
from attendd.harness.person import is_person, prompted, typed_ahead
from attendd.harness.rows import (
    AnyRow,
    AssistantRow,
    AttachmentRow,
    Block,
    Damaged,
    Fault,
    LinkRow,
    SystemRow,
    UserRow,
    blocks,
    parse,
    text,
)
from attendd.harness.windows import window
from attendd.harness.work import is_work

SIDE = -1
"""The number that stands for the branches of subagents."""

_SYNTHETIC = "<synthetic>"
_SHELL = "<bash-input>"
_SHELL_DONE = "<bash-stdout>"
_LOST_SHARE = 0.1
_LOST_TOKENS = 20_000
"""What counts as lost where the window is unknown: the same share of the smallest we know."""


class Conversation:
    """The state that a transcript's rows add up to, one after the other.

    Attributes:
        branches: its growing ends.
        calls: its tool calls.
        commands: what its shell ran.
        faults: kind of row to what is wrong with its last one; empty if all is as known.
        written_at: the time of the newest row, wall clock; minus infinity before any.
    """

    def __init__(self) -> None:
        self.branches = Branches()
        self.calls = Calls()
        self.commands = Commands()
        self.faults: dict[str, str] = {}
        self.written_at = -math.inf

    def read(self, lines: Iterable[bytes]) -> None:
        """Take lines in the order of the file."""
        for line in lines:
            row = parse(line)
            if row is None:
                continue
            if isinstance(row, Fault):
                self.faults[row.kind] = row.problem
                self.branches.unsettle()
            elif isinstance(row, Damaged):
                self.branches.unsettle()
            elif isinstance(row, LinkRow):
                self._link(row)
            else:
                self._take(row)

    def look_back(self, lines: list[bytes]) -> bool:
        """Search lines from before those read for the last figure, if there is none yet.

        Returns:
            Whether there is no need to look further back.
        """
        before = Conversation()
        before.read(lines)
        there = before.branches.latest
        for branch in self.branches.kept:
            if branch.figure is None:
                branch.figure, branch.measured_at = there.figure, there.measured_at
                branch.model, branch.requested = there.model, there.requested
        return there.figure is not None or bool(there.cut)

    # -- one row ----------------------------------------------------------------

    def _link(self, row: LinkRow) -> None:
        branch = None if row.is_sidechain else self.branches.find(row.parent_uuid)
        if branch is not None:
            branch.extend(row.uuid)

    def _take(self, row: AnyRow) -> None:
        inside = _inside(row)
        if row.is_sidechain:
            self._run(row, inside, SIDE)
            return
        self.written_at = max(self.written_at, row.at)
        branch = self._place(row, leads=_leads(row, inside))
        if isinstance(row, AssistantRow) and branch is not None:
            self._answered(branch, row)
        self._run(row, inside, SIDE if branch is None else branch.number)
        if branch is not None:
            self._grow(branch, row)
        elif isinstance(row, UserRow):
            self._count(self.branches.latest, row)

    def _grow(self, branch: Branch, row: AnyRow) -> None:
        if not isinstance(row, AssistantRow):
            branch.extend(row.uuid)
        if isinstance(row, UserRow):
            self._said(branch, row)
        elif isinstance(row, SystemRow):
            self._noted(branch, row)
        elif typed_ahead(row):
            branch.prompted(row.at)

    def _place(self, row: AnyRow, *, leads: bool) -> Branch | None:
        """Find the branch a row belongs to.

        Returns:
            ``None`` for one that leads nowhere, and for an ancestor of what was read before:
            2.1.197 may write the first prompt after its answer.
        """
        parent = row.parent_uuid
        if isinstance(row, SystemRow) and row.compact_metadata is not None:
            return self.branches.find(row.logical_parent_uuid) or self.branches.latest
        branch = self.branches.find(parent)
        if branch is None:
            latest = self.branches.latest
            if not latest.settled or (parent is None and not leads):
                branch = latest
            elif leads and row.at > latest.answered_at:
                branch = self.branches.fork(row.uuid)
        if branch is not None and leads:
            self.branches.write(branch)
        return branch

    def _answered(self, branch: Branch, row: AssistantRow) -> None:
        answer = row.message
        tokens = answer.usage.total
        if answer.model == _SYNTHETIC or tokens == 0:  # an error; a copy of what was compacted
            branch.extend(row.uuid)
            return
        if answer.id != branch.answer:
            self.calls.settle(branch.number, row.at)
            if branch.comparable and branch.figure is not None:
                limit = window(answer.model, row.requested_model or "")
                fall = branch.figure.tokens - tokens
                if fall >= (_LOST_SHARE * limit if limit else _LOST_TOKENS):
                    branch.cut = row.uuid
        branch.figure, branch.measured_at = Figure(tokens, "usage"), row.at
        branch.model, branch.requested = answer.model, row.requested_model or ""
        branch.comparable = True
        branch.answered(answer.id, row.uuid, row.parent_uuid, row.at)
        self.faults.pop("assistant", None)
        self.faults.pop("system", None)

    def _said(self, branch: Branch, row: UserRow) -> None:
        self.faults.pop("user", None)
        if prompted(row) or row.turn_position is not None:
            branch.marks.append(row.at)
            self.calls.settle(branch.number, row.at)
        self._count(branch, row)

    def _count(self, branch: Branch, row: UserRow) -> None:
        if prompted(row):
            branch.prompted(row.at)
        elif row.origin is not None and not is_person(row.origin):
            branch.alone += 1
        if row.turn_position is not None:
            branch.turns = max(branch.turns, row.turn_position.promptIndex)

    def _noted(self, branch: Branch, row: SystemRow) -> None:
        if row.subtype == "turn_duration":
            branch.marks.append(row.at)
        done = row.compact_metadata
        if done is not None:
            kept = done.preserved_messages
            branch.compacted(row.uuid, () if kept is None else kept.all_uuids)
            branch.comparable = False
            left = done.post_tokens
            branch.figure = None if left is None else Figure(left, "compaction")
            branch.measured_at = row.at
            self.faults.pop("system", None)

    # -- what ran ---------------------------------------------------------------

    def _run(self, row: AnyRow, inside: list[Block], number: int) -> None:
        for block in inside:
            if block.type == "tool_use":
                self.calls.start(block.id, block.name, row.at, number)
                if number != SIDE and is_work(block):
                    self._worked(number, row.at)
                self.commands.called(block, row.at)
            elif block.type == "tool_result":
                self.calls.end(block.tool_use_id, row.at)
                self.commands.returned(block, row.at)
        notice = _notice(row)
        if notice is not None and notice.startswith(NOTICE):
            self.commands.noticed(notice)
        said = text(row.message.content) if isinstance(row, UserRow) else None
        if said is not None and said.startswith(_SHELL):
            self.calls.start(row.uuid, PERSON, row.at, number)
        elif said is not None and said.startswith(_SHELL_DONE):
            self.calls.end(row.parent_uuid or "", row.at)

    def _worked(self, number: int, at: float) -> None:
        for branch in self.branches.kept:
            if branch.number == number:
                branch.worked_at = max(branch.worked_at, at)


def _inside(row: AnyRow) -> list[Block]:
    return blocks(row.message.content) if isinstance(row, AssistantRow | UserRow) else []


def _notice(row: AnyRow) -> str | None:
    """Return what may be told of a background task: a row of its own, or one within a turn."""
    if isinstance(row, UserRow):
        return text(row.message.content)
    return text(row.attachment.prompt) if isinstance(row, AttachmentRow) else None


def _leads(row: AnyRow, inside: list[Block]) -> bool:
    """Whether a row goes on with a conversation, as a prompt or an answer does.

    Results of parallel calls follow the call they answer, so they may follow a row that is not
    the last; and what is attached leads nowhere by itself.
    """
    if isinstance(row, UserRow):
        return all(block.type != "tool_result" for block in inside)
    if isinstance(row, SystemRow):
        return row.subtype == "local_command"
    return isinstance(row, AssistantRow)
