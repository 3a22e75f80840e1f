"""A store and a journal with something in them, written through the real interfaces."""

import os
import time
from pathlib import Path

from attendd.hot import attach, db, ledger, process
from attendd.store import Batch, Health, JournalRow, Store
from attendd.store.journal import Journal
from tests.process.box import Box
from tests.store import fresh

SESSION = "38655051-aaaa-4bbb-8ccc-000000000001"
OTHER = "4a0b11ce-aaaa-4bbb-8ccc-000000000002"
GAP = "opens in 12 s"


class Seed:
    """A box's store, filled by hand; this process stands in for every reader.

    Attributes:
        wall: a moment shortly before now, at which everything happened.
    """

    def __init__(self, box: Box) -> None:
        box.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.box = box
        self.wall = time.time() - 60
        self.path = str(box.state / "attend.db")
        self.journal = Journal(box.state / "journal.db")
        self.store = Store(fresh.store(self.path))

    def session(
        self, session: str = SESSION, workdir: Path | str = "/w", *, pid: int | None = None
    ) -> str:
        """Enrol and attach a session; return its attachment.

        Args:
            session: its id.
            workdir: its directory.
            pid: the reader's process; ``None`` is this one, which lives.
        """
        opened = db.connect(self.path)
        attachment = f"a-{session}"
        ledger.enrol(
            opened,
            session=session,
            harness="claude-code",
            project=str(workdir),
            workdir=str(workdir),
            transcript="",
            name="lighthouse-1",
            declared=session.startswith("as:"),
            wall=self.wall,
        )
        ledger.attach(
            opened,
            attachment=attachment,
            session=session,
            conduit="monitor",
            reader_pid=os.getpid() if pid is None else pid,
            reader_start=attach.own_start() if pid is None else "1",
            client_pid=None,
            client_start=None,
            boot=process.boot_id(),
            pidns=process.pid_namespace(),
            bell=str(self.box.home / "bells" / "x.bell"),
            workdir=str(workdir),
            version=attach.VERSION,
            wall=self.wall,
        )
        opened.close()
        return attachment

    def batch(
        self, correlation: str, text: str, session: str = SESSION, *, offered: bool = True
    ) -> None:
        """Put a batch, and have it, with what waits before it, shown after 4 ms, or wait."""
        attachment = f"a-{session}"
        boot, bt = process.boot_id(), 1000.0
        self.store.outbox.put(
            Batch(
                attachment=attachment,
                session=session,
                lane="event",
                text=text,
                correlation=correlation,
                wall=self.wall,
                boot=boot,
                bt=bt,
            )
        )
        if not offered:
            return
        opened = db.connect(self.path)
        claimed = ledger.claim(opened, attachment, session, boot, bt)
        ids = [delivery for delivery, *_ in claimed]
        ledger.offered(opened, ids, "monitor", self.wall, bt + 0.004)
        opened.close()

    def wrote(self, code: str, text: str = "", **fields: str | float) -> None:
        """Journal something of the git sensor."""
        values: dict[str, str | float] = {
            "at": self.wall,
            "kind": "gate",
            "session": SESSION,
            "attachment": f"a-{SESSION}",
            "sensor": "git",
            "magnitude": 3.0,
        }
        row = JournalRow(code=code, text=text, **{**values, **fields})  # type: ignore[arg-type]
        assert self.journal.append([row]) == ""

    def health(self, **fields: str | float) -> None:
        """Write down how the git sensor fares."""
        values: dict[str, str | float] = {
            "attachment": f"a-{SESSION}",
            "sensor": "git",
            "state": "ok",
            "since_at": self.wall,
            "polled_at": self.wall,
            "threshold": 2.0,
        }
        self.store.health.put([Health(**{**values, **fields})])  # type: ignore[arg-type]

    def close(self) -> None:
        """Give the files back, as a host that ends does."""
        self.store.close()
        self.journal.close()


def told_twice(seed: Seed) -> None:
    """Two commits that others made: one told with the branch, one held before it was."""
    seed.session()
    seed.wrote("observed", "1 new commit by Mira", kind="observation", detail="item 1")
    seed.wrote("held.gap", "1 new commit by Mira", detail=f"item 1, {GAP}")
    seed.wrote("observed", "the same again", kind="observation", detail="item 2")
    seed.wrote("merged", "the same again", detail="item 2, into 1")
    seed.wrote("own", "1 new commit by Demo", kind="observation", detail="item 3")
    seed.wrote(
        "fired", "1 new commit by Mira", magnitude=6.0, batch="k3f9q2xm", detail="item 1, high"
    )
    line = "[attend sensor=git priority=high] 1 new commit by Mira\n"
    seed.batch("k3f9q2xm", line)
