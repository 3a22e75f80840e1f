"""`make soak`: for a long time, a canary every few seconds and a fault now and then.

Prints the seed and a table; exits with 1 if anything was lost or doubled.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.town import Town

CANARY_S = 2.0
FAULT_S = 10.0
SETTLE_S = 90.0
"""Longer than a lease, a lost bell and a change of host together."""


def main() -> int:
    """Run for so many minutes."""
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        return run(Path(folder) / "h", args.seed, 60.0 * args.minutes, CANARY_S, FAULT_S)


def run(folder: Path, seed: int, seconds: float, canary_s: float, fault_s: float) -> int:
    """Let a town live for a while; return the exit code."""
    town = Town(folder, seed)
    try:
        town.live(5.0)
        before = town.memory_mb()
        until, harm_at = time.monotonic() + seconds, time.monotonic() + fault_s
        while time.monotonic() < until:
            town.write()
            town.live(canary_s)
            if time.monotonic() >= harm_at:
                town.harm()
                harm_at = time.monotonic() + fault_s
        town.settle(SETTLE_S)
        return report(town, seed, seconds, before)
    finally:
        town.end()


def report(town: Town, seed: int, seconds: float, before_mb: float) -> int:
    """Print the table; return 1 where a promise was broken."""
    lost, doubled = town.lost(), town.doubled()
    early, late = town.latency_ms() if town.waits else (0.0, 0.0)
    repeats = sum(marked for _, marked in town.shown.values())
    rows = (
        ("seed", str(seed)),
        ("lasted", f"{seconds:.0f} s"),
        ("faults", ", ".join(f"{kind} {n}" for kind, n in sorted(town.faults.items()))),
        ("accepted", str(len(town.sent))),
        ("refused, and said so", str(town.refused)),
        ("lost", f"{len(lost)} {lost or ''}".strip()),
        ("doubled", f"{len(doubled)} {doubled or ''}".strip()),
        ("repeated, marked", str(repeats)),
        ("median wait, first and last third", f"{early:.1f} ms, {late:.1f} ms"),
        ("largest process, first and last", f"{before_mb:.1f} MB, {town.memory_mb():.1f} MB"),
    )
    for name, value in rows:
        print(f"{name:<36}{value}")
    return 1 if lost or doubled else 0


if __name__ == "__main__":
    sys.exit(main())
