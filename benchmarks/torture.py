"""`make torture`: everything that can happen to attend, as often as it takes, seeded.

Each part runs in a process of its own, some of them in namespaces where the disk is small or
nothing can be watched. Prints the seed and a table; exits with 1 where a promise was broken.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import faults, report, sweep
from benchmarks.place import ROOT
from benchmarks.report import Result
from benchmarks.town import Town

KILLS = 200
SECONDS = 120.0
POINTS = 60
"""So many calls of a sweep are tried, in proportion, where it is not the whole of it."""
_WALLS = ["unshare", "--user", "--map-root-user", "--mount"]

Part = Callable[[Path, int, float], Result]
"""Runs one part in a folder, with a seed and a scale: 1 is the whole of it."""


def service_killed(folder: Path, seed: int, scale: float) -> Result:
    """Kill the service again and again, in the middle of whatever it does."""
    town = Town(folder, seed, 20, service=True)
    try:
        town.live(5.0)
        town.calm()
        for _ in range(int(KILLS * scale)):
            town.live_with(town.dice.uniform(0.05, 1.5), (0.25, town.write))
            if town.service is not None:
                town.service.kill()
            town.tally.done["kill the service"] += 1
            if town.tally.done["kill the service"] % 10 == 0:
                town.commit()
        return Result.of_town("service killed", town)
    finally:
        town.end()


def at_random(folder: Path, seed: int, scale: float) -> Result:
    """Do anything at any time, most of it where no service is."""
    return _with(folder, seed, faults.USUAL, SECONDS * scale, 2.0)


def full_disk(folder: Path, seed: int, scale: float) -> Result:
    """Fill the disk now and then while everything goes on, and kill readers meanwhile."""
    few: faults.Kinds = {
        "fill the disk": (faults.fill_the_disk, 2),
        "kill a reader": (faults.kill_a_reader, 1),
    }
    return _with(folder, seed, few, SECONDS / 2 * scale, 8.0)


def nothing_left(folder: Path, seed: int, scale: float) -> Result:
    """Watch nothing, because the system has no watches left, and hardly open a file."""
    few: faults.Kinds = {
        "few files": (faults.few_files, 2),
        "kill the host": (faults.kill_the_host, 1),
    }
    return _with(folder, seed, few, SECONDS / 2 * scale, 8.0)


def logged_out(folder: Path, seed: int, scale: float) -> Result:
    """Log out, and in again."""
    return _with(folder, seed, {"log out": (faults.log_out, 1)}, SECONDS / 2 * scale, 10.0)


def upgraded(folder: Path, seed: int, scale: float) -> Result:
    """Install one release after another, every other of them broken."""
    both: faults.Kinds = {
        "upgrade": (faults.upgrade, 1),
        "broken upgrade": (faults.break_release, 1),
    }
    return _with(folder, seed, both, SECONDS / 2 * scale, 10.0)


def _with(
    folder: Path, seed: int, kinds: faults.Kinds, seconds: float, every_s: float
) -> Result:
    town = Town(folder, seed, 8)
    try:
        town.live(5.0)
        town.calm()
        town.live_with(
            seconds,
            (0.5, town.write),
            (10.0, town.commit),
            (every_s, lambda: faults.one(town, kinds)),
        )
        return Result.of_town(folder.parent.name.replace("-", " "), town)
    finally:
        town.end()


PARTS: dict[str, tuple[Part, str]] = {
    "service killed": (service_killed, ""),
    "at random": (at_random, ""),
    "full disk": (full_disk, "mount -t tmpfs -o size=24m tmpfs {folder}"),
    "nothing left": (nothing_left, "echo 0 >/proc/sys/user/max_inotify_instances"),
    "logged out": (logged_out, ""),
    "upgraded": (upgraded, ""),
}
"""Name to what it does, and what is done to the namespaces it runs in."""
TESTS = {
    "killed under systemd": ["tests/systemd", "-m", "systemd", "-k", "again_and_again"],
    "every call of the store": ["tests/store", "-k", "kill"],
}
"""Parts that are tests, which then try all of what they try a sample of otherwise."""


def main() -> int:
    """Run all parts, or one of them."""
    parser = argparse.ArgumentParser(prog="make torture")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="how much of each part")
    parser.add_argument("--only", action="append", help="a part; may be given again")
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        part, _ = PARTS[args.only[0]]
        print(part(Path(args.inside) / "h", args.seed, args.scale).as_json())
        return 0
    chosen = args.only or [*PARTS, *TESTS, *sweep.SWEEPS]
    results = []
    for name in chosen:
        began = time.monotonic()
        results.append(_run(name, args.seed, args.scale))
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return report.show(f"torture, seed {args.seed}, scale {args.scale:g}", results)


def _run(name: str, seed: int, scale: float) -> Result:
    if name in TESTS:
        return _tests(name)
    with tempfile.TemporaryDirectory(prefix="torture-", dir="/tmp") as folder:
        if name in sweep.SWEEPS:
            return _sweep(name, Path(folder), 0 if scale >= 1 else int(POINTS * scale))
        return _apart(name, seed, scale, Path(folder))


def _apart(name: str, seed: int, scale: float, folder: Path) -> Result:
    """Run a part in a process of its own, in namespaces where it needs them."""
    home = folder / name.replace(" ", "-")
    home.mkdir()
    words = [sys.executable, "-m", "benchmarks.torture", "--only", name, f"--seed={seed}"]
    words += [f"--scale={scale}", f"--inside={home}"]
    script = PARTS[name][1].format(folder=home)
    if script:
        tried = subprocess.run(
            ["sh", "-c", " ".join([*_WALLS, "true"])], stderr=subprocess.DEVNULL, check=False
        )
        if tried.returncode:
            return Result([name, "left out: no namespaces here"], [])
        words = [*_WALLS, "sh", "-c", f'{script} && exec "$@"', "sh", *words]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return Result([name], [f"ended with {done.returncode}"])
    return Result.of_json(done.stdout)


def _sweep(name: str, folder: Path, points: int) -> Result:
    if shutil.which("strace") is None:
        return Result([name, "left out: no strace here"], [])
    died, tried, wrong = 0, 0, []
    for call, killed, found in sweep.sweep(folder, sweep.SWEEPS[name], points):
        died, tried = died + killed, tried + 1
        wrong += [f"{each}, killed at {call}" for each in found]
    return Result([name, f"killed at {died} calls of {tried} tried"], wrong)


def _tests(name: str) -> Result:
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS[name]]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        env={**os.environ, "ATTEND_TORTURE": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "nothing ran"
    return Result([name, last], [last] if done.returncode else [])


if __name__ == "__main__":
    sys.exit(main())
