"""Small and read-only disks, real ones: mounted where that is allowed, else the nearest thing."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*args: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    done = subprocess.run(["mount", *args], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")


@contextmanager
def small(folder: Path, kib: int) -> Iterator[Path]:
    """Lend a disk of so many KiB."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={kib}k,mode=700", "none", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def readonly(folder: Path, view: Path) -> Iterator[Path]:
    """Lend a folder as it is seen by those who may only read it."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        try:
            yield folder
        finally:
            folder.chmod(0o700)
        return
    view.mkdir()
    _mount("--bind", str(folder), str(view))
    try:
        _mount("-o", "remount,bind,ro", str(view))
        yield view
    finally:
        subprocess.run(["umount", "--lazy", str(view)], check=True)
