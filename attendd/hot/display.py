"""Takes tags out of what a person sees of an answer, while it is written.

The client calls once for some lines, calls overlap, and each is a process of its own. So each
puts down what it was given in a file of the message, and waits until what came before is there.
What is shown of the lines follows from all of them: the parser is the one that takes facts.

This only spares the eye: what the client keeps, shows again later or gives to the model has the
tags in it. Whatever goes wrong, all of the text is shown.
"""

import posix
import time

from attendd.hot import db, folders, hook, places

WAIT_S = 0.2
"""How long a call waits for what the calls before it were given."""
STALE_S = 600.0
"""A message that was not written on for so long is given up: a person interrupted it."""
LIMIT = 4 << 20
"""Bytes of a message beyond which nothing is taken out of it."""

_MARK = b":percept:"
_FIELDS = ("message_id", "index", "final", "delta")
_PAUSE_S = 0.003
_NONCE = """SELECT nonce FROM nonce JOIN memory_session USING (session)
    JOIN memory_project ON memory_project.id = memory_session.project
    WHERE nonce.session = ? AND rotated_wall IS NULL AND enabled"""
_NOTE = "\n(attend: {:,} bytes are not shown, their tag was never closed)\n"


def handle(event: hook.Event) -> None:
    """Show some lines of an answer without tags, if there is anything to be left out.

    Raises:
        StoreError: the store can't be used.
        PlaceError: there is no place for what came before.
        OSError: nobody reads our output, or the file can't be used.
        ValueError: the event is not as this release knows it.
    """
    message, index, final, delta = _fields(event.text)
    store = _store()
    nonce = _nonce(store, event.session) if store else ""
    if not (store and nonce):
        return
    data = delta.encode("utf-8", "surrogatepass")
    before = b""
    if index or not final:
        before = _before(message, index, data, final=final)
    if _MARK not in before + data:
        return
    from attendd.hot import memory_settings

    settings = memory_settings.kept(store)
    if not settings.hide_tags:
        return
    shown = _shown((nonce, settings.namespace), before, data, final=final)
    if shown != delta:
        said = f'"hookEventName":"{event.name}","displayContent":{hook.quoted(shown)}'
        hook.write(f'{{"hookSpecificOutput":{{{said}}}}}\n')


def _fields(text: str) -> tuple[str, int, bool, str]:
    found = db.json_get(text, *(f"$.{name}" for name in _FIELDS))
    message, index, final, delta = found or (None,) * 4
    named = isinstance(message, str) and message.replace("-", "").isalnum()
    if not named or not isinstance(index, int) or not isinstance(delta, str):
        raise ValueError("what is to be shown is not as this release knows it")
    return message, index, bool(final), delta


def _store() -> "db.Connection | None":
    path = f"{places.known_state_dir()}/attend.db"
    return db.connect(path, patience_s=WAIT_S / 2) if folders.exists(path) else None


def _nonce(store: db.Connection, session: str) -> str:
    """Return the session's nonce; ``''`` where its project has no memory, or it is off."""
    found = db.read(store, _NONCE, (session,))
    return str(found[0][0]) if found else ""


def _shown(settings: "tuple[str, str]", before: bytes, data: bytes, *, final: bool) -> str:
    """Return what is to be seen of some lines, those before them being known."""
    from attendd.hot.percept_events import Withheld
    from attendd.hot.percepts import Parser

    parser = Parser(settings[0], namespace=settings[1], escaped=True)
    parser.feed(before)
    events = parser.feed(data)
    if final:
        events += parser.finish()
    shown = b"".join(each for each in events if isinstance(each, bytes))
    text = shown.decode("utf-8", "surrogatepass")
    kept = sum(each.end - each.start for each in events if isinstance(each, Withheld))
    return text + _NOTE.format(kept) if kept else text


# -- what came before ---------------------------------------------------------------


def _before(message: str, index: int, data: bytes, *, final: bool) -> bytes:
    """Put down what this call was given, and return what all before it were.

    Raises:
        ValueError: that is not complete in time, or too long.
        OSError: it can't be kept.
    """
    folder = f"{places.runtime_dir()}/display"
    if problem := folders.make_private(folder):
        raise OSError(problem)
    if not index:
        _give_up(folder)
    path = f"{folder}/{message}"
    flags = posix.O_RDWR | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC
    fd = posix.open(path, flags, 0o600)
    try:
        posix.write(fd, b"%d %d\n%s" % (index, len(data), data))
        until = time.monotonic() + WAIT_S
        while (parts := _parts(fd, index)) is None:
            if time.monotonic() > until:
                raise ValueError(f"what comes before part {index} of a message is not there")
            time.sleep(_PAUSE_S)
    finally:
        posix.close(fd)
    if final:
        posix.unlink(path)
    return b"".join(parts)


def _parts(fd: int, index: int) -> "list[bytes] | None":
    """Read what the calls before this one were given; ``None`` while some is missing."""
    size = posix.fstat(fd).st_size
    if size > LIMIT:
        raise ValueError(f"a message is longer than {LIMIT >> 20} MiB")
    data, at = posix.pread(fd, size, 0), 0
    parts: dict[int, bytes] = {}
    while at < len(data):
        head, newline, _ = data[at : at + 40].partition(b"\n")
        words = head.split(b" ")
        if not newline or len(words) != 2:  # noqa: PLR2004 - number and length
            return None
        start = at + len(head) + 1
        at = start + int(words[1])
        parts[int(words[0])] = data[start:at]
    if at > len(data) or any(each not in parts for each in range(index)):
        return None
    return [parts[each] for each in range(index)]


def _give_up(folder: str) -> None:
    """Remove messages that were never finished."""
    stale = time.time() - STALE_S
    for name in posix.listdir(folder):
        try:
            if posix.stat(f"{folder}/{name}").st_mtime < stale:
                posix.unlink(f"{folder}/{name}")
        except OSError:
            continue  # another call was quicker
