"""What comes out of the store about messages; fields are named as their columns."""

import msgspec

UNREAD = ("stored", "claimed", "announced")
"""States of what was not shown yet."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was said.

    Attributes:
        id: eight characters, shown as ``#id``.
        author: the mailbox an answer goes to; empty where there is none.
        author_kind: ``agent``, ``human``, ``declared`` or ``script``.
        author_name: how its author was called then.
        author_how: how its author is known.
        project: of its author.
        place: that project's short name.
        body: its text in UTF-8, or bytes that are none.
        target: whom it was for, in its sender's words.
        kind: the closest kind among its deliveries.
        re: the message it answers, or empty.
        thread: the message that began the thread.
        depth: links since a human said something.
        via: empty, or ``fifo`` or ``spool`` where it was handed over.
        created_at: wall clock.
        retracted_at: when it was taken back, wall clock; ``None``: it was not.
    """

    id: str
    author: str
    author_kind: str
    author_name: str
    author_how: str
    project: str
    place: str
    body: bytes
    target: str
    kind: str
    re: str
    thread: str
    depth: int
    via: str
    created_at: float
    retracted_at: float | None

    @property
    def text(self) -> str:
        """The body as text, also where its bytes are none."""
        return self.body.decode("utf-8", "replace")


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """How a message fares in one mailbox. Times are wall clock, ``None``: not so far.

    Attributes:
        id: the delivery's number.
        session: the mailbox.
        kind: ``directed``, ``project``, ``channel`` or ``open``.
        channel: through which channel it came, or empty.
        meant: an earlier session of the recipient, to which it was said.
        state: see the migration that makes the table.
        reason: why it came to that state.
        hold: why it is not offered now; empty: it may be.
        repeats: 1 if it was or may have been shown twice.
        conduit: the way it went last.
        evidence: what proves its state.
        created_at: when it was accepted.
        latency_ms: from then to the write.
        announced_at: when a digest named it.
        offered_at: when it was written into a conduit.
        queued_at: since when its client held it.
        fetched_at: when its text was read in the inbox.
        seen_at: when it stood in the transcript.
        read_at: when its recipient said that it was read.
        answered_at: when the model went on below it.
    """

    id: int
    session: str
    kind: str
    channel: str
    meant: str
    state: str
    reason: str
    hold: str
    repeats: int
    conduit: str
    evidence: str
    created_at: float
    latency_ms: float | None
    announced_at: float | None
    offered_at: float | None
    queued_at: float | None
    fetched_at: float | None
    seen_at: float | None
    read_at: float | None
    answered_at: float | None


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A message in one mailbox."""

    fate: Fate
    message: Message


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A message with all it was sent to."""

    message: Message
    fates: list[Fate]


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """How much a mailbox has that was not shown yet.

    Attributes:
        session: the mailbox.
        directed: messages to this one.
        grouped: messages to a project, a channel or everybody.
    """

    session: str
    directed: int
    grouped: int


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that wait because the host stopped a conversation.

    Attributes:
        session: the mailbox they wait in.
        hold: why.
        author: the name of whom they are from.
        messages: how many.
        since_at: when the first was said, wall clock.
    """

    session: str
    hold: str
    author: str
    messages: int
    since_at: float
