"""The control socket: who may ask, what is answered, and that nobody keeps the host waiting."""

import asyncio
import contextlib
import json
import os
import select
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from attendd import control
from attendd.control import Ask
from attendd.host import door
from attendd.host.door import Door, UnknownError, turn_away

pytestmark = pytest.mark.asyncio
LARGE = "x" * 4_000_000


def answer(asked: Ask) -> Any:
    if asked.ask == "large":
        return LARGE
    if asked.ask != "status":
        raise UnknownError(f"what is {asked.ask!r}?")
    return {"fine": True}


@asynccontextmanager
async def opened(path: str, *handed: socket.socket) -> AsyncIterator[Door]:
    made = Door(path, handed, answer)
    await made.open()
    try:
        yield made
    finally:
        made.close()


async def said(path: str, data: bytes) -> list[dict[str, Any]]:
    """Send something, and read until the host closes or has answered each line."""
    return await asyncio.to_thread(lambda: exchange(connected(path), data))


def exchange(client: socket.socket, data: bytes) -> list[dict[str, Any]]:
    with client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return [json.loads(line) for line in drained(client).splitlines()]


def connected(path: str) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(path)
    return client


def drained(client: socket.socket) -> bytes:
    """Read until the other end has closed, in whatever way."""
    data = bytearray()
    with contextlib.suppress(ConnectionResetError):
        while chunk := client.recv(1 << 20):
            data += chunk
    return bytes(data)


FINE = {"v": 1, "ok": {"fine": True}}


async def test_a_question_on_a_line_is_answered_on_a_line(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    async with opened(path):
        assert await said(path, b'{"ask": "status"}\n' * 3) == [FINE] * 3
        assert await said(path, b'{"ask": "status", "v": 1, "newer": [1]}\n') == [FINE]


async def test_only_the_user_can_reach_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    async with opened(str(path)):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"status\n",
        b"[]\n",
        b'{"ask": 1}\n',
        b'{"ask": "status", "v": 2}\n',
        b'{"ask": "\xff"}\n',
        b'{"ask": "other"}\n',
        b"[" * 4000 + b"\n",
    ],
)
async def test_what_is_no_question_gets_a_reason_and_may_be_followed_by_one(
    tmp_path: Path, data: bytes
) -> None:
    path = str(tmp_path / "s")
    async with opened(path):
        bad, good = await said(path, data + b'{"ask": "status"}\n')

    assert bad["v"] == 1
    assert bad["error"]
    assert good == FINE


async def test_a_question_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    async with opened(path):
        with connected(path) as endless:
            endless.sendall(b"x" * (4 * control.LONGEST_ASK))

            assert await asyncio.to_thread(drained, endless) == b""
        assert await said(path, b'{"ask": "status"}\n') == [FINE]


async def test_who_never_ends_a_question_or_reads_no_answer_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "PATIENCE_S", 0.2)
    path = str(tmp_path / "s")
    async with opened(path):
        with connected(path) as slow, connected(path) as deaf:
            slow.sendall(b'{"ask": "sta')
            deaf.sendall(b'{"ask": "large"}\n' * 50)

            assert await said(path, b'{"ask": "status"}\n') == [FINE]
            assert await asyncio.to_thread(drained, slow) == b""
            await asyncio.to_thread(hung_up, deaf)
            assert len(drained(deaf)) < len(LARGE)


def hung_up(client: socket.socket) -> None:
    """Wait until the other end has closed, reading nothing."""
    poll = select.poll()
    poll.register(client, 0)
    assert poll.poll(10_000)


async def test_so_many_may_be_connected_and_no_more(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    async with opened(path):
        with ExitStack() as stack:
            crowd = [stack.enter_context(connected(path)) for _ in range(door.MOST)]
            for client in crowd:
                client.sendall(b'{"ask": "status"}\n')
                assert await asyncio.to_thread(client.recv, 100)

            assert await said(path, b"") == [{"v": 1, "error": "too many ask at once"}]
        while (await said(path, b'{"ask": "status"}\n')) != [FINE]:
            pass


async def test_a_stranger_is_not_answered(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can be somebody else")
    path = f"/tmp/attend-test-door-{os.getpid()}"  # noqa: S108 - where a stranger may look
    async with opened(path):
        assert await asyncio.to_thread(as_nobody, path) == b""


def as_nobody(path: str) -> bytes:
    os.chmod(path, 0o666)  # noqa: PTH101, S103 - or a stranger could not even connect
    readable, writable = os.pipe()
    pid = os.fork()
    if not pid:
        os.setuid(65534)
        with connected(path) as client:
            os.write(writable, client.recv(100))
        os._exit(0)
    os.close(writable)
    assert os.waitpid(pid, 0)[1] == 0
    with os.fdopen(readable, "rb") as told:
        return told.read()


def stale(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))


@pytest.mark.parametrize(
    "before", [stale, Path.touch, lambda path: path.symlink_to("/dev/null")]
)
async def test_whatever_an_earlier_host_left_gives_way(
    tmp_path: Path, before: Callable[[Path], None]
) -> None:
    path = tmp_path / "s"
    before(path)
    async with opened(str(path)):
        assert await said(str(path), b'{"ask": "status"}\n') == [FINE]

    assert not path.exists()
    assert not path.is_symlink()


async def test_where_it_cannot_be_the_host_goes_on_without_it(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    async with opened(str(tmp_path / "s")):
        pass
    async with opened(str(tmp_path / ("long" * 40))):
        pass

    assert (tmp_path / "s").is_dir()


async def test_one_that_was_removed_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "s"
    async with opened(str(path)) as made:
        path.unlink()
        await made.renew()
        assert await said(str(path), b'{"ask": "status"}\n') == [FINE]

        await made.renew()
        assert await said(str(path), b'{"ask": "status"}\n') == [FINE]


async def test_the_socket_of_another_host_is_not_taken_along(tmp_path: Path) -> None:
    path = tmp_path / "s"
    async with opened(str(path)):
        path.unlink()
        stale(path)

    assert path.exists()


@pytest.mark.parametrize("own", ["s", "other"])
async def test_a_socket_that_was_handed_over_is_used_and_stays(
    tmp_path: Path, own: str
) -> None:
    handed = socket.socket(socket.AF_UNIX)
    handed.bind(str(tmp_path / "s"))
    handed.listen()
    handed.settimeout(0)
    early = asyncio.create_task(said(str(tmp_path / "s"), b'{"ask": "status"}\n'))
    await asyncio.sleep(0)
    async with opened(str(tmp_path / own), handed):
        assert await early == [FINE]
        assert await said(str(tmp_path / own), b'{"ask": "status"}\n') == [FINE]

    assert (tmp_path / "s").exists()
    assert not (tmp_path / "other").exists()


async def test_who_waits_where_nobody_will_answer_is_told_so(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as handed:
        handed.bind(str(tmp_path / "s"))
        handed.listen()
        with connected(str(tmp_path / "s")) as client:
            turn_away([handed], "process 7 is the host")

            assert json.loads(drained(client)) == {"v": 1, "error": "process 7 is the host"}
