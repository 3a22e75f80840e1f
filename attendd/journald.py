"""Lines for systemd's journal, with fields: its native protocol, a datagram for each line.

What comes in on standard error is text to the journal, of which it knows a priority at most.
Over its socket it takes fields, so that it can be asked for what concerns one session, or one
observation.

Source:
    systemd's "Native Journal Protocol", and systemd.exec(5) for ``JOURNAL_STREAM``.
"""

import os
from collections.abc import Mapping

SOCKET = "/run/systemd/journal/socket"
IDENTIFIER = "attendd"

_LONGEST = 48 * 1024
"""Bytes of one value; a datagram of some of them is still taken."""


def is_stderr() -> bool:
    """Tell whether what this process writes to standard error goes to the journal."""
    said = os.environ.get("JOURNAL_STREAM", "")
    try:
        there = os.fstat(2)
    except OSError:
        return False
    return said == f"{there.st_dev}:{there.st_ino}"


def datagram(fields: Mapping[str, str]) -> bytes:
    """Write fields as the protocol wants them: ``KEY=value``, or with a length before it."""
    parts = []
    for key, value in fields.items():
        data = value.encode(errors="backslashreplace")[:_LONGEST]
        if b"\n" in data:
            parts.append(b"%s\n%s%s\n" % (key.encode(), len(data).to_bytes(8, "little"), data))
        else:
            parts.append(b"%s=%s\n" % (key.encode(), data))
    return b"".join(parts)


def send(fields: Mapping[str, str]) -> bool:
    """Hand one entry to the journal; false where it does not take it at once."""
    import socket  # noqa: PLC0415 - a command that logs nothing does not pay for it

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            sender.sendto(datagram({"SYSLOG_IDENTIFIER": IDENTIFIER, **fields}), SOCKET)
    except OSError:
        return False
    return True
