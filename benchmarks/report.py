"""The table at the end of soak and torture, and whether it is as it must be."""

import json
from collections.abc import Sequence
from typing import Self

from attendd.cli.table import table
from benchmarks.tally import Tally
from benchmarks.town import Town

SETTLE_S = 120.0
"""Longer than a lease, a lost bell, a log-out and a change of host together."""
_GROWN = 1.25
_GROWN_MB = 2.0
_SLOWER = 2.0
_SLOWER_MS = 20.0

HEADS = (
    "part", "did", "sent", "refused", "told", "lost", "doubled", "(again)", "calm ms", "p50 ms",
    "p99 ms", "host mb", "reader mb",
)  # fmt: skip
"""Latencies and memory: of the first third and the last; calm: before and after everything."""


class Result:
    """One row of the table.

    Attributes:
        row: its cells, under `HEADS`.
        faults: what must not be, in sentences.
    """

    def __init__(self, row: Sequence[str], faults: Sequence[str]) -> None:
        self.row = [*row, *[""] * (len(HEADS) - len(row))]
        self.faults = list(faults)

    @classmethod
    def of_town(cls, part: str, town: Town) -> Self:
        """Settle, and judge what a town went through."""
        town.settle(SETTLE_S)
        town.calm()
        outdated = town.outdated()
        tally, store = town.tally, town.store
        lost, doubled = tally.lost(store), tally.doubled(store)
        first, last = tally.latency_ms(slice(0, 1)), tally.latency_ms(slice(2, 3))
        host, reader = tally.memory_mb("host"), tally.memory_mb("reader")
        faults = [f"lost {each}" for each in lost] + [f"doubled {each}" for each in doubled]
        faults += outdated
        faults += _not_flat(tally)
        did = ", ".join(f"{name} {count}" for name, count in sorted(tally.done.items()))
        row = (
            part,
            did,
            str(len(tally.accepted)),
            str(tally.refused),
            str(tally.told()),
            str(len(lost)),
            str(len(doubled)),
            str(tally.repeated()),
            f"{tally.calm_ms(0):.0f} → {tally.calm_ms(-1):.0f}",
            f"{first[0]:.0f} → {last[0]:.0f}",
            f"{first[1]:.0f} → {last[1]:.0f}",
            f"{host[0]:.1f} → {host[1]:.1f}",
            f"{reader[0]:.1f} → {reader[1]:.1f}",
        )
        return cls(row, faults)

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Make it of what `as_json` wrote."""
        known = json.loads(text)
        return cls(known["row"], known["faults"])

    def as_json(self) -> str:
        """Write it down."""
        return json.dumps({"row": self.row, "faults": self.faults})


def _not_flat(tally: Tally) -> list[str]:
    """Name what grew over the run: memory, or the waits while nothing else is done."""
    found = []
    for role in ("host", "reader"):
        before, after = tally.memory_mb(role)
        if after > before * _GROWN and after > before + _GROWN_MB:
            found.append(f"memory of a {role} grew from {before:.1f} to {after:.1f} MB")
    first, last = tally.calm_ms(0), tally.calm_ms(-1)
    if last > first * _SLOWER and last > first + _SLOWER_MS:
        found.append(f"the median wait grew from {first:.0f} to {last:.0f} ms")
    return found


def show(title: str, results: list[Result]) -> int:
    """Print the table; return 1 where something is not as it must be."""
    print(title)
    print("\n".join(table(HEADS, [each.row for each in results])))
    faults = [f"{each.row[0]}: {fault}" for each in results for fault in each.faults]
    print("\n".join(faults))
    return 1 if faults else 0
