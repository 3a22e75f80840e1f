"""Groups that a message is for: a project, a channel, everybody.

A project or a channel consists of those that are read for now or were a day ago; `#open` of
those that are attended now.
"""

from attendd.hot import persona
from attendd.hot.address import Address, RecipientError
from attendd.hot.moment import AGED_S
from attendd.hot.who import PROJECT, Directory, Target, listed

_HERE = f"""(EXISTS (SELECT 1 FROM attachment WHERE attachment.session = session.id
        AND (ended_at IS NULL OR ended_at > :wall - {AGED_S}))
    OR seen_at > :wall - {AGED_S})"""
_ATTENDED = f"""(EXISTS (SELECT 1 FROM attachment WHERE attachment.session = session.id
        AND ended_at IS NULL)
    OR (seen_at > :wall - {AGED_S} AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE attachment.session = session.id)))"""


def resolve(directory: Directory, address: Address) -> list[Target]:
    """Find all who are meant as a part of some group.

    Raises:
        RecipientError: one is not known, or nobody is there.
    """
    found: list[Target] = []
    for who in address.to:
        if who.startswith(PROJECT):
            found += _project(directory, who.removeprefix(PROJECT))
    for name in address.channels:
        found += channel(directory, name)
    if address.broadcast:
        found += _open(directory)
    return found if address.anybody else _around(directory)


def channel(directory: Directory, name: str) -> list[Target]:
    """Find the others in a channel.

    Raises:
        RecipientError: there is no such channel, or nobody else in it.
    """
    sql = "SELECT session FROM membership WHERE channel = ? ORDER BY joined_at"
    members = [str(row[0]) for row in directory.db.execute(sql, (name,)).fetchall()]
    known = directory.db.execute("SELECT 1 FROM channel WHERE name = ?", (name,)).fetchone()
    if not members and not known:
        from attendd.hot import unknown

        raise unknown.channel(directory.db, name)
    targets = [_member(directory, each) for each in members]
    found = [
        Target(each.person, "channel", name)
        for each in targets
        if each is not None and each.person.box != directory.own
    ]
    if not found:
        raise RecipientError(f"nobody else is in #{name}", elsewhere(directory))
    return found


def elsewhere(directory: Directory) -> str:
    """Name those who could be meant instead."""
    found = [each.person for each in _group(directory, _ATTENDED, "open")]
    if not found:
        return "no other session is attended now"
    return f"attended now: {listed(found)}; --to names one, --broadcast reaches all"


def _project(directory: Directory, key: str) -> list[Target]:
    found = _group(directory, "project = :project", "directed", project=key)
    if not found:
        raise RecipientError(f"nobody is attended in {key}", elsewhere(directory))
    return found


def _member(directory: Directory, box: str) -> Target | None:
    try:
        return directory.follow(box)
    except RecipientError:
        return None  # forgotten after a month of silence


def _open(directory: Directory) -> list[Target]:
    found = _group(directory, _ATTENDED, "open")
    if not found:
        raise RecipientError(
            "no other session is attended now", "attend run, in another session, attends it"
        )
    return found


def _around(directory: Directory) -> list[Target]:
    """Find who is meant where nobody is named: the author's project and channels."""
    project = directory.project
    found = _group(directory, "project = :project", "project", project=project)
    sql = "SELECT channel FROM membership WHERE session = ?"
    for (name,) in directory.db.execute(sql, (directory.own,)).fetchall():
        try:
            found += channel(directory, str(name))
        except RecipientError:
            continue  # it is alone in that one
    if not found:
        place = persona.place(project)
        raise RecipientError(f"nobody else is attended in {place}", elsewhere(directory))
    return found


def _group(directory: Directory, condition: str, kind: str, **asked: str) -> list[Target]:
    people = directory.people(f"successor = '' AND {condition} AND {_HERE}", **asked)
    return [Target(each, kind) for each in people if each.box != directory.own]
