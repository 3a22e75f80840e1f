"""Ways of a stand-in client to ask who it is."""

import json
import shlex
import sys
from typing import Any

from tests.process.box import ROOT, Client

PROBE = f"""
import sys
sys.path.append({str(ROOT)!r})
from attendd.hot import identity
try:
    c = identity.resolve(*sys.argv[1:2])
    names = set(c.__slots__) - set(["record"]) | set(["transcript"])
    print([[name, getattr(c, name)] for name in names])
except identity.IdentityError as error:
    print([["error", error.args[0]], ["hint", error.hint]])
"""


def probe(client: Client) -> str:
    """Return a command that asks and prints the answer."""
    path = client.home / "probe.py"
    path.write_text(PROBE)
    return f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(path))}"


def ask(client: Client, how: str = "{}", *, pid: bool = True) -> dict[str, Any]:
    """Have a client ask.

    Args:
        client: a running stand-in.
        how: the shell command, with the question for ``{}``.
        pid: whether the client says its pid in the environment.
    """
    named = f"CLAUDECODE=1 CLAUDE_PID={client.pid} " if pid else ""
    client.do(named + "sh -c " + shlex.quote(how.format(probe(client)) + "; true"))
    return read(client.out.line())


def read(line: str) -> dict[str, Any]:
    """Take an answer apart."""
    return dict(eval(line))  # noqa: S307 - printed by the probe above


def rewrite(client: Client, **change: object) -> None:
    """Change a client's record; ``None`` takes a key away."""
    record = json.loads(client.record_path.read_text()) | change
    kept = {key: value for key, value in record.items() if value is not None}
    client.record_path.write_text(json.dumps(kept))
