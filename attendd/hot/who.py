"""Whom a message is for: from the words of its sender to mailboxes, once, when it is sent.

Only sessions that were enrolled can be found. A group (a project, a channel) consists of those
that are read for now or were a day ago; `#open` of those that are attended now. A session that
went on under another id is followed. What is not found, or could be several, is an error that
names what may have been meant: nothing is sent then.
"""

from attendd.hot import persona
from attendd.hot.address import Address, RecipientError
from attendd.hot.db import Connection
from attendd.hot.ids import USER, box_of
from attendd.hot.moment import AGED_S, NUMBERED_S, Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HUMANS = ("@user", "@human")
PATH_SIGNS = ("/", "./", "../", "~/")
"""What a WHO that is a path begins with; ``.``, ``..`` and ``~`` are paths too."""
SHORTEST_ID = 4
"""So many characters of an id are enough, if they are one session's alone."""

CLOSEST = ("directed", "channel", "project", "open")
"""Kinds of delivery; who is addressed in several ways gets the message by the first."""
_COLUMNS = "id, origin, project, instance, name, declared, successor, seen_at"
_HERE = f"""(EXISTS (SELECT 1 FROM attachment WHERE attachment.session = session.id
        AND (ended_at IS NULL OR ended_at > :wall - {AGED_S}))
    OR seen_at > :wall - {AGED_S})"""
_ATTENDED = f"""(EXISTS (SELECT 1 FROM attachment WHERE attachment.session = session.id
        AND ended_at IS NULL)
    OR (seen_at > :wall - {AGED_S} AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE attachment.session = session.id)))"""
_MOST_STEPS = 32


class Person:
    """A session that was enrolled, or the person at the terminals.

    Attributes:
        box: the mailbox.
        name: what it is called.
        place: the short name of its project.
        session: the session.
        successor: the session that took its place, or ``''``.
        seen_at: its last sign of life, wall clock.
    """

    __slots__ = ("box", "name", "place", "seen_at", "session", "successor")

    def __init__(self, row: "Sequence[object]") -> None:
        """Take a row of `_COLUMNS`."""
        session, origin, project, instance, name, declared, successor, seen_at = row
        self.session = str(session)
        self.box = box_of(self.session)
        self.successor = str(successor)
        self.seen_at = float(str(seen_at))
        self.place = persona.place(_text(project))
        self.name = persona.name(_text(origin or project), int(str(instance or 1)))
        if declared:
            self.name = _text(name)
        elif self.box == USER:
            self.name, self.place = USER, ""

    @property
    def shown(self) -> str:
        """What it is called, and where."""
        return f"{self.name} ({self.place})" if self.place else self.name


class Target:
    """One recipient of a message.

    Attributes:
        person: who.
        kind: ``directed``, ``project``, ``channel`` or ``open``.
        channel: through which channel, or ``''``.
        meant: the session that was named, where another has taken its place, or ``''``.
    """

    __slots__ = ("channel", "kind", "meant", "person")

    def __init__(self, person: Person, kind: str, channel: str = "", meant: str = "") -> None:
        self.person = person
        self.kind = kind
        self.channel = channel
        self.meant = meant


