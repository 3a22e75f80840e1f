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
from attendd.hot.moment import NUMBERED_S, Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HUMANS = ("@user", "@human")
SHORTEST_ID = 4
"""So many characters of a client's id are enough, if they are one session's alone. What stands
before a name (``as:``) is no part of an id."""
NAMELESS = "a session"
"""What one is called that was never enrolled, or is not known."""
ITSELF = "itself"
"""How it is known that attend says something on its own behalf."""
PROJECT = "project:"
"""What stands before the key of a project where that is meant."""

CLOSEST = ("directed", "channel", "project", "open")
"""Kinds of delivery; who is addressed in several ways gets the message by the first."""
_COLUMNS = "id, origin, project, instance, name, declared, successor, seen_at"
_CALLED = f"""(declared AND name = :name COLLATE NOCASE)
    OR (length(:who) >= {SHORTEST_ID} AND NOT instr(id, ':')
        AND id BETWEEN :who AND :who || char(0x10FFFF))"""
_ORIGIN = "coalesce(nullif(origin, ''), project)"
_PERSONA = f"""NOT declared AND {_ORIGIN} = :origin
    AND coalesce(nullif(instance, 0), 1) = :instance"""
_MOST_STEPS = 32


class Person:
    """Who can have mail: a session, or the person at the terminals.

    Attributes:
        box: the mailbox.
        name: what it is called.
        place: the short name of its project.
        session: the session.
        successor: the session that took its place, or ``''``.
        seen_at: its last sign of life, wall clock.
        unattended: whether it is a client's session that was never enrolled, or not any more.
    """

    __slots__ = ("box", "name", "place", "seen_at", "session", "successor", "unattended")

    def __init__(self, row: "Sequence[object]") -> None:
        """Take a row of `_COLUMNS`."""
        session, origin, project, instance, name, declared, successor, seen_at = row
        self.session = str(session)
        self.box = box_of(self.session)
        self.successor = str(successor)
        self.seen_at = float(str(seen_at))
        self.unattended = False
        self.place = persona.place(_text(project))
        if declared:
            self.name = _text(name)
        elif self.box == USER:
            self.name, self.place = USER, ""
        else:
            self.name = persona.name(_text(origin or project), int(str(instance or 1)))

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
    """Finds people, as they are written down in a store at one moment.

    Attributes:
        db: the store, best in a transaction.
        own: the mailbox of the author whose point of view this is; ``''`` for none. It is never
            a recipient.
        project: the key of the author's project.
    """

    def __init__(self, db: Connection, own: str, project: str, now: Moment) -> None:
        self.db = db
        self.own = own
        self.project = project
        self._now = now

    def resolve(self, address: Address) -> list[Target]:
        """Find all recipients; each once, by the closest way it is addressed.

        Paths must have been made keys of projects, as ``project:KEY``.

        Raises:
            RecipientError: one is not known, could be several, or nobody is there.
        """
        found = [self._named(who) for who in address.to if not who.startswith(PROJECT)]
        if len(found) < len(address.to) or address.channels or not address.to:
            from attendd.hot import groups

            found += groups.resolve(self, address)
        best: dict[str, Target] = {}
        for target in sorted(found, key=lambda each: CLOSEST.index(each.kind)):
            best.setdefault(target.person.box, target)
        return list(best.values())

    def by_ids(self, sessions: "Iterable[str]") -> list[Target]:
        """Find those who take the places of some mailboxes now; the author's own is left out.

        Raises:
            RecipientError: one is not known any more.
        """
        return [self.follow(each) for each in sessions if each != self.own]

    def one(self, who: str) -> Person:
        """Find one session, by its id, the beginning of it, or its name.

        Raises:
            RecipientError: there is none, or several.
        """
        if who in HUMANS:
            return _human()
        if not who.isprintable():
            raise RecipientError(f"{who[:60]!r} can't be the name of anybody")
        if exact := self.people("id = :id", id=who):
            return exact[0]
        bare = who.removeprefix("@")
        named = self._named_so(bare, self.people("id = :id", id=f"as:{bare}"))
        begun: list[Person] = []
        if not named:
            found = self.people(_CALLED, who=who, name=bare)
            named = self._named_so(bare, found)
            begun = [each for each in found if begins(each.session, who)]
        for meant in (named, begun):
            if len({each.box for each in meant}) > 1:
                raise RecipientError(
                    f"{who!r} could be any of {len(meant)} sessions",
                    f"name one by its id: {listed(meant, ids=True)}",
                )
            if meant:
                return meant[0]
        from attendd.hot import unknown

        raise unknown.person(self, who)

    def follow(self, session: str) -> Target:
        """Find who a session is by now.

        Raises:
            RecipientError: it is not known, or not any more.
        """
        people = self.people("id = :id", id=session)
        if not people and session != USER:
            raise _unattended(session)
        return self._latest(people[0] if people else _human())

    def people(self, condition: str, **asked: "str | int") -> list[Person]:
        """Return the sessions for which a condition holds, those seen last first."""
        sql = f"SELECT {_COLUMNS} FROM session WHERE {condition} ORDER BY seen_at DESC, id"
        rows = self.db.execute(sql, {"wall": self._now.wall, **asked}).fetchall()
        return [Person(row) for row in rows]

    def _named(self, who: str) -> Target:
        found = self._latest(self.one(who))
        if found.person.box == self.own:
            raise RecipientError(f"{who!r} is this session itself", "name another one")
        return found

    def _latest(self, person: Person) -> Target:
        """Find who has taken somebody's place by now."""
        if person.box == USER:
            return Target(_human(), "directed")
        latest = person
        for _ in range(_MOST_STEPS):
            if not latest.successor:
                meant = "" if latest is person else person.session
                return Target(latest, "directed", meant=meant)
            people = self.people("id = :id", id=latest.successor)
            if not people:
                break
            latest = people[0]
        raise _unattended(person.session)

    def _named_so(self, name: str, declared: list[Person]) -> list[Person]:
        """Find who goes by a name, rather now than once: numbers of the long gone return.

        Args:
            name: however it is written.
            declared: those who chose that name, and maybe others.
        """
        name = name.casefold()
        first, _, number = name.partition("-")
        instance = int(number) if number.isdecimal() and len(number) < len("1000000") else 1
        sql = f"SELECT DISTINCT {_ORIGIN} FROM session WHERE NOT declared"
        known = declared[:]
        if first.capitalize() in persona.NAMES:
            for (origin,) in self.db.execute(sql).fetchall():
                if persona.name(_text(origin), 1).casefold() == first:
                    known += self.people(_PERSONA, origin=origin, instance=instance)
        found = [each for each in known if each.name.casefold() == name]
        found = [each for each in found if not each.successor] or found
        since = self._now.wall - NUMBERED_S
        return [each for each in found if each.seen_at > since] or found


def _human() -> Person:
    return Person((USER, "", "", 1, USER, 1, "", 0.0))


def _unattended(session: str) -> RecipientError:
    return RecipientError(
        f"the session {session[:13]} is not attended, so nothing can reach it",
        "its person can start attend there",
    )


def begins(session: str, who: str) -> bool:
    """Tell whether enough of a client's id is meant by a word; a chosen name is meant whole."""
    return len(who) >= SHORTEST_ID and ":" not in session and session.startswith(who)


def listed(people: list[Person], *, ids: bool = False, most: int = 5) -> str:
    """Name some people in a sentence, with the beginnings of their ids where names won't do."""
    named = [f"{each.session[:13]} {each.shown}" if ids else each.shown for each in people]
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return ", ".join(named[:most]) + more


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
