"""`attend send` and `attend reply`: from a command line to an accepted message, and said so.

Exit codes: 0 it was accepted, 1 nobody or not certainly somebody is meant, 2 the command line
can't be carried out as written, 4 the name can't be gone by, 5 the store takes nothing.
"""

import posix

from attendd.hot import address, commands, db, folders, identity, ids, moment, places, post

AT_A_TURN = "it is shown with the next prompt or when a turn ends there"
"""Said of a message for a session that only hooks reach."""
IN_INBOX_ONLY = "it is not attended, so only `attend inbox` there shows it"
"""Said of an answer to a session that was never enrolled."""
GOES_ROUND = (
    "messages only answer messages here; it goes on once one of you has done something else,"
    " or a person has prompted"
)
"""Said of a message that is held because the talk goes round."""
_MOST_COUNTED = 64 << 20
_TRIES = 3
_NAMED = 5
_MANY_WORDS = 3
_LOOKED_AT = 64
_MARKS = ("  ", " .", " ,", "\\n", "''", '""', "``")
"""Without so many names of files, and without any of these, a text shows no damage."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot.who import Person


def main(command: str, words: list[str]) -> int:
    """Send one message; return the exit code.

    Raises:
        AddressError: it can't be sent as it was asked for.
        IdentityError: the name can't be gone by.
        StoreError: the store takes nothing, and nobody else could be handed the message.
        PlaceError: there is no place for a store.
    """
    asked = address.parse(command, words)
    if asked.help:
        commands.explain(command)
    caller = identity.resolve(asked.as_name)
    body = _standard_input() if asked.stdin else address.body_of(asked.words)
    asked.to = [_project(who) for who in asked.to]
    draft = post.Draft(ids.new_id(), caller, asked, body)
    draft.reply = command == "reply"
    draft.human = caller.how == "terminal" and _has_terminal()
    draft.said = moment.now()
    try:
        said = accept(draft)
    except (db.StoreError, places.PlaceError) as error:
        if not places.sandboxed():
            raise
        from attendd.hot import outside

        code = outside.hand_over(draft, error)
    else:
        code = 0
        _say(said)
    if code == 0:
        _warn(asked.words)
    return code


def accept(draft: post.Draft, patience_s: float = db.PATIENCE_S) -> str:
    """Commit a message and wake its readers; say in a sentence what was decided, or in JSON.

    Args:
        draft: the message.
        patience_s: how long it may wait for the locks of others.

    Raises:
        RecipientError: nobody, or not certainly somebody, is meant.
        StoreError: the store takes nothing now.
    """
    outcome = _commit(draft, patience_s)
    post.ring(outcome)
    said = decided(outcome, len(draft.body) if draft.address.stdin else 0)
    if not draft.address.json:
        return said
    from attendd.hot import receipt

    return receipt.document(outcome, said)


def decided(outcome: post.Outcome, size: int = 0) -> str:
    """Say what was decided about a message.

    Args:
        outcome: of the commit, after `post.ring`.
        size: of its text in bytes, if that is to be said.
    """
    held = [each for each in outcome.people if each.box in outcome.held]
    people = [each for each in outcome.people if each.box not in outcome.held]
    here = [each for each in people if each.box in outcome.rang]
    away = [each for each in people if each.box not in outcome.rang]
    length = f" ({size:,} bytes)" if size else ""
    by_hooks = all("" in outcome.bells.get(each.box, ()) for each in away)
    nobody = AT_A_TURN if by_hooks else "nobody is listening there now"
    if away and all(each.unattended for each in away):
        nobody = IN_INBOX_ONLY
    if held and not people:
        return f"held #{outcome.id}{length} for {_named(held)}: {GOES_ROUND}"
    rest = f"; held for {_named(held)}: {GOES_ROUND}" if held else ""
    if not away:
        return f"sent #{outcome.id}{length} to {_named(here)}{rest}"
    if not here:
        return f"stored #{outcome.id}{length} for {_named(away)}: {nobody}{rest}"
    here_too = f"sent #{outcome.id}{length} to {_named(here)}"
    return f"{here_too}; stored for {_named(away)}: {nobody}{rest}"


def _commit(draft: post.Draft, patience_s: float) -> post.Outcome:
    for tried in range(_TRIES):
        try:
            store = db.connect(full=True, patience_s=patience_s)
            _notice(draft, store.notice)
            if draft.reply and not draft.address.re:
                draft.address.re = _answered(store, draft, patience_s)
            return post.commit(store, draft, draft.said or moment.now())
        except db.StoreError as error:
            if not error.reopen or tried == _TRIES - 1:
                raise
            _notice(draft, str(error) if error.kind == "set-aside" else "")
    raise AssertionError  # the last try returned or raised


def _notice(draft: post.Draft, said: str) -> None:
    """Tell its sender, if that is us, what has happened to the store on the way."""
    if said and not draft.via:
        commands.say(f"attend: {said}", "")


def _answered(store: db.Connection, draft: post.Draft, patience_s: float) -> str:
    """Find what a reply answers. One that was handed over answers what was there by then."""
    from attendd.hot import answer

    by = draft.said.wall if draft.via and draft.said else float("inf")
    patience_s = min(patience_s, answer.PATIENCE_S)
    return answer.meant(store, ids.box_of(draft.caller.session), by, patience_s)


def _named(people: "list[Person]") -> str:
    names = [each.shown for each in people]
    listed = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        listed += f" and {len(names) - _NAMED} more"
    return f"{len(names)} session{'s' if len(names) > 1 else ''}, {listed}"


def _standard_input() -> bytes:
    """Read the text; of one that is too long only its size is kept."""
    body, size = b"", 0
    while size < _MOST_COUNTED and (part := posix.read(0, 1 << 16)):
        size += len(part)
        if size <= address.MOST_BYTES:
            body += part
    return address.checked(body, size)


def _project(who: str) -> str:
    """Turn a path into the key of its project; leave every other WHO as it is."""
    if not who.startswith(("/", "./", "../", "~/")) and who not in (".", "..", "~"):
        return who
    path = places.home() + who[1:] if who.startswith("~") else who
    path = path if path.startswith("/") else f"{identity.current_dir()}/{path}"
    if not folders.exists(path):
        raise address.RecipientError(
            f"there is no folder {path!r}", "a session can also be named by its name or id"
        )
    return f"project:{identity.project_of(path)}"


def _say(decided: str) -> None:
    """Say what was decided, on standard error where standard output takes nothing.

    Raises:
        BrokenPipeError: whoever read it went away.
    """
    try:
        commands.put(f"{decided}\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        commands.say(f"attend: {decided} ({error.strerror}: standard output)", "")


def _has_terminal() -> bool:
    """Whether a person may sit here: a process of a machine's own has no terminal."""
    try:
        posix.close(posix.open("/dev/tty", posix.O_RDONLY | posix.O_NOCTTY | posix.O_CLOEXEC))
    except OSError:
        return False
    return True


def _warn(words: list[str]) -> None:
    text = " ".join(words)
    names = sum(map(folders.exists, words[:_LOOKED_AT])) if len(words) >= _MANY_WORDS else 0
    if names < _MANY_WORDS and not any(mark in text for mark in _MARKS):
        return
    from attendd.hot import eaten

    for sign in eaten.signs(words, folders.exists):
        commands.say(f"attend: {sign}; the text was sent as it came", address.TEXT_HINT)
