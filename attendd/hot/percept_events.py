"""What was taken out of a text: a percept, or what is none."""


class Percept:
    """A fact that was between two own tags.

    Attributes:
        text: the fact.
        consumer: the agent that it is for, as a hint said; ``''`` for everybody.
        start: where its first tag begins, in bytes of the message.
        end: where its last tag ends.
    """

    __slots__ = ("consumer", "end", "start", "text")

    def __init__(self, text: str, consumer: str, start: int, end: int) -> None:
        self.text = text
        self.consumer = consumer
        self.start = start
        self.end = end


class Refusal:
    """An own pair that was cut out, and whose content is no percept.

    Attributes:
        reason: why, in words that go on from "it was refused: ".
        start: where its first tag begins, in bytes of the message.
        end: where its last tag ends.
    """

    __slots__ = ("end", "reason", "start")

    def __init__(self, reason: str, start: int, end: int) -> None:
        self.reason = reason
        self.start = start
        self.end = end


class Withheld:
    """What followed an own tag that was never closed.

    Attributes:
        raw: it as it was, with the tag; its beginning only where it is long.
        start: where the tag begins, in bytes of the message.
        end: where the message ends.
    """

    __slots__ = ("end", "raw", "start")

    def __init__(self, raw: bytes, start: int, end: int) -> None:
        self.raw = raw
        self.start = start
        self.end = end
