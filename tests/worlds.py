"""A table of what can happen to a repository: what was so, what is done, what is said."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.repos import Repository, Watch


class World:
    """A repository ``here`` with a bare ``origin``, and a clone ``there`` of somebody else."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp = tmp_path
        self.here = Repository(tmp_path / "here")
        self.here.commit("a.txt", "one\n", "first")
        self.here.git("clone", "-q", "--bare", ".", str(tmp_path / "origin"))
        self.here.git("remote", "add", "origin", str(tmp_path / "origin"))
        self.here.git("fetch", "-q")
        self.here.git("branch", "-q", "-u", "origin/main")

    def there(self) -> Repository:
        path = self.tmp / "there"
        if not path.exists():
            self.here.git("clone", "-q", str(self.tmp / "origin"), str(path))
        repo = Repository(path)
        repo.git("pull", "-q")
        return repo

    def diverge(self) -> None:
        """Give branch ``side`` and ``main`` different texts of one file."""
        self.here.git("branch", "side")
        self.here.commit("a.txt", "main\n", "main side")
        self.here.git("checkout", "-q", "side")
        self.here.commit("a.txt", "side\n", "other side")
        self.here.git("checkout", "-q", "main")


Step = Callable[[World], object]


class Case(NamedTuple):
    """What was so before the first look, what somebody does then, what is said."""

    name: str
    does: Step
    says: list[str]
    before: Step = lambda _world: None


def stops(*args: str) -> Step:
    """Run something that stops at a conflict."""
    return lambda w: w.here.git(*args, check=False)


def does(*args: str) -> Step:
    return lambda w: w.here.git(*args)


def each(*steps: Step) -> Step:
    return lambda w: [step(w) for step in steps]


OID = r"[0-9a-f]{9}"
BY = " by Juno Reyes"


async def check(case: Case, tmp_path: Path) -> None:
    """Play a case: each thing is said as written, and once."""
    world = World(tmp_path)
    case.before(world)
    watch = Watch(world.here.path)
    assert await watch.news() == []

    case.does(world)
    said = await watch.news()

    assert len(said) == len(case.says), said
    for text, pattern in zip(said, case.says, strict=True):
        assert re.fullmatch(pattern, text), text
    assert await watch.news() == []
