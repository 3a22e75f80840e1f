"""How fast percepts are looked for: in text that has none, in a huge one, in very many."""

import time
from collections.abc import Callable, Mapping, Sequence

from attendd.hot.percepts import Parser
from benchmarks.figure import TIMES, Figure, Row, Sampler, Taken

LEAST = 1 / 3
"""What share of the speed of a bare search the parser has at least."""
CHUNK = 1 << 16

_NONCE = "k7q2zd"
_OPEN, _CLOSE = f"<attend:percept:{_NONCE}>", f"</attend:percept:{_NONCE}>"
_ANSWER = (
    "The parser shows what it can: a list<int> is no tag, and neither is a < b.\n"
    "So `feed` returns text at once, but for the end of a line that might become one.\n\n"
    "```py\nfor event in parser.feed(chunk):\n    show(event)\n```\n\n"
)
_TEXT = (_ANSWER * 5_000).encode()
_CASES: dict[str, bytes] = {
    "in pieces of 64 KiB": _TEXT,
    "50 MB in one tag": f"{_OPEN}{'x' * 50_000_000}{_CLOSE}".encode(),
    "100,000 tags": f"{_OPEN}x{_CLOSE}".encode() * 100_000,
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
            name: lambda data=data: _timed(lambda: _parse(data, CHUNK))
            for name, data in _CASES.items()
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
                for name, data in _CASES.items()
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
