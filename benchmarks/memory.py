"""What memory costs: a prompt's hook where it is on, the choice among few facts and many."""

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from attendd.hot import choose, db, identity, memory_settings, terms
from attendd.store import Store
from attendd.store.fact_book import FactBook
from attendd.store.fact_rows import Fact, mark_of
from benchmarks import commands, place, timing
from benchmarks.figure import TIMES, Figure, Options, Row, Sampler, Taken, at_most, ratio_row

COUNTS = (100, 10_000)
LIMIT = 10.0
HOOK = "attend hook, memory on, nothing to say"
_NEVER: dict[str, object] = {"enabled": True, "turns": 0, "growth_bytes": 0}
"""What is set so that nothing is ever due again."""
_PROMPT = "how do we deploy alpha beta gamma delta to staging and roll it back again"
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")
_LOOKS = 10


class Memory(Figure):
    """Hook and choice, with ten thousand facts in the project."""

    name = "memory"
    repeats = 3

    def prepare(self, stack: ExitStack, options: Options) -> None:
        """Fill stores, and have a session taught and told all that concerns its prompt."""
        self._stores: dict[int, db.Connection] = {}
        for count in COUNTS:
            path = options.folder / f"facts-{count}.db"
            _fill(path, count, 1, "deploy")
            self._stores[count] = db.connect(str(path))
            stack.callback(self._stores[count].close)
        self._home = place.Home(options.folder / "memory")
        self._home.configure("[memory]\nenabled = true\nturns = 0\ngrowth_bytes = 0\n")
        self._attend = place.launcher()
        commands.ready(stack, self._home)
        project = identity.project_of(str(self._home.path / "own"))
        with closing(Store(self._home.store)) as store:
            number = store.memories.settle(project, time.time())
            store.memories.configure(number, wall=time.time(), configured=True)
            store.call(lambda db: memory_settings.keep(db, memory_settings.Settings(_NEVER)))
        _fill(Path(self._home.store), COUNTS[1], number, "other")
        for _ in range(2):
            self._hook()

    def samplers(self) -> Mapping[str, Sampler]:
        """See `Figure.samplers`."""
        choices = {_name(count): lambda count=count: self._choice(count) for count in COUNTS}
        return {HOOK: self._hook, **choices}

    def rows(self, taken: Taken) -> Sequence[Row]:
        """See `Figure.rows`."""
        few, many = COUNTS
        us = 1e6 * taken.median(_name(many))
        what = f"choice of facts ({us:.0f} µs), {few} to {many:,} facts"
        return [
            ratio_row(HOOK, taken, HOOK, commands.LIMIT),
            at_most(what, taken.ratio(_name(many), _name(few)), LIMIT, TIMES),
        ]

    def _hook(self) -> float:
        event = str(self._home.path / "event.json")
        return timing.run([self._attend, "hook"], commands.inside(self._home), event)

    def _choice(self, count: int) -> float:
        reader, words = choose.Reader(1, "s"), terms.terms(_PROMPT)
        started = time.perf_counter()
        for _ in range(_LOOKS):
            found = choose.choose(self._stores[count], reader, choose.Room(), words)
        taken = time.perf_counter() - started
        if not found:
            raise RuntimeError("no fact was chosen")
        return taken / _LOOKS


def _name(count: int) -> str:
    return f"choice among {count} facts"


def _fill(path: Path, count: int, project: int, common: str) -> None:
    """Put facts into a store: each has a word that all have, and others by chance."""
    chance = random.Random(count)  # noqa: S311 - no secret

    def work(book: FactBook) -> None:
        for at in range(count):
            some = " ".join(chance.sample(_WORDS, 3)) if common == "deploy" else f"w{at} x{at}"
            text = f"{common} number {at} goes with {some} and takes {at % 97} minutes of time"
            book.add(
                Fact(
                    id=f"{at:016x}",
                    project=project,
                    scope="project",
                    text=text,
                    mark=mark_of(text),
                    producer="agent",
                    weight=chance.randrange(30, 100),
                    created_at=1.0,
                    updated_at=float(at),
                )
            )

    with closing(Store(str(path))) as store:
        store.facts.change(work, 1.0, "user")
        store.scrub.emptied()  # what is written in one go stays in the WAL for a while