class Directory:
    """Finds people, as they are written down in a store at one moment."""

    def __init__(self, db: Connection, own_box: str, project: str, now: Moment) -> None:
        """Take the point of view of an author.

        Args:
            db: the store, best in a transaction.
            own_box: the author's mailbox, which is never a recipient; ``''`` for none.
            project: the key of the author's project.
            now: the present.
        """
        self._db = db
        self._own = own_box
        self._project = project
        self._now = now

    def resolve(self, address: Address) -> list[Target]:
        """Find all recipients; each once, by the closest way it is addressed.

        Paths must have been made keys of projects, as ``project:KEY``.

        Raises:
            RecipientError: one is not known, could be several, or nobody is there.
        """
        found: list[Target] = []
        for who in address.to:
            found += self._named(who)
        for name in address.channels:
            found += self.channel(name)
        if address.broadcast:
            found += self._open()
        if not address.anybody:
            found += self._around()
        best: dict[str, Target] = {}
        for target in sorted(found, key=lambda each: CLOSEST.index(each.kind)):
            best.setdefault(target.person.box, target)
        return list(best.values())

    def by_ids(self, sessions: "Iterable[str]") -> list[Target]:
        """Find those who take the places of some mailboxes now; the author's own is left out.

        Raises:
            RecipientError: one is not known any more.
        """
        return [self._follow(each) for each in sessions if each != self._own]

    def one(self, who: str) -> Person:
        """Find one session, by its id, the beginning of it, or its name.

        Raises:
            RecipientError: there is none, or several.
        """
        if who in HUMANS:
            return _human()
        if not who.isprintable():
            raise RecipientError(
                f"{who[:60]!r} can't be the name of anybody", self._elsewhere()
            )
        exact = self._people("id = :id", id=who)
        if exact:
            return exact[0]
        known = self._people("1")
        named = self._by_name(who, known)
        begun = [each for each in known if each.session.startswith(who)]
        for found in (named, begun if len(who) >= SHORTEST_ID else []):
            if len({each.box for each in found}) > 1:
                raise RecipientError(
                    f"{who!r} could be any of {len(found)} sessions",
                    f"name one by its id: {listed(found, ids=True)}",
                )
            if found:
                return found[0]
        from attendd.hot import unknown

        raise unknown.person(self._db, who, known, self._elsewhere())

    def _by_name(self, who: str, known: list[Person]) -> list[Person]:
        """Find who goes by a name, rather now than once: numbers of the long gone return."""
        name = who.removeprefix("@").casefold()
        found = [each for each in known if each.name.casefold() == name]
        found = [each for each in found if not each.successor] or found
        since = self._now.wall - NUMBERED_S
        return [each for each in found if each.seen_at > since] or found

    def _named(self, who: str) -> list[Target]:
        if who.startswith("project:"):
            return self._project_at(who.removeprefix("project:"))
        person = self.one(who)
        if person.box == USER:
            found = Target(_human(), "directed")
        else:
            found = self._follow(person.session)
        if found.person.box == self._own:
            raise RecipientError(f"{who!r} is this session itself", "name another one")
        return [found]

    def _follow(self, session: str) -> Target:
        """Find who a session is by now."""
        if session == USER:
            return Target(_human(), "directed")
        at = session
        for _ in range(_MOST_STEPS):
            people = self._people("id = :id", id=at)
            if not people:
                break
            if not people[0].successor:
                return Target(people[0], "directed", meant="" if at == session else session)
            at = people[0].successor
        raise RecipientError(
            f"the session {session[:13]} is not attended, so nothing can reach it",
            "its person can start attend there",
        )

    def _project_at(self, key: str) -> list[Target]:
        found = self._group("project = :project", "directed", project=key)
        if not found:
            raise RecipientError(f"nobody is attended in {key}", self._elsewhere())
        return found

    def channel(self, name: str) -> list[Target]:
        """Find the others in a channel.

        Raises:
            RecipientError: there is no such channel, or nobody else in it.
        """
        sql = "SELECT session FROM membership WHERE channel = ? ORDER BY joined_at"
        members = [str(row[0]) for row in self._db.execute(sql, (name,)).fetchall()]
        known = self._db.execute("SELECT 1 FROM channel WHERE name = ?", (name,)).fetchone()
        if not members and not known:
            from attendd.hot import unknown

            raise unknown.channel(self._db, name)
        targets = [self._member(each) for each in members]
        found = [
            Target(each.person, "channel", name)
            for each in targets
            if each is not None and each.person.box != self._own
        ]
        if not found:
            raise RecipientError(f"nobody else is in #{name}", self._elsewhere())
        return found

    def _member(self, box: str) -> Target | None:
        try:
            return self._follow(box)
        except RecipientError:
            return None  # forgotten after a month of silence

    def _open(self) -> list[Target]:
        found = self._group(_ATTENDED, "open")
        if not found:
            raise RecipientError(
                "no other session is attended now", "attend run, in another session, attends it"
            )
        return found

    def _around(self) -> list[Target]:
        """Find who is meant where nobody is named: the author's project and channels."""
        found = self._group("project = :project", "project", project=self._project)
        sql = "SELECT channel FROM membership WHERE session = ?"
        for (name,) in self._db.execute(sql, (self._own,)).fetchall():
            try:
                found += self.channel(str(name))
            except RecipientError:
                continue  # it is alone in that one
        if not found:
            place = persona.place(self._project)
            raise RecipientError(f"nobody else is attended in {place}", self._elsewhere())
        return found

    def _group(self, condition: str, kind: str, **asked: str) -> list[Target]:
        people = self._people(f"successor = '' AND {condition} AND {_HERE}", **asked)
        return [Target(each, kind) for each in people if each.box != self._own]

    def _people(self, condition: str, **asked: str) -> list[Person]:
        sql = f"SELECT {_COLUMNS} FROM session WHERE {condition} ORDER BY seen_at DESC, id"
        rows = self._db.execute(sql, {"wall": self._now.wall, **asked}).fetchall()
        return [Person(row) for row in rows]

    def _elsewhere(self) -> str:
        """Name those who could be meant instead."""
        found = [each.person for each in self._group(_ATTENDED, "open")]
        if not found:
            return "no other session is attended now"
        return f"attended elsewhere: {listed(found)}; --to names one, --broadcast reaches all"


def _human() -> Person:
    return Person((USER, "", "", 1, USER, 1, "", 0.0))


def listed(people: list[Person], *, ids: bool = False, most: int = 5) -> str:
    """Name some people in a sentence, with the beginnings of their ids where names won't do."""
    named = [f"{each.session[:13]} {each.shown}" if ids else each.shown for each in people]
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return ", ".join(named[:most]) + more


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
