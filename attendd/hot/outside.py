"""Sending from inside a client's sandbox: the message is handed to a process outside it.

A sandbox lets nothing be written but below its own folders, and knows no Unix sockets. What it
leaves open are FIFOs that exist already, and reading. So each reader, and the host, has a FIFO
beside its bell (`attendd.hot.letterbox`). The own reader's is tried first, then the host's; the
answer is a file beside it. What a FIFO can't take in one piece, or nobody answers, is left in a
spool folder that readers, the host and hooks look into, under a seal (`attendd.hot.seal`).
FIFOs need none: nobody else can put anything into the runtime folder. The sender chooses the
id, so however often it comes, it is accepted once.
"""

import errno
import posix
import sys
import time

from attendd.hot import commands, folders, ids, places, process, seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from attendd.hot import post

ANSWER_S = 2.0
"""How long an answer is waited for."""
ATOMIC = 4096 if sys.platform == "linux" else 512
"""Bytes that a FIFO takes in one piece: on Linux, and where POSIX alone says so."""
SPOOLED = ".letter"
"""Ending of a spooled message whose sender waits for the answer."""
LEFT = ".left"
"""Ending of one whose sender does not wait any more, so that a refusal is told otherwise."""

LONGEST = 1 << 17
"""Bytes that a spooled message has at most: the longest text, its seal, and many recipients."""

LOOK = b"?"
"""In a FIFO it says: look into the spool folders, also into one that is named behind it."""

_LOOK_S = 0.002
_IGNORING = b"*\n"
POST = ".post"
"""Ending of the FIFO beside a bell."""
HOST = "host" + POST
"""Name, in the runtime folder, of the host's."""
_MARK = b"@"
_HEAD = 17
_MOST_DIGITS = 6
"""Of how many words there are: no record has room for more."""


class UnsealedError(Exception):
    """A message that nobody took and that can't be left for anybody; ``args[0]`` says why.

    Attributes:
        hint: what can be done about it.
        exit_code: what a process exits with that could not send.
    """

    exit_code = 5

    def __init__(self, why: str) -> None:
        path = seal.key_path()
        super().__init__(f"{why}; nor can it be left for a reader: {path} can't be read")
        self.hint = "a session's start makes that key, or `attend run` outside this sandbox"


def hand_over(draft: "post.Draft", why: Exception) -> int:
    """Hand a message to whoever can commit it, and say what became of it.

    Returns:
        The exit code.

    Raises:
        UnsealedError: nobody took it, and it can't be left for anybody without a key.
        Exception: ``why``, if nobody took it and nothing could be left for anybody.
    """
    record = packed(draft)
    fits = len(record) <= ATOMIC
    written = fits and _to_a_reader(draft, record)
    spooled = "" if written else _spool(draft, record)
    if spooled and not fits:
        _to_a_reader(draft, _look_into(spooled))
    if not written and not spooled:
        raise why if seal.key() else UnsealedError(str(why.args[0]))
    answer = _answer(draft.id)
    if answer is not None:
        return _say(draft, *answer)
    spooled = _leave(spooled or _spool(draft, record))
    if not spooled:
        said = f"attend: nobody has confirmed #{draft.id}; it may yet be sent"
        commands.say(said, f"'attend sent {draft.id}' tells later")
        return 1
    for path in _first(draft):  # one may be there since, or go on where another stands still
        put(path, _look_into(spooled))
    where = f"left #{draft.id} in {spooled.rpartition('/')[0]}"
    return _say(draft, 0, f"{where}: the next reader, host or hook there sends it\n")


def packed(draft: "post.Draft") -> bytes:
    """Make one record of a message: its id, a length, and fields that no NUL can be in."""
    caller, said = draft.caller, draft.said
    asked = draft.address
    words = [f"--to={who}" for who in asked.to]
    words += [f"--channel={name}" for name in asked.channels]
    words += ["--broadcast"] if asked.broadcast else []
    words += [f"--re={asked.re}"] if asked.re else []
    fields = [
        "reply" if draft.reply else "send",
        "-" if asked.stdin else "",
        caller.session,
        str(caller.client_pid or 0),
        caller.client_start,
        caller.client_pidns,
        caller.workdir,
        *((repr(said.wall), said.boot, repr(said.bt)) if said else ("0", "", "0")),
        str(len(words)),
        *words,
    ]
    payload = "\0".join(fields).encode("utf-8", "surrogateescape") + b"\0" + draft.body
    return b"@%s %06d\n%s" % (draft.id.encode(), len(payload), payload)


