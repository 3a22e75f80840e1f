"""Walls as a client's sandbox builds them: no processes, no writing, no sockets of outside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_NO_SOCKETS = """
import ctypes, os, platform, struct, sys

NUMBER = {"x86_64": 41, "aarch64": 198}[platform.machine()]  # of socket(2)
STEPS = [  # unless it is that call with AF_UNIX, allow; else it fails with EPERM
    (0x20, 0, 0, 0), (0x15, 0, 3, NUMBER), (0x20, 0, 0, 16), (0x15, 0, 1, 1),
    (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000),
]

class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

steps = b"".join(struct.pack("HBBI", *step) for step in STEPS)
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
if libc.prctl(22, 2, ctypes.byref(Program(len(STEPS), steps)), 0, 0):  # PR_SET_SECCOMP
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


def without_sockets(words: list[str]) -> list[str]:
    """Write a command that runs another one which can make no unix socket."""
    probe = [sys.executable, "-c", _NO_SOCKETS, "/bin/true"]
    if subprocess.run(probe, check=False).returncode:
        pytest.skip("no call can be forbidden here")
    return [sys.executable, "-c", _NO_SOCKETS, *words]


def command(closed: list[Path], words: list[str], *, sockets: bool = True) -> list[str]:
    """Write a command that runs another one behind walls.

    Args:
        closed: folders that can only be read there.
        words: the other command; its program by its path.
        sockets: whether it may make unix sockets.
    """
    if os.geteuid() != 0:
        pytest.skip("only root can wall a process off here")
    if not sockets:
        words = without_sockets(words)
    walls = " && ".join(
        f"mount --bind '{at}' '{at}' && mount -o remount,bind,ro '{at}'" for at in closed
    )
    inside = ["sh", "-c", f'{walls} && exec "$@"', "sh", *words]
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *inside]
