import asyncio
from pathlib import Path

import pytest

from attendd.host.doorbell import Doorbell
from attendd.hot import bell


@pytest.mark.asyncio
async def test_a_bell_that_was_removed_is_there_again_at_the_next_look(tmp_path: Path) -> None:
    path = tmp_path / "host.bell"
    rung = asyncio.Event()
    door = Doorbell(str(path), rung.set)
    door.hear()
    path.unlink()
    assert not bell.ring(str(path))

    door.hear()

    assert bell.ring(str(path))
    async with asyncio.timeout(10):
        await rung.wait()
    door.close()
    assert not path.exists()


@pytest.mark.asyncio
async def test_looking_after_it_is_no_ring(tmp_path: Path) -> None:
    rings: list[int] = []
    door = Doorbell(str(tmp_path / "host.bell"), lambda: rings.append(1))
    door.hear()

    for _ in range(3):
        door.hear()
        await asyncio.sleep(0)

    assert rings == []
    door.close()