def unpacked(data: bytes) -> "tuple[str, list[str], bytes, int] | None":
    """Take the first record apart.

    Returns:
        The message's id, its fields, its body and the length of the record; ``None`` if what
        is there is no whole record.
    """
    head, payload = data[:_HEAD], data[_HEAD:]
    size = head[10:16]
    if len(head) < _HEAD or head[:1] != _MARK or head[16:] != b"\n" or not size.isdigit():
        return None
    payload = payload[: int(size)]
    first = payload.split(b"\0", 11)
    if len(payload) < int(size) or len(first) < 12:  # noqa: PLR2004 - 10 fields, words, a body
        return None
    if not first[10].isdigit() or len(first[10]) > _MOST_DIGITS:
        return None
    rest = first[11].split(b"\0", int(first[10]))
    if len(rest) != int(first[10]) + 1:
        return None
    fields = [part.decode("utf-8", "surrogateescape") for part in (*first[:10], *rest[:-1])]
    return head[1:9].decode("latin-1"), fields, rest[-1], _HEAD + int(size)


def left_in(folder: str) -> list[str]:
    """Name what may be messages in a spool folder, those first that were left first."""
    if not folders.ours(folder):
        return []
    try:
        names = posix.listdir(folder)
    except OSError:
        return []
    return sorted(filter(_is_left, names))


def _is_left(name: str) -> bool:
    when, _, rest = name.partition("-")
    message, dot, ending = rest.partition(".")
    return when.isdigit() and ids.is_id(message) and dot + ending in (SPOOLED, LEFT)


def said_path(message: str) -> str:
    """Name the file in which the answer to a handed over message is left."""
    return f"{places.runtime_dir()}/said-{message}"


def _to_a_reader(draft: "post.Draft", record: bytes) -> bool:
    """Write a record into the first FIFO that somebody reads from."""
    folder = places.runtime_dir()
    try:
        others = sorted(name for name in posix.listdir(folder) if name.endswith(POST))
    except OSError:
        others = []
    paths = [*_first(draft), *(f"{folder}/{name}" for name in others)]
    return any(put(path, record) for path in dict.fromkeys(paths))


def _first(draft: "post.Draft") -> list[str]:
    """Name the FIFOs to try first: of the session's own reader, and of the host."""
    folder, caller = places.runtime_dir(), draft.caller
    key = f"{process.boot_id()[:8]}:{caller.client_pidns}:{caller.client_pid}"
    own = places.digest(f"{key}:{caller.client_start}")
    return [f"{folder}/{own}{POST}", f"{folder}/{HOST}"]


def _look_into(spooled: str) -> bytes:
    """Make what tells of a spooled message: whoever hears it may not know the folder."""
    folder = spooled.rpartition("/")[0].encode("utf-8", "surrogateescape")
    told = LOOK + folder + b"\n"
    return LOOK if b"\n" in folder or len(told) > ATOMIC else told


def put(path: str, record: bytes) -> bool:
    """Write into a FIFO, whole or not at all; never waits.

    Returns:
        Whether somebody has it open, and it took the record.
    """
    try:
        fd = posix.open(path, posix.O_WRONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return False
    try:
        return posix.write(fd, record) == len(record)
    except OSError as error:
        return error.errno == errno.EAGAIN and len(record) == 1  # full: it is looked at anyway
    finally:
        posix.close(fd)


def _spool(draft: "post.Draft", record: bytes) -> str:
    """Leave a record in the first folder that takes it; return its path, or ``''``."""
    wall_ms = int(1000 * (draft.said.wall if draft.said else 0))
    data = seal.sealed(record)
    for folder in places.spools(draft.caller.workdir) if 0 < len(data) <= LONGEST else ():
        above = folder.rpartition("/")[0]
        if not folders.writable(above) or folders.make_private(folder, strict=True):
            continue
        path = f"{folder}/{wall_ms:015}-{draft.id}"
        try:
            if not _ignored(folder):
                continue
            folders.put_durably(path + ".new", data)
            posix.rename(path + ".new", path + SPOOLED)
        except OSError:
            continue
        return path + SPOOLED
    return ""


def _ignored(folder: str) -> bool:
    """Make sure that git takes no file of a spool folder into a repository.

    Returns:
        Whether that is so; not where somebody wants it otherwise.

    Raises:
        OSError: it can't be.
    """
    path = f"{folder}/.gitignore"
    try:
        folders.put_durably(path, _IGNORING)
    except FileExistsError:
        return folders.read_own(path, len(_IGNORING) + 1) == _IGNORING
    return True


def _leave(path: str) -> str:
    """Mark a spooled message as one that nobody waits for."""
    if not path:
        return ""
    left = path.removesuffix(SPOOLED) + LEFT
    try:
        posix.rename(path, left)
    except OSError:
        return path  # it was taken just now
    return left


def _answer(message: str) -> tuple[int, str] | None:
    """Wait for the answer to a message: the exit code and what is to be said."""
    path = said_path(message)
    until = time.monotonic() + ANSWER_S
    while True:
        code, newline, text = folders.read(path).partition("\n")
        if newline and code.isdecimal():
            return int(code), text
        if time.monotonic() >= until:
            return None
        time.sleep(_LOOK_S)


def _say(draft: "post.Draft", code: int, text: str) -> int:
    if code:
        commands.say(text.rstrip("\n"), "")
        return code
    if draft.address.json:
        from attendd.hot import receipt

        text = receipt.handed_over(draft.id, text.rstrip("\n")) + "\n"
    commands.put(text)
    return 0
