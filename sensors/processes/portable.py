"""Processes where there is no ``/proc``, through psutil."""

import importlib
import time
from typing import Any

from sensors.processes.ending import Ending
from sensors.processes.source import Stat


class PsutilSource:
    """The `sensors.processes.source.Source` of other systems."""

    def __init__(self) -> None:
        """Find psutil.

        Raises:
            RuntimeError: it is not installed.
        """
        try:
            self._psutil: Any = importlib.import_module("psutil")
        except ImportError:
            raise RuntimeError(
                "without /proc, psutil is needed: pip install 'attendd[macos]'"
            ) from None

    def pids(self) -> set[int]:
        """See `Source.pids`."""
        return set(self._psutil.pids())

    def stat(self, pid: int) -> Stat | None:
        """See `Source.stat`."""
        try:
            process = self._psutil.Process(pid)
            with process.oneshot():
                if process.status() == self._psutil.STATUS_ZOMBIE:
                    return None
                start = str(hash(process))  # its time of creation moves when the clock is set
                return Stat(
                    pid, start, process.ppid(), process.name(), bool(process.terminal())
                )
        except self._psutil.Error:
            return None

    def hold(self, stat: Stat) -> Ending:  # noqa: ARG002 - nothing more is known of any
        """See `Source.hold`."""
        return Ending()

    def words(self, pid: int) -> list[str]:
        """See `Source.words`."""
        try:
            return list(self._psutil.Process(pid).cmdline())
        except self._psutil.Error:
            return []

    def folder(self, pid: int) -> str:
        """See `Source.folder`."""
        try:
            return str(self._psutil.Process(pid).cwd())
        except self._psutil.Error:
            return ""

    def variable(self, pid: int, name: str) -> str:
        """See `Source.variable`."""
        try:
            return str(self._psutil.Process(pid).environ().get(name, ""))
        except self._psutil.Error:
            return ""

    def age_s(self, stat: Stat, now: float) -> float:  # noqa: ARG002 - its clock is another
        """See `Source.age_s`: there is only the wall clock to tell."""
        try:
            return max(0.0, time.time() - float(self._psutil.Process(stat.pid).create_time()))
        except self._psutil.Error:
            return 0.0
