"""The recorded scenarios, release by release."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.claude_code.recorded import VERSIONS, Play, Recorded


@pytest.fixture(params=VERSIONS)
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Play]:
    """Return how a scenario of the release under test is laid out."""
    opened: list[Recorded] = []

    def start(scenario: str, version: str = str(request.param)) -> Recorded:
        opened.append(Recorded(version, scenario, tmp_path / scenario))
        return opened[-1]

    yield start
    for recorded in opened:
        recorded.close()
