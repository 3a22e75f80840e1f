"""What the host has to say about itself: in the journal, and to people on standard error."""

import contextlib

from attendd import log
from attendd.errors import StoreError
from attendd.host.outlet import StoreOutlet
from attendd.host.parts import Parts
from attendd.hot import faults

_log = log.get_logger("host")


class Remarks:
    """Says each thing once, when it begins to be so."""

    def __init__(self, parts: Parts, outlet: StoreOutlet) -> None:
        """Begin with nothing said.

        Args:
            parts: what is looked at.
            outlet: where it is journalled.
        """
        self._parts = parts
        self._outlet = outlet
        self._problems: list[str] = []
        self._unwatched: str | None = None
        self._set_aside = ""

    def look(self) -> None:
        """Say what is new about the store's file and the configuration."""
        notices = self._parts.store.notices()
        for notice in notices:
            self.say("store", notice)
        with contextlib.suppress(StoreError):
            self._look_for_set_aside(" ".join(notices))
        problems = self._parts.config.current().problems
        for problem in problems:
            if problem not in self._problems:
                self.say("config", problem)
        self._problems = problems

    def _look_for_set_aside(self, said: str) -> None:
        """Journal, once, that a damaged store was set aside, whoever found and said it.

        Args:
            said: what was said of the store just now.
        """
        found = self._parts.store.set_aside()
        if found is None or found[0] == self._set_aside:
            return
        self._set_aside = found[0]
        known = self._parts.store.health.of_host().get("set-aside")
        if known is None or known[1] != self._set_aside:
            self._write("set-aside", self._set_aside)
            if self._set_aside not in said:
                path = self._set_aside.rpartition(".damaged-")[0]
                self._outlet.note("store", str(faults.set_aside(path, self._set_aside)))

    def watched(self, failed: str) -> None:
        """Say why paths are not watched; empty while they are."""
        if failed != self._unwatched:
            self._unwatched = failed
            if failed:
                self.say("watch", failed)
            self._write("watch", failed)

    def failed(self, error: BaseException) -> None:
        """Note why the host ends before anybody asked it to; who goes on says it to people."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        said = f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
        self._outlet.note("host.failed", said)
        self._write("failed", said)

    def _write(self, about: str, text: str) -> None:
        """Have `attend status` say it, if the store takes anything."""
        with contextlib.suppress(StoreError):
            self._parts.store.health.say(about, text, self._parts.clock.wall())

    def say(self, code: str, text: str, *, usual: bool = False) -> None:
        """Say something, to people and in the journal.

        Args:
            code: names it in the journal.
            text: the sentence.
            usual: whether nothing is wrong.
        """
        self._outlet.note(code, text)
        (_log.info if usual else _log.warning)(code, what=text)
