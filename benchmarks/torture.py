"""`make torture`: a kill at every system call, then kills at random under traffic.

Prints the seed and a table of both parts; exits with 1 if anything was lost or doubled.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import soak
from benchmarks.place import ROOT

RANDOM_S = 120.0
CANARY_S = 0.3
FAULT_S = 1.5


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(prog="make torture")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=RANDOM_S, help="of random kills")
    args = parser.parse_args()
    print("a kill at every system call of the send, claim, put and set-aside paths")
    swept = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/store",
            "-k",
            "kill",
        ],
        cwd=ROOT,
        env={**os.environ, "ATTEND_TORTURE": "1"},
        check=False,
    ).returncode
    print("\nkills at random under traffic")
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        lived = soak.run(Path(folder) / "h", args.seed, args.seconds, CANARY_S, FAULT_S)
    print(f"\n{'every system call':<36}{'ok' if swept == 0 else 'FAILED'}")
    print(f"{'at random':<36}{'ok' if lived == 0 else 'FAILED'}")
    return 1 if swept or lived else 0


if __name__ == "__main__":
    sys.exit(main())
