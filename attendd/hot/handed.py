"""Commits a message that was handed over by a process that can't reach the store itself.

It is accepted as `attend send` would accept it. Who sent it is what it says itself, believed as
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
    seal,
    send,
)
from attendd.hot.letter import HANDED_OVER

_ANSWERS_KEPT_S = 600.0
_MOST_UNSEALED = 64
"""So many files that are none of ours are read in one look."""
TAKEN_WITHIN_S = 29 * 24 * 3600.0
"""What was left longer ago is not sent any more. Its id is known for a day longer than that, so
that a copy of a message, put back however late, is not sent a second time."""
_PID_DIGITS = 10


def take_left(folder: str, names: list[str], passed_over: set[str]) -> None:
    """Accept what was left in a spool folder.

    What bears no seal of this user's is nothing of ours: it stays as it is, and its name is
    added to what is ``passed_over``. Of such only so many are read at once.

    Raises:
        StoreError: the store takes nothing now; the rest stays there.
    """
    key = seal.key()
    most = len(passed_over) + _MOST_UNSEALED
    for name in names if key else ():
        if not take_file(f"{folder}/{name}", key, told=name.endswith(outside.LEFT)):
            passed_over.add(name)
        if len(passed_over) == most:
            return


def take_file(path: str, key: bytes, *, told: bool, patience_s: float = db.PATIENCE_S) -> bool:
    """Accept one that was left in a spool folder, and take it away.

    Args:
        path: the file.
        key: what it must be sealed with.
        told: whether a refusal is to come as a message, because nobody waits for the answer.
        patience_s: how long it may wait for the locks of others.

    Returns:
        Whether nothing of it is left there: what bears no seal of ours is left alone.

    Raises:
        StoreError: the store takes nothing now; the file stays there.
    """
    data = folders.read_own(path, outside.LONGEST + 1)
    if data is None:
        return True  # another reader was quicker, or its sender renamed it
    record = seal.opened(data, key)
    found = outside.unpacked(record) if record else None
    if not record or found is None or len(record) != found[3]:
        return False
    accept(*found[:3], via="spool", told=told, patience_s=patience_s)
    try:
        posix.unlink(path)
    except FileNotFoundError:
        return True  # another reader was quicker, or its sender renamed it
    except OSError:
        return False  # what is read-only stays; it is accepted once all the same
    return True


def unsealed(folder: str) -> list[str]:
    """Name what lies in a spool folder and bears no seal of this user's; the first few."""
    key = seal.key()
    found = []
    for name in outside.left_in(folder)[:_MOST_UNSEALED]:
        data = folders.read_own(f"{folder}/{name}", outside.LONGEST + 1)
        if data is not None and not (key and seal.opened(data, key)):
            found.append(name)
    return found


def accept(
    message: str,
    fields: list[str],
    body: bytes,
    *,
    via: str,
    told: bool = False,
    patience_s: float = db.PATIENCE_S,
) -> None:
    """Commit one message and leave the answer; or leave the reason why not.

    Args:
        message: its id, as its sender chose it.
        fields: the rest of its record, as `outside.packed` laid them.
        body: its text.
        via: ``fifo`` or ``spool``.
        told: whether a refusal is to come as a message, because nobody waits for the answer.
        patience_s: how long it may wait for the locks of others.

    Raises:
        StoreError: the store takes nothing now.
    """
    try:
        draft = _draft(message, fields, body, via)
        code, text = 0, f"{send.accept(draft, patience_s)}\n"
    except (db.StoreError, places.PlaceError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it holds, it ends no reader
        why = _meaning(error)
        hint = getattr(error, "hint", "")
        code = getattr(error, "exit_code", 2)
        text = f"attend: {why}\n" + (f"  hint: {hint}\n" if hint else "")
        if told:
            _tell(message, fields, why, patience_s)
    if ids.is_id(message):
        _leave_answer(message, f"{code}\n{text}")


def _meaning(error: Exception) -> str:
    """Say in a sentence that can be kept why a message was refused."""
    if isinstance(error, address.AddressError):
        return str(error.args[0]).encode("utf-8", "replace").decode()
    said = str(error).encode("utf-8", "replace").decode()
    return f"what was handed over can't be read ({type(error).__name__}: {said})"


def _tell(message: str, fields: list[str], why: str, patience_s: float) -> None:
    """Tell its author that a message was not sent.

    Raises:
        StoreError: the store takes nothing now.
    """
    session = _known(fields).session
    if session:
        text = f"your message #{message} was not sent: {why}"
        store = db.connect(full=True, patience_s=patience_s)
        post.notice(store, session, text, moment.now())


def _draft(message: str, fields: list[str], body: bytes, via: str) -> post.Draft:
    """Make a draft of what was handed over.

    Raises:
        AddressError: it can't be sent as it was asked for.
        ValueError: it is none.
    """
    if not ids.is_id(message):
        raise ValueError("what was handed over is no message")
    command, stdin, *_ = fields
    if via == "spool" and not abs(moment.now().wall - _number(fields[7])) < TAKEN_WITHIN_S:
        raise address.AddressError("it was left there too long ago", "send it again")
    asked = address.parse(command, [*fields[10:], "--", "-"])
    asked.stdin = stdin == "-"
    draft = post.Draft(message, _known(fields), asked, address.checked(body))
    draft.reply = command == "reply"
    draft.said = _said(_number(fields[9]), fields[8])
    draft.via = via
    return draft


def _said(bt: float, boot: str) -> moment.Moment:
    """Say when a message was said, if that can be: before now, and in this boot."""
    now = moment.now()
    ago = now.bt - bt
    if boot != now.boot or not 0 <= ago < now.bt:
        return now
    return moment.Moment(now.wall - ago, boot, bt)


def _number(text: str) -> float:
    """Return a number; what is none is taken for one that nothing compares with."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _known(fields: list[str]) -> identity.Caller:
    """Say who a sender is, as far as the client's record bears it out."""
    session, digits, start, pidns, workdir = fields[2:7]
    plain = digits.isascii() and digits.isdecimal() and len(digits) <= _PID_DIGITS
    pid = int(digits) if plain else 0
    found = record.read(pid) if pid else None
    borne_out = (
        found is not None
        and not found.problem
        and (found.session, found.start) == (session, start)
        and process.alive(pid, start, pidns or None) is not False
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
