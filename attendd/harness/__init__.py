"""All knowledge of the clients' own files and JSON, behind small protocols."""

from attendd.harness.base import Harness, LiveSession, SessionView, Talk
from attendd.harness.claude import ClaudeHarness
from attendd.harness.evidence import Trace, Traces
from attendd.harness.none import NoView

__all__ = [
    "ClaudeHarness",
    "Harness",
    "LiveSession",
    "NoView",
    "SessionView",
    "Talk",
    "Trace",
    "Traces",
]
