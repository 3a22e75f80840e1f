"""Every way in which facts change, within one transaction: table, log and index together."""

from collections.abc import Collection
from typing import Any

import msgspec

from attendd.hot import db as hot
from attendd.hot import terms
from attendd.store.fact_rows import Entry, Fact, entry, mark_of
from attendd.store.rows import columns, rows

_MARKS = ", ".join("?" * len(Fact.__struct_fields__))
_INSERT = f"INSERT INTO fact ({columns(Fact)}, vetted) VALUES ({_MARKS}, 1)"
_LOG = """INSERT INTO fact_log (at, actor, action, project, fact, session, changes)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
TERM_COLUMNS = "project, term, weight, updated_at, fact, consumer, bytes"
"""Of the index, its key first."""
_ALL, _CORE = "", "!"
"""Words in the index that stand for every fact, and for every one that is core."""


class FactBook:
    """Facts as one transaction sees and changes them.

    Attributes:
        wall: the time of all its changes.
        actor: who makes them: ``user``, ``host``, or a session.
    """

    def __init__(self, db: hot.Connection, wall: float, actor: str) -> None:
        self.wall = wall
        self.actor = actor
        self._db = db
        # What is deleted or moved leaves no copy in the file's unused space.
        db.execute("PRAGMA secure_delete=ON")

    def get(self, fact: str) -> Fact | None:
        """Return a fact; ``None`` if there is none of that id."""
        found = self._db.execute(f"SELECT {columns(Fact)} FROM fact WHERE id = ?", (fact,))
        return next(iter(rows(Fact, found.fetchall())), None)

    def marked(self, project: int, text: str) -> list[Fact]:
        """Return the facts of a project that have this text, or had it when it was blanked."""
        sql = f"SELECT {columns(Fact)} FROM fact WHERE project = ? AND mark = ?"
        return rows(Fact, self._db.execute(sql, (project, mark_of(text))).fetchall())

    def was_forgotten(self, project: int, text: str) -> bool:
        """Tell whether a fact of a project that ever had this text was forgotten."""
        sql = """SELECT 1 FROM fact JOIN fact_log ON fact_log.fact = fact.id
            WHERE fact.project = ? AND status = 'forgotten'
            AND json_extract(changes, '$.mark') = ? LIMIT 1"""
        return self._db.execute(sql, (project, mark_of(text))).fetchone() is not None

    def similar(self, project: int, words: Collection[str], at_least: int) -> list[Fact]:
        """Return the active facts of a project that have so many of these words."""
        marks = ", ".join("?" * len(words))
        sql = f"""SELECT {columns(Fact)} FROM fact WHERE status = 'active' AND id IN (
            SELECT fact FROM fact_term WHERE project = ? AND term IN ({marks})
            GROUP BY fact HAVING count(*) >= ?) ORDER BY scope, created_at, id"""
        return rows(Fact, self._db.execute(sql, (project, *words, at_least)).fetchall())

    def of_session(self, session: str, turn: int | None = None) -> list[Fact]:
        """Return what a session recorded, in one turn or in all, whatever became of it."""
        sql = f"SELECT {columns(Fact)} FROM fact WHERE session = ?1 AND ifnull(turn = ?2, 1)"
        return rows(Fact, self._db.execute(sql, (session, turn)).fetchall())

    def unused(self, project: int, sessions: int) -> list[Fact]:
        """Return active facts that were neither shown, used nor said in so many sessions."""
        sql = f"""SELECT {columns(Fact)} FROM fact WHERE project = :project
            AND status = 'active' AND NOT core AND max(updated_at,
                ifnull((SELECT max(at) FROM fact_hit WHERE fact = fact.id), 0),
                ifnull((SELECT max(at) FROM injected JOIN injection
                    ON injection.id = injected.injection WHERE fact = fact.id), 0)
            ) < (SELECT began_at FROM memory_session WHERE project = :project
                AND ended_at IS NOT NULL ORDER BY began_at DESC LIMIT 1 OFFSET :sessions - 1)"""
        asked = {"project": project, "sessions": sessions}
        return rows(Fact, self._db.execute(sql, asked).fetchall())

    def beyond(self, project: int, kept: int) -> list[Fact]:
        """Return the active facts that weigh least, beyond so many that are kept."""
        sql = f"""SELECT {columns(Fact)} FROM fact WHERE project = ? AND status = 'active'
            AND NOT core ORDER BY weight DESC, updated_at DESC, id LIMIT -1 OFFSET ?"""
        return rows(Fact, self._db.execute(sql, (project, kept)).fetchall())

    # -- changes ------------------------------------------------------------------

    def add(self, fact: Fact, action: str = "recorded") -> None:
        """Add a fact, of which the text was vetted."""
        self._db.execute(_INSERT, msgspec.structs.astuple(fact))
        changes = msgspec.structs.asdict(fact)
        del changes["id"]
        self._enter(action, fact.project, fact.id, "", changes)
        self._index(fact)

    def alter(
        self,
        fact: Fact,
        action: str,
        note: dict[str, Any] | None = None,
        **to: Any,  # noqa: ANN401 - the type of each column
    ) -> Fact:
        """Change columns of a fact.

        Args:
            fact: as it is.
            action: the word for it.
            note: what else the log keeps of it; keys begin with ``_``.
            **to: columns and their new values.

        Returns:
            The fact as it is now.
        """
        if "text" in to:
            to["mark"] = mark_of(to["text"])
        to = {name: value for name, value in to.items() if value != getattr(fact, name)}
        changed = msgspec.structs.replace(fact, **to)
        if to:
            sql = f"UPDATE fact SET {', '.join(f'{name} = ?' for name in to)} WHERE id = ?"
            self._db.execute(sql, (*to.values(), fact.id))
            self._unindex(fact)
            self._index(changed)
        self._enter(action, fact.project, fact.id, "", {**to, **(note or {})})
        return changed

    def vetted(self, fact: Fact) -> None:
        """Note that the text of a fact, if it is still this, was vetted; the log has it not."""
        sql = "UPDATE fact SET vetted = 1 WHERE id = ? AND mark = ?"
        self._db.execute(sql, (fact.id, fact.mark))

    def hit(self, fact: Fact, session: str) -> bool:
        """Note that a fact was of use to a session; tell whether that is news."""
        sql = "INSERT OR IGNORE INTO fact_hit (fact, session, at) VALUES (?, ?, ?)"
        if not session or not self._db.execute(sql, (fact.id, session, self.wall)).rowcount:
            return False
        self._enter("hit", fact.project, fact.id, session, {})
        return True

    def refuse(
        self, project: int, session: str, turn: int, reason: str, fact: str = ""
    ) -> None:
        """Note that something was not recorded, and why; the same again adds to a count."""
        same = {"_reason": reason, "_turn": turn}
        last = self._db.execute(
            """SELECT id, fact, changes FROM fact_log WHERE project = ? AND session = ?
                AND action = 'refused' ORDER BY id DESC LIMIT 1""",
            (project, session),
        ).fetchone()
        known = msgspec.json.decode(last[2]) if last else {}
        if last and last[1] == fact and known.items() >= same.items():
            count = _text({**known, "_count": known["_count"] + 1})
            self._db.execute("UPDATE fact_log SET changes = ? WHERE id = ?", (count, last[0]))
        else:
            self._enter("refused", project, fact, session, {**same, "_count": 1})

    def take(self, source: str) -> bool:
        """Claim a percept by where it stands; tell whether it was not taken before."""
        sql = "INSERT OR IGNORE INTO captured (source, at) VALUES (?, ?)"
        return self._db.execute(sql, (source, self.wall)).rowcount > 0

    def close_session(self, session: str) -> int:
        """Mark that the end of a session was reckoned with; return its project, 0 if it was."""
        sql = """UPDATE memory_session SET ended_at = ? WHERE session = ?
            AND ended_at IS NULL"""
        if not self._db.execute(sql, (self.wall, session)).rowcount:
            return 0
        sql = "SELECT project FROM memory_session WHERE session = ?"
        return int(self._db.execute(sql, (session,)).fetchone()[0])

    def entries_of(self, fact: str) -> list[Entry]:
        """Return what the log says of a fact, in order."""
        sql = f"SELECT {columns(Entry)} FROM fact_log WHERE fact = ? ORDER BY id"
        return [entry(row) for row in self._db.execute(sql, (fact,)).fetchall()]

    def texts_of(self, fact: str) -> set[str]:
        """Return every text that a fact has ever had."""
        sql = """SELECT DISTINCT json_extract(changes, '$.text') FROM fact_log
            WHERE fact = ? AND json_extract(changes, '$.text') <> ''"""
        return {row[0] for row in self._db.execute(sql, (fact,)).fetchall()}

    def blank(self, fact: Fact) -> Fact:
        """Take the text of a fact out of table, log and index, and leave a tombstone."""
        self._unindex(fact)
        self._db.execute(
            "UPDATE fact SET text = '', status = 'forgotten' WHERE id = ?", (fact.id,)
        )
        self._db.execute(
            """UPDATE fact_log SET changes = json_set(changes, '$.text', '')
                WHERE fact = ? AND json_type(changes, '$.text') IS NOT NULL""",
            (fact.id,),
        )
        self._enter("forgotten", fact.project, fact.id, "", {"text": "", "status": "forgotten"})
        return msgspec.structs.replace(fact, text="", status="forgotten")

    # -- how ----------------------------------------------------------------------

    def _enter(
        self, action: str, project: int, fact: str, session: str, changes: dict[str, Any]
    ) -> None:
        row = (self.wall, self.actor, action, project, fact, session, _text(changes))
        self._db.execute(_LOG, row)

    def _index(self, fact: Fact) -> None:
        sql = f"INSERT INTO fact_term ({TERM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._db.executemany(sql, term_rows(fact))

    def _unindex(self, fact: Fact) -> None:
        self._db.executemany(
            """DELETE FROM fact_term WHERE project = ? AND term = ? AND weight = ?
                AND updated_at = ? AND fact = ?""",
            [row[:5] for row in term_rows(fact)],
        )


def term_rows(fact: Fact) -> list[tuple[int, str, int, float, str, str, int]]:
    """Return the rows of the index under which a fact is found: none unless it is active."""
    if fact.status != "active":
        return []
    words = {_ALL, *terms.terms(fact.text), *({_CORE} if fact.core else ())}
    size = len(fact.text.encode())
    return [
        (fact.project, word, fact.weight, fact.updated_at, fact.id, fact.consumer, size)
        for word in sorted(words)
    ]


def _text(changes: dict[str, Any]) -> str:
    return msgspec.json.encode(changes).decode()
