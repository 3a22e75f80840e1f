"""`make soak`: for a long time, canaries all the while and a fault now and then.

Prints the seed and a table; exits with 1 if anything was lost or doubled, or grew.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import faults, report
from benchmarks.town import Town

READERS = 8
CANARY_S = 1.0
COMMIT_S = 15.0
FAULT_S = 10.0


def main() -> int:
    """Run for so many minutes."""
    parser = argparse.ArgumentParser(prog="make soak")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-", dir="/tmp") as folder:
        town = Town(Path(folder) / "h", args.seed, READERS, service=True)
        try:
            run(town, 60.0 * args.minutes)
            result = report.Result.of_town("soak", town)
        finally:
            town.end()
    return report.show(f"soak, {args.minutes:g} min, seed {args.seed}", [result])


def run(town: Town, seconds: float) -> None:
    """Let a town live for a while, with messages, commits and faults."""
    town.live(5.0)
    town.calm()
    town.live_with(
        seconds,
        (CANARY_S, town.write),
        (COMMIT_S, town.commit),
        (FAULT_S, lambda: faults.one(town, faults.USUAL)),
    )


if __name__ == "__main__":
    sys.exit(main())
