"""The rules for percepts said once more, over a whole text at once: slow, and easy to check."""

import re
from collections.abc import Iterator
from typing import NamedTuple

N, F = "k7q2zd", "old111"
OPEN, CLOSE = f"<attend:percept:{N}>", f"</attend:percept:{N}>"
AGENTS = ("primary", "esc")
PIECES = [
    OPEN, OPEN, CLOSE, CLOSE, f"<attend:percept:{F}>", f"</attend:percept:{F}>", "<attend:percept:Z>",
    "</attend:percept:Z>", OPEN[:-1], CLOSE[:9], "<", "</", ">", f"&lt;{OPEN[1:-1]}&gt;", f"&lt;{CLOSE[1:-1]}&gt;",
    "&lt;", "&", "`", "``", "```", "````", "~~~", "~~~~", "~", "\n", "\n\n", "\n  \n", "\r\n", " ",
    "   ", "    ", "\t", "a", "b c", "é", "日", "\u00a0", "🚀", "@primary: ", "@esc:", "attend:percept:",
    f"{OPEN}x{CLOSE}", f"{OPEN} @primary: p {CLOSE}", f"`{OPEN}x{CLOSE}`",
]  # fmt: skip
"""What texts are made of, the tricky ones."""

FENCE = re.compile(r" {0,3}(?:(`{3,256})(?!`)[^`\n]*|(~{3,256})(?!~)[^\n]*)(?:\n|\Z)")
BLANK = re.compile(r"[ \t\r]*\n")
RUN = re.compile(r"`+")


class Outcome(NamedTuple):
    """What a text comes to: what is shown, each percept with its consumer, what is withheld."""

    shown: str
    percepts: list[tuple[str, str]]
    withheld: str


class Rules:
    """Reads one text."""

    def __init__(
        self, text: str, nonce: str, agents: tuple[str, ...], *, escaped: bool
    ) -> None:
        self.text, self.nonce, self.agents = text, nonce, agents
        plain = r"<(?P<close>/?)attend:percept:(?P<token>[A-Za-z0-9]{1,32})>"
        own = rf"&lt;(?P<close2>/?)attend:percept:(?P<token2>{nonce})&gt;"
        self.tag = re.compile(f"{plain}|{own}" if escaped else plain)
        self.shown: list[str] = []
        self.percepts: list[tuple[str, str]] = []
        self.withheld = ""
        self.opened: list[tuple[str, int, int]] = []

    def read(self) -> Outcome:
        at = 0
        while at < len(self.text):
            at = self.step(at)
        return Outcome("".join(self.shown), self.percepts, self.withheld)

    def step(self, at: int) -> int:
        """Read what begins here, and return where it ends."""
        if self.begins_line(at) and (end := self.fence_end(at)):
            return self.show(at, end)
        if run := RUN.match(self.text, at):
            return self.show(at, self.span_end(run) or run.end())
        if tag := self.tag.match(self.text, at):
            return self.meet(tag)
        return self.show(at, at + 1)

    def show(self, at: int, end: int) -> int:
        self.shown.append(self.text[at:end])
        return end

    # -- code ---------------------------------------------------------------------

    def begins_line(self, at: int) -> bool:
        return at == 0 or self.text[at - 1] == "\n"

    def fence_end(self, at: int) -> int:
        opening = FENCE.match(self.text, at)
        if not opening:
            return 0
        run = opening[1] or opening[2]
        closing = re.compile(rf"^ {{0,3}}{run}{run[0]}*[ \t\r]*\n", re.MULTILINE)
        found = closing.search(self.text, opening.end()) if opening[0].endswith("\n") else None
        return found.end() if found else len(self.text)

    def span_end(self, run: re.Match[str]) -> int:
        end = self.paragraph_end(run.end())
        same = (each for each in RUN.finditer(self.text, run.end(), end) if each[0] == run[0])
        found = next(same, None)
        return found.end() if found and len(run[0]) <= 256 else 0

    def paragraph_end(self, at: int) -> int:
        for line in re.finditer("\n", self.text[at:]):
            start = at + line.end()
            if BLANK.match(self.text, start) or FENCE.match(self.text, start):
                return start
        return len(self.text)

    # -- tags ---------------------------------------------------------------------

    def meet(self, tag: re.Match[str]) -> int:
        own, closes = self.of(tag)
        if own and closes:
            return tag.end()
        if own:
            return self.body(tag.end(), tag.start())
        if closes and self.cut(tag["token"]):
            return tag.end()
        if not closes:
            self.opened.append((tag["token"], len(self.shown), len(self.percepts)))
        return self.show(tag.start(), tag.end())

    def of(self, tag: re.Match[str]) -> tuple[bool, bool]:
        groups = tag.groupdict()
        token = groups["token"] or groups["token2"]
        return token == self.nonce, bool(groups["close"] or groups.get("close2"))

    def body(self, start: int, outer: int) -> int:
        for tag in self.tags(start):
            own, closes = self.of(tag)
            if own and closes:
                self.take(self.text[start : tag.start()])
                return tag.end()
            if own:
                start, outer = tag.end(), tag.start()
            elif closes and self.cut(tag["token"]):
                return tag.end()
        self.withheld = self.text[outer:]
        return len(self.text)

    def tags(self, start: int) -> Iterator[re.Match[str]]:
        return self.tag.finditer(self.text, start)

    def take(self, body: str) -> None:
        body, consumer = body.strip(), ""
        for name in self.agents:
            if hint := re.match(rf"@{re.escape(name)}:(\s|\Z)", body):
                body, consumer = body[hint.end() :].strip(), name
                break
        if body:
            self.percepts.append((body, consumer))

    def cut(self, token: str) -> bool:
        for at, (name, shown, percepts) in enumerate(self.opened):
            if name == token:
                del self.opened[at:], self.shown[shown:], self.percepts[percepts:]
                return True
        return False


def outcome(
    text: str, nonce: str, agents: tuple[str, ...] = (), *, escaped: bool = False
) -> Outcome:
    """Say what a text comes to, if no limit is reached in it."""
    return Rules(text, nonce, agents, escaped=escaped).read()
