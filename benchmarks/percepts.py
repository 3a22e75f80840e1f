"""How fast percepts are looked for: in text that has none, in a huge one, in very many."""

import time
from collections.abc import Callable, Mapping, Sequence

from attendd.hot.percepts import Parser
from benchmarks.figure import TIMES, Figure, Row, Sampler, Taken

LEAST = 1 / 3
"""What share of the speed of a bare search the parser has at least."""
CHUNK = 1 << 16
"""Bytes that come at once out of a pipe."""
DELTA = 64
"""Bytes that come at once while an answer is written."""

_NONCE = "k7q2zd"
_OPEN, _CLOSE = f"<attend:percept:{_NONCE}>", f"</attend:percept:{_NONCE}>"
_ANSWER = (
    "The parser shows what it can: a list<int> is no tag, and neither is a < b.\n"
    "So `feed` returns text at once, but for the end of a line that might become one.\n\n"
    "```py\nfor event in parser.feed(chunk):\n    show(event)\n```\n\n"
)
_TEXT = (_ANSWER * 5_000).encode()
_PROSE = b"Words of a long answer that has neither code nor tags, and goes on.\n" * 40_000
_SPANS = b"a line with `a` and `b`, and ``c ` d`` too, and none that is blank\n" * 10_000
_CASES: dict[str, tuple[bytes, int]] = {
    "prose in pieces of 64 KiB": (_PROSE, CHUNK),
    "markdown full of fences in pieces of 64 KiB": (_TEXT, CHUNK),
    "the same in pieces of 64 bytes": (_TEXT, DELTA),
    "lines full of code in pieces of 64 KiB": (_SPANS, CHUNK),
    "50 MB in one tag": (f"{_OPEN}{'x' * 50_000_000}{_CLOSE}".encode(), CHUNK),
    "200,000 tags": (f"{_OPEN}x{_CLOSE}".encode() * 100_000, CHUNK),
}
_FIND, _PARSE = "bytes.find over text without tags", "parser over the same"


class Percepts(Figure):
    """The parser that hooks, pipes and the host share."""

    name = "percepts"

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        found: dict[str, Sampler] = {
            _FIND: lambda: _timed(lambda: _TEXT.find(_OPEN.encode())),
            _PARSE: lambda: _timed(lambda: _parse(_TEXT, len(_TEXT))),
        }
        return found | {
            name: lambda data=data, size=size: _timed(lambda: _parse(data, size))
            for name, (data, size) in _CASES.items()
        }

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        share = taken.ratio(_FIND, _PARSE)
        promise = f"≥ 0.33 {TIMES} bytes.find"
        speed = f"{share:.2f} {TIMES} ({_speed(len(_TEXT), taken.median(_PARSE))})"
        first = Row("parser over text without tags", speed, promise, share >= LEAST, share)
        return [
            first,
            *(
                Row(f"parser, {name}", _speed(len(data), taken.median(name)), "", None, 0.0)
                for name, (data, _) in _CASES.items()
            ),
        ]


def _parse(data: bytes, size: int) -> None:
    parser = Parser(_NONCE)
    for at in range(0, len(data), size):
        parser.feed(data[at : at + size])
    parser.finish()


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _speed(size: int, seconds: float) -> str:
    return f"{size / seconds / 1e6:,.0f} MB/s"
