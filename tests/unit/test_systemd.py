"""What is said to a service manager, and what is taken over from one."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from attendd.systemd import Manager
from tests.process.reading import eventually


@pytest.fixture(params=["path", "abstract"])
def manager(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[str, socket.socket]]:
    """A stand-in for systemd, and its address as systemd writes it."""
    address = str(tmp_path / "notify") if request.param == "path" else f"@attend-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listens:
        listens.bind(address.replace("@", "\0", 1))
        listens.settimeout(10)
        yield address, listens


def test_everything_is_said_in_the_words_of_the_protocol(
    manager: tuple[str, socket.socket],
) -> None:
    address, listens = manager
    told = Manager({"NOTIFY_SOCKET": address})

    told.ready("1 session")
    told.status("2 sessions")
    told.alive()
    told.reloading()
    told.stopping()

    assert listens.recv(999) == b"READY=1\nSTATUS=1 session"
    assert listens.recv(999) == b"STATUS=2 sessions"
    assert listens.recv(999) == b"WATCHDOG=1"
    assert listens.recv(999).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
    assert listens.recv(999) == b"STOPPING=1"


@pytest.mark.parametrize("address", ["", "/nowhere/at/all", "vsock:2:9", "relative"])
def test_where_nobody_listens_nothing_happens(address: str) -> None:
    told = Manager({"NOTIFY_SOCKET": address})

    told.ready("all is well")

    assert told.present is address.startswith("/")


def test_no_child_is_left_to_believe_that_it_is_meant() -> None:
    names = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
    env = dict.fromkeys((*names, "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"), "1")

    Manager(env | {"PATH": "/bin"})
    Manager(env)

    assert env == {}


@pytest.mark.parametrize(
    ("usec", "pid", "every_s"),
    [
        ("30000000", "", 15.0),
        ("30000000", "own", 15.0),
        ("30000000", "1", None),
        ("0", "", None),
        ("", "", None),
        ("soon", "", None),
    ],
)
def test_the_watchdog_is_fed_twice_in_its_time(
    usec: str, pid: str, every_s: float | None
) -> None:
    asked = {"WATCHDOG_USEC": usec, "WATCHDOG_PID": str(os.getpid()) if pid == "own" else pid}
    assert Manager(asked).watchdog_s == every_s


TAKE = """
import os, sys
pid, *fds = sys.argv[1:]
for at, fd in enumerate(fds):
    os.dup2(int(fd), 100 + at)
for at in range(len(fds)):
    os.dup2(100 + at, 3 + at)
from attendd.systemd import Manager
found = Manager({"LISTEN_PID": pid or str(os.getpid()), "LISTEN_FDS": str(len(fds))}).sockets
print([(each.getsockname(), each.fileno(), each.get_inheritable()) for each in found])
"""


def handed(pid: str, *files: IO[str] | socket.socket) -> str:
    """Return what a program says that has these from descriptor 3 on."""
    fds = [file.fileno() for file in files]
    words = [sys.executable, "-c", TAKE, pid, *map(str, fds)]
    done = subprocess.run(words, pass_fds=fds, capture_output=True, text=True, check=True)
    return done.stdout


def test_of_what_is_handed_over_only_what_listens_is_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with (
        socket.socket(socket.AF_UNIX) as listens,
        socket.socket(socket.AF_UNIX) as other,
        (tmp_path / "file").open("w") as file,
    ):
        listens.bind(path)
        listens.listen()

        assert handed("", other, file, listens) == f"[('{path}', 5, False)]\n"
        assert handed("1", other, file, listens) == "[]\n"


def test_a_real_systemd_hands_over(tmp_path: Path) -> None:
    """Its tool, that is; it needs no systemd to run."""
    path = str(tmp_path / "s")
    tool = "/usr/bin/systemd-socket-activate"
    if not Path(tool).exists():
        pytest.skip("there is no systemd-socket-activate here")
    code = (
        "import os; from attendd.systemd import Manager;"
        " print([s.getsockname() for s in Manager(os.environ).sockets], flush=True)"
    )
    words = [tool, "-l", path, "--fdname=control", sys.executable, "-c", code]
    keep = [f"-E{name}" for name in ("PYTHONPATH",) if name in os.environ]
    with subprocess.Popen(
        [words[0], *keep, *words[1:]], stdout=subprocess.PIPE, stderr=-3
    ) as run:
        assert run.stdout is not None
        _connect(path, run)
        assert run.stdout.read() == f"['{path}']\n".encode()


def _connect(path: str, run: "subprocess.Popen[bytes]") -> None:
    def connected() -> bool:
        assert run.poll() is None
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(path) == 0

    eventually(connected)
