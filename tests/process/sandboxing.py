"""A client's shell commands behind walls, as its sandbox puts them up."""

import os
import subprocess
import sys
from pathlib import Path

from attendd.hot import db, outside, places
from tests.process.box import HOT, ROOT, Box, eventually
from tests.process.posting import Office


class Sandbox:
    """A client whose shell commands see no process of outside and may not write to our folders.

    Attributes:
        client: the client; its own monitor is not in the sandbox.
        temporary: the folder for temporary files, as the client's children see it.
    """

    def __init__(self, box: Box, office: Office, web: Path) -> None:
        self.box = box
        self.temporary = box.home / "tmp" / f"claude-{os.geteuid()}"
        self.temporary.mkdir(parents=True)
        box.env["TMPDIR"] = str(box.home / "tmp")
        self.client = box.client(web)
        self.office = office
        self.web = web

    def monitor(self) -> None:
        """Arm the client's monitor, outside of the sandbox; wait until it, or another, hosts."""
        self.client.monitor()
        host = f"{places.runtime_dir()}/{outside.HOST}"
        eventually(lambda: outside.put(host, b"!"))
        sql = "SELECT 1 FROM attachment WHERE session = ? AND ended_at IS NULL"
        eventually(lambda: bool(db.read(self.office.db, sql, (self.client.session,))))

    def send(
        self,
        *words: str,
        body: str = "",
        command: str = "send",
        closed: tuple[Path, ...] = (),
        program: tuple[str, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Send something from inside; what else is closed can't be written either."""
        walls = (self.box.home / "attend", Path(places.runtime_dir()), *closed)
        shut = " && ".join(
            f"mount --bind '{at}' '{at}' && mount -o remount,bind,ro '{at}'" for at in walls
        )
        outer = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
        inside = ["sh", "-c", f'{shut} && exec "$@"', "sh"]
        return subprocess.run(
            [
                *outer,
                *inside,
                *(program or (sys.executable, "-I", "-S", str(HOT))),
                command,
                *words,
            ],
            cwd=self.web,
            env=self.box.env
            | {
                "PYTHONPATH": str(ROOT),
                "CLAUDECODE": "1",
                "CLAUDE_PID": str(self.client.pid),
                "TMPDIR": str(self.temporary),
            },
            input=body,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    @property
    def spool(self) -> list[Path]:
        """What was left for whoever comes."""
        return sorted(self.temporary.glob("attend-*.spool/[!.]*"))


def messages(office: Office) -> list[tuple[str, str, str]]:
    return db.read(office.db, "SELECT body, author_how, via FROM message ORDER BY seq")
