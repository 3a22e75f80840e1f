"""What a client states of a session in the JSON that it gives its status line.

Source:
    The statusLine input of Claude Code 2.1.328. Before the first answer most figures are null.
"""

from attendd.hot.db import Connection, read, write
from attendd.hot.lite import json_get

TYPE_CHECKING = False
if TYPE_CHECKING:
    Value = str | int | float | None

COLUMNS = (
    "model", "model_name", "version", "window_tokens", "used_tokens", "used_pct", "cost_usd",
    "cache_read", "cache_written", "cache_until",
)  # fmt: skip
"""What is kept for each session, in order."""

_USAGE = "$.context_window.current_usage"
_PATHS = (
    "$.session_id",
    "$.model.id",
    "$.model.display_name",
    "$.version",
    "$.context_window.context_window_size",
    "$.context_window.total_input_tokens",
    "$.context_window.used_percentage",
    "$.cost.total_cost_usd",
    f"{_USAGE}.cache_read_input_tokens",
    f"{_USAGE}.cache_creation_input_tokens",
    "$.prompt_cache.expires_at",
    f"{_USAGE}.input_tokens",
    f"{_USAGE}.output_tokens",
)
_TEXTS = 4
"""So many of them are texts, the others are numbers."""
_LONGEST_TEXT = 200
_LARGEST = 1e12
_ALL_PCT = 100
MOST_COUNTED = 100
"""Messages of a mailbox that are counted at most."""

_UNREAD = "SELECT 1 FROM delivery WHERE session = :session AND message IS NOT NULL AND"
_SENSORS = """SELECT group_concat(sensor, ' ') FROM (SELECT DISTINCT sensor FROM attachment
    JOIN health ON health.attachment = attachment.id WHERE session = :session
    AND ended_at IS NULL AND"""
LOOK = f"""SELECT
    (SELECT count(*) FROM (SELECT 1 FROM attachment WHERE session = :session
        AND ended_at IS NULL LIMIT 1)),
    (SELECT count(*) FROM ({_UNREAD} state IN ('stored', 'claimed') LIMIT {MOST_COUNTED}))
        + (SELECT count(*) FROM ({_UNREAD} state = 'announced' LIMIT {MOST_COUNTED})),
    (SELECT count(*) FROM ({_UNREAD} state IN ('stored', 'claimed') AND hold <> '' LIMIT 1)),
    ({_SENSORS} state = 'failing' ORDER BY sensor)),
    ({_SENSORS} held NOT IN ('', 'held.below-threshold') ORDER BY sensor))"""  # noqa: S608 - constants
_KEPT = f"SELECT {', '.join(COLUMNS)} FROM stated WHERE session = ?"  # noqa: S608 - constants
_KEEP = f"""INSERT OR REPLACE INTO stated (session, at, {", ".join(COLUMNS)})
    VALUES (?, ?{", ?" * len(COLUMNS)})"""  # noqa: S608 - constants


class Figures:
    """What the client says.

    Attributes:
        session: its id of the session.
        values: one for each of `COLUMNS`; ``None`` where it says nothing that could be true.
        window: size of the context window, in tokens.
        used: tokens in it.
        pct: its share in use, 0 to 100, reckoned from the two above where they are known.
    """

    __slots__ = ("pct", "session", "used", "values", "window")

    def __init__(self, session: str, values: "tuple[Value, ...]") -> None:
        self.session = session
        self.values = values
        self.window = _count(values[3])
        self.used = _count(values[4])
        self.pct = values[5] if isinstance(values[5], (int, float)) else None
        if self.pct is not None and self.used and self.window and self.used <= self.window:
            self.pct = _ALL_PCT * self.used / self.window
        if self.pct is not None and self.pct > _ALL_PCT:
            self.pct = 100


class Known:
    """What attend has to say about a session.

    Attributes:
        listener: whether anything reads for it.
        unread: messages that it was not shown yet, `MOST_COUNTED` or more where there are many.
        stopped: whether the host holds a conversation back.
        failing: sensors that fail.
        holding: sensors that hold back more than what is too slight to tell.
    """

    __slots__ = ("failing", "holding", "listener", "stopped", "unread")

    def __init__(self, row: "tuple[int, int, int, str | None, str | None]") -> None:
        self.listener = bool(row[0])
        self.unread = row[1]
        self.stopped = bool(row[2])
        self.failing = (row[3] or "").split()
        self.holding = (row[4] or "").split()


def parse(text: str) -> Figures | None:
    """Take the client's JSON apart; ``None`` if it is none, or names no session."""
    found = json_get(text, *_PATHS)
    if found is None:
        return None
    texts = [value if _is_text(value) else None for value in found[:_TEXTS]]
    numbers = [value if _is_number(value) else None for value in found[_TEXTS:]]
    if not texts[0]:
        return None
    window, used, pct, cost, read, written, until, sent, answered = numbers
    counts = [_count(each) for each in (window, used, read, written, sent, answered)]
    window, used, read, written, sent, answered = counts
    if sent is not None:  # all that the last answer took, as its row of the transcript says
        used = sent + (answered or 0) + (read or 0) + (written or 0)
    elif pct is None:
        used = None
    numbers = [window, used, pct, cost, read, written, until]
    return Figures(texts[0], (*texts[1:], *numbers))


def look(db: Connection, session: str) -> Known:
    """Ask what there is to say about a session.

    Raises:
        StoreError: the store can't be read.
    """
    return Known(read(db, LOOK, {"session": session})[0])


def keep(db: Connection, figures: Figures, wall: float) -> bool:
    """Write down what the client says, if it is something new; tell whether it was.

    Raises:
        StoreError: the store takes nothing now.
    """
    if read(db, _KEPT, (figures.session,)) == [figures.values]:
        return False
    row = (figures.session, wall, *figures.values)
    write(db, lambda db: db.execute(_KEEP, row))
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TEXT


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= _LARGEST


def _count(value: "Value") -> int | None:
    return int(value) if isinstance(value, (int, float)) and value == int(value) else None
