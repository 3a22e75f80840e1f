"""The reader's ear for messages that can't reach the store themselves; see `outside`.

A FIFO beside the bell, which also serves as a bell: one byte wakes whoever reads it. What comes
in is accepted as `attend send` would accept it. Who sent it is what it says itself, believed as
far as the client's own record of that process goes, and marked as such.
"""

import posix

from attendd.hot import (
    address,
    db,
    folders,
    identity,
    ids,
    moment,
    outside,
    places,
    post,
    process,
    record,
    send,
)
from attendd.hot.letter import HANDED_OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KNOCKS = 64
"""There is rarely more in a FIFO than a few knocks."""
_READ = 1 << 17
"""More than a FIFO holds, so that no record is cut."""
_LONGEST = address.MOST_BYTES + (64 << 10)
_ANSWERS_KEPT_S = 600.0
_REFUSED = ".refused"


class Letterbox:
    """Takes messages in for whoever cannot commit them.

    Attributes:
        fd: becomes readable when there is something; -1 where there can be no FIFO.
    """

    def __init__(self, bell_path: str, workdir: str) -> None:
        """Open it.

        Args:
            bell_path: the bell that it is beside of.
            workdir: the directory of the session; messages may be left there.
        """
        self._path = post.knocker(bell_path)
        self._workdir = workdir
        self._held = -1
        self.fd = -1
        self.reopen()

    def reopen(self) -> None:
        """Open it anew, whatever became of it."""
        self.close()
        try:
            self._open()
        except OSError:
            self.close()

    def answers(self) -> bool:
        """Tell whether what is written into it is read here."""
        try:
            there, here = posix.stat(self._path), posix.fstat(self.fd)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def close(self) -> None:
        """Take it away."""
        if self.fd >= 0 and self.answers():
            _remove(self._path)
        for fd in (self.fd, self._held):
            if fd >= 0:
                posix.close(fd)
        self.fd = self._held = -1

    def take(self, *, left: bool) -> None:
        """Accept everything that was handed over; say so to those who wait for it.

        Args:
            left: whether to look into spool folders without having been told to.

        Raises:
            StoreError: the store takes nothing now. What is in spool folders stays there.
        """
        data = self._read()
        left = left or outside.LOOK in data
        for message, fields, body in _records(data):
            left = True
            _accept(message, fields, body, via="fifo")
        if left:
            for path, told in self._left():
                _take_file(path, told=told)

    def _open(self) -> None:
        _remove(self._path)
        posix.mkfifo(self._path, 0o600)
        flags = posix.O_NONBLOCK | posix.O_CLOEXEC
        self.fd = posix.open(self._path, posix.O_RDONLY | flags)
        self._held = posix.open(self._path, posix.O_WRONLY | flags)  # so that it never hangs up

    def _read(self) -> bytes:
        if self.fd < 0:
            return b""
        data = b""
        try:
            data = posix.read(self.fd, _KNOCKS)
            if len(data) == _KNOCKS:
                data += posix.read(self.fd, _READ)
        except BlockingIOError:
            return data
        return data

    def _left(self) -> "Iterator[tuple[str, bool]]":
        """Yield what was left in spool folders, and whether a refusal is to be told."""
        for folder in outside.spools(self._workdir):
            if not folders.ours(folder):
                continue
            try:
                names = sorted(posix.listdir(folder))
            except OSError:
                continue
            for name in names:
                if name.endswith((outside.SPOOLED, outside.LEFT)):
                    yield f"{folder}/{name}", name.endswith(outside.LEFT)


def _records(data: bytes) -> "Iterator[tuple[str, list[str], bytes]]":
    """Yield the messages in what a FIFO held; knocks are passed over, and garbage ends it."""
    while data := data.lstrip(b"!" + outside.LOOK):
        found = outside.unpacked(data)
        if found is None:
            return
        message, fields, body, size = found
        data = data[size:]
        yield message, fields, body


def _take_file(path: str, *, told: bool) -> None:
    """Accept one that was left."""
    data = folders.read_own(path, _LONGEST)
    found = outside.unpacked(data) if data is not None else None
    try:
        if found is None or len(data or b"") != found[3]:
            if data is not None:
                posix.rename(path, path + _REFUSED)
            return
        _accept(*found[:3], via="spool", told=told)
        posix.unlink(path)
    except FileNotFoundError:
        return  # another reader was quicker, or its sender renamed it


def _accept(
    message: str, fields: list[str], body: bytes, *, via: str, told: bool = False
) -> None:
    """Commit one message and leave the answer; or leave the reason why not."""
    try:
        draft = _draft(message, fields, body, via)
        code, text = 0, f"{send.accept(draft)}\n"
    except (address.AddressError, ValueError) as error:
        hint = getattr(error, "hint", "")
        code = getattr(error, "exit_code", 2)
        text = f"attend: {error.args[0]}\n" + (f"  hint: {hint}\n" if hint else "")
        if told and _known(fields).session:
            post.notice(
                db.connect(full=True),
                _known(fields).session,
                f"your message #{message} was not sent: {error.args[0]}",
                moment.now(),
            )
    _leave_answer(message, f"{code}\n{text}")


def _draft(message: str, fields: list[str], body: bytes, via: str) -> post.Draft:
    """Make a draft of what was handed over.

    Raises:
        AddressError: it can't be sent as it was asked for.
        ValueError: it is none.
    """
    if not ids.is_id(message):
        raise ValueError("what was handed over is no message")
    command, stdin, *_ = fields
    asked = address.parse(command, [*fields[10:], "--", "-"])
    asked.stdin = stdin == "-"
    draft = post.Draft(message, _known(fields), asked, address.checked(body))
    draft.reply = command == "reply"
    draft.said = _said(float(fields[9]), fields[8])
    draft.via = via
    return draft


def _said(bt: float, boot: str) -> moment.Moment:
    """Say when a message was said, if that can be: before now, and in this boot."""
    now = moment.now()
    ago = now.bt - bt
    if boot != now.boot or not 0 <= ago < now.bt:
        return now
    return moment.Moment(now.wall - ago, boot, bt)


def _remove(path: str) -> None:
    try:
        posix.unlink(path)
    except OSError:
        return


def _known(fields: list[str]) -> identity.Caller:
    """Say who a sender is, as far as the client's record bears it out."""
    session, pid, start, pidns, workdir = fields[2:7]
    found = record.read(int(pid)) if pid.isdecimal() and int(pid) else None
    borne_out = (
        found is not None
        and not found.problem
        and (found.session, found.start) == (session, start)
        and process.alive(int(pid), start, pidns or None) is not False
    )
    caller = identity.Caller(session if borne_out else "", HANDED_OVER)
    caller.harness = "claude-code" if borne_out else "none"
    caller.workdir = workdir if workdir.startswith("/") else "/"
    return caller


def _leave_answer(message: str, text: str) -> None:
    """Leave an answer where its sender looks for it; old ones go."""
    folder = places.runtime_dir()
    path = outside.said_path(message)
    try:
        with open(path + ".new", "wb", 0) as file:
            file.write(text.encode("utf-8", "replace"))
        posix.rename(path + ".new", path)
        for name in posix.listdir(folder):
            other = f"{folder}/{name}"
            if name.startswith("said-") and moment.now().wall - posix.stat(other).st_mtime > (
                _ANSWERS_KEPT_S
            ):
                posix.unlink(other)
    except OSError:
        return  # it is accepted or not, whether anybody hears of it or not
