"""Whose memory a command is about, who asks, and which fact is meant."""

import argparse
import time
from collections.abc import Sequence

from attendd.cli.config import in_force
from attendd.cli.state import State, writable
from attendd.errors import AttendError, UsageError
from attendd.hot import identity, memory_session
from attendd.registry import load
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.facts import Found
from attendd.store.memories import Project


class Memory:
    """The memory of the project that a command is called in.

    Attributes:
        state: what is known, read only.
        caller: who asks.
        place: where the project lies.
        project: what is known of it; ``None`` where it never had a memory.
    """

    def __init__(self) -> None:
        """Find out who asks, and where.

        Raises:
            StoreError: the store can't be read.
        """
        self.state = State()
        self.caller = identity.resolve()
        self.place = identity.project_of(self.caller.workdir)
        self.project: Project | None = self.state.store.memories.project_at(self.place)

    @property
    def agent(self) -> bool:
        """Whether no person asks at a terminal, but a session's agent."""
        return self.caller.how != "terminal"

    @property
    def actor(self) -> str:
        """Who makes a change, for the log."""
        return (self.caller.session or "unknown") if self.agent else "user"

    def number(self, args: argparse.Namespace) -> int | None:
        """Return the project that is asked about; ``None``: all, 0: it has no memory.

        Raises:
            UsageError: an agent asks about all.
        """
        if args.everywhere:
            self.insist_on_person("look into other projects")
            return None
        return self.project.id if self.project else 0

    def names(self) -> list[str] | None:
        """Return what the asking agent is addressed by; ``None`` for a person, who sees all."""
        if not self.agent:
            return None
        return self.state.store.call(lambda db: memory_session.names(db, self.caller.session))

    def writable(self) -> Store:
        """Open the store for a change.

        Raises:
            StoreError: it can't be.
        """
        return writable()

    def fact(self, args: argparse.Namespace) -> Found:
        """Find the fact that a command names.

        Raises:
            UsageError: several ids begin so.
            AttendError: none does.
        """
        prefix = args.words[0]
        found = self.state.store.facts.by_prefix(self.number(args), prefix)
        if not found and not self.agent:
            found = self.state.store.facts.by_prefix(None, prefix)
        names = self.names()
        if names is not None:
            found = [each for each in found if each.fact.consumer in ("", *names)]
        if not found:
            hint = "`attend memory list` lists them, with --all also those that are not shown"
            raise AttendError(f"there is no fact #{prefix.lstrip('#')}", hint=hint)
        if len(found) > 1:
            several = ", ".join(f"#{each.fact.id}" for each in found[:5])
            raise UsageError(f"{len(found)} facts begin with {prefix!r}", hint=several)
        return found[0]

    def made_use_of(self, found: Sequence[Found]) -> None:
        """Note that facts were of use to the session whose agent asked for them.

        Raises:
            StoreError: it was not noted.
        """
        session = self.caller.session
        if not (self.agent and session and found):
            return

        def work(book: FactBook) -> None:
            for each in found:
                if each.fact.session != session:
                    book.hit(each.fact, session)

        self.writable().facts.change(work, time.time(), session)

    def insist_on_person(self, what: str) -> None:
        """Leave to a person what is a person's.

        Raises:
            UsageError: an agent asks.
        """
        if self.agent:
            raise UsageError(
                f"only a person can {what}", hint="it is typed at a terminal of its own"
            )


def configured() -> bool:
    """Tell whether memory is on here by the configuration."""
    return in_force(load().sensors).config.memory.enabled
