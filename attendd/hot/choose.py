"""Which facts a session is shown: what may concern it, heaviest first, while there is room.

The index has active facts in the order in which they are chosen, under each of their words. So
the choice among ten thousand costs hardly more than among a hundred.
"""

from attendd.hot.db import Connection, attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

MOST_WORDS = 60
"""Words of a prompt that are looked for."""
MOST_PASSED = 200
"""Facts in a row that are passed over: what would still fit has little weight and few words."""

_ALL, _CORE = "", "!"
"""Words in the index that stand for every fact, and for every one a person wished for."""
_ARM = """SELECT weight, updated_at, fact, bytes FROM fact_term
    WHERE project = {} AND term = ? AND consumer IN ({})"""
_NEWS = """SELECT weight, updated_at, id, length(CAST(text AS BLOB)) FROM fact
    WHERE id IN ({}) AND status = 'active' AND consumer IN ({})"""
_FACT = """SELECT text, session, producer, consumer, created_at FROM fact
    WHERE id = ? AND vetted"""


class Reader:
    """Who is shown facts.

    Attributes:
        project: whose facts.
        session: its session.
        names: what it is addressed by besides its being anybody.
        fresh_at: since when its context holds what it said itself, wall clock.
    """

    __slots__ = ("fresh_at", "names", "project", "session")

    def __init__(
        self,
        project: int,
        session: str = "",
        names: "Collection[str]" = (),
        fresh_at: float = 0,
    ) -> None:
        self.project = project
        self.session = session
        self.names = tuple(names)
        self.fresh_at = fresh_at


class Room:
    """How much may be shown at once: facts, and bytes of their text; 0 facts: any number."""

    __slots__ = ("facts", "size")

    def __init__(self, facts: int = 25, size: int = 2_048) -> None:
        self.facts = facts
        self.size = size

    def without(self, chosen: "Sequence[tuple[str, str]]") -> "Room":
        """Return what is left of it beside facts."""
        size = self.size - sum(len(text.encode()) for _, text in chosen)
        if not self.facts:
            return Room(0, size)
        left = self.facts - len(chosen)
        return Room(left, size) if left > 0 else Room(0, 0)


def choose(
    db: Connection,
    reader: Reader,
    room: Room,
    words: "Collection[str]" = (),
    *,
    news: "Collection[str]" = (),
    known: "Callable[[], Collection[str]]" = tuple,
) -> list[tuple[str, str]]:
    """Choose facts: by weight, then the latest, then by id.

    One that does not fit, or was not vetted yet, is passed over; after many such in a row, that
    was all.

    Args:
        db: the store.
        reader: for whom.
        room: how much.
        words: what they are to be about; none: anything. What a person wished for always is.
        news: ids of facts that count, whatever they are about.
        known: returns the ids of facts that the reader has before it; asked for when needed.

    Returns:
        Of each its id and text.

    Raises:
        StoreError: the store can't be read.
    """
    chosen: list[tuple[str, str]] = []
    left, passed = room.size, 0
    before: Collection[str] | None = None
    for fact, size in _in_order(db, reader, words, news):
        before = known() if before is None else before
        if fact in before:
            continue
        found = db.execute(_FACT, (fact,)).fetchone() if size <= left else None
        if found is None:
            passed += 1
            if passed == MOST_PASSED:
                break
            continue
        text, *said = found
        if _is_echo(reader, *said):
            continue
        chosen.append((fact, text))
        left, passed = left - size, 0
        if not left or len(chosen) == room.facts:
            break
    return chosen


def _in_order(
    db: Connection, reader: Reader, words: "Collection[str]", news: "Collection[str]"
) -> "Iterator[tuple[str, int]]":
    """Yield the id and size of each fact that may be shown, lazily: SQLite merges the arms."""
    names = ("", *reader.names)
    heard = ", ".join("?" * len(names))
    terms = [*sorted(words)[:MOST_WORDS], _CORE] if words else [_ALL]
    arms = [_ARM.format(int(reader.project), heard)] * len(terms)
    args = [value for term in terms for value in (term, *names)]
    if news:
        arms.append(_NEWS.format(", ".join("?" * len(news)), heard))
        args += [*news, *names]
    sql = f"{' UNION '.join(arms)} ORDER BY 1 DESC, 2 DESC, 3"
    for row in attempt(db, lambda: db.execute(sql, args)):
        yield row[2], row[3]


def _is_echo(
    reader: Reader, session: str, producer: str, consumer: str, created_at: float
) -> bool:
    """Tell whether a fact would tell a session what it has said itself and still knows."""
    own = session == reader.session and producer == "agent" and session != ""
    return own and not consumer and created_at >= reader.fresh_at
