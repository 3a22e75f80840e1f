"""All knowledge of the clients' own files and JSON, behind small protocols."""

from attendd.harness.base import Harness, LiveSession, SessionView
from attendd.harness.none import NoHarness, NoView

__all__ = ["Harness", "LiveSession", "NoHarness", "NoView", "SessionView"]
