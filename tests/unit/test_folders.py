"""What is asked of files and folders without the os module."""

import os
from pathlib import Path

import pytest

from attendd.hot import folders


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no /proc here")
def test_what_the_kernel_writes_a_page_at_a_time_is_read_whole() -> None:
    """Else a lock, or a network file system, that stands on the second page is not seen."""
    said = folders.read("/proc/self/maps", 1 << 20)

    assert len(said) > 4096
    assert said.endswith("\n")


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x" * 100)

    assert folders.read(str(tmp_path / "file"), 10) == "x" * 10


def test_a_pipe_that_nobody_writes_to_reads_as_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert folders.read(str(tmp_path / "pipe")) == ""
