"""The private attend of a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.box import Box, boxed


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A home of its own, real processes, nothing left behind."""
    with boxed(tmp_path / "h") as found:
        yield found
