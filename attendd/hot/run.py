"""`attend run`: the words of its command line, its signals, its troubles, its turning host.

It never ends on anything it can outlive, because a client arms it only once: trouble is said
once and tried again, and a host that fails turns back into a reader.
"""

import posix
import select
import sys

from attendd.hot import (
    attach,
    become,
    commands,
    frame,
    identity,
    locks,
    moment,
    options,
    places,
    reader,
    record,
    upgrade,
    vigil,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

FOR_A_PERSON = (
    "what follows is what a coding agent would be told of what happens around it;"
    " Ctrl-C ends it, and `attend demo` plays a minute of it"
)
WHERE = (
    "start it in a repository to be told of branches, commits and files; the rest works here"
)
ALREADY = "each line comes once, there; nothing needs doing"
TROUBLE_RETRY_S = 5.0
REOPEN_S = 0.1
FORGET_S = 3600.0
"""A trouble that comes again after so long is said again."""
UNRESOLVED_RETRY_S = 2.0
PLUGIN = (
    "install attend's plugin, whose monitor runs outside it: in a clone of attend,"
    " `claude plugin marketplace add ./` and `claude plugin install attend@attend`"
)
ANEW = "nothing needs doing: a new store is begun, and the old one is kept for you to look at"
CANT_HOST_S = 300.0
"""For so long a process that could not turn into the host does not try again."""


def main(words: list[str]) -> int:
    """Run until there is a reason to end; return the exit code."""
    if "--help" in words or "-h" in words:
        commands.explain("run")
    try:
        said = options.Options(words)
    except ValueError as error:
        say(f"{error}", "`attend run --help` says what it takes")
        return 2
    if sys.stdout is None:
        say("standard output is closed, so nobody could be told anything", "attend run >FILE")
        return 2
    return become.self_check() if said.check else listen(said)


def listen(said: options.Options) -> int:
    """Read for whoever started us; return the exit code."""
    locks.keep_to_itself([said.lock])
    stop = stop_on_signals()
    newer = become.watch(said.name, say)
    try:
        caller = resolve(said.name, stop, newer, said.lock)
    except identity.IdentityError as error:
        say(str(error.args[0]), getattr(error, "hint", ""))
        return 4
    if caller is None:
        return 0
    may_host_in = None if said.host_after < 0 else said.host_after
    reading = reader.Reader(caller, stop, said.lock)
    if said.lock >= 0:  # who held it before an exec may have written something right then
        reading.wrote_at = moment.boot_seconds()
    reading.newer = newer
    if not said.quiet:
        reading.tell = Listening(caller).tell
    return supervise(reading, stop, may_host_in, said.name)


def supervise(
    reading: reader.Reader, stop: int, may_host_in: float | None, name: str = ""
) -> int:
    """Serve, and serve again after trouble, until there is a reason to end.

    Args:
        reading: what to serve.
        stop: a descriptor that becomes readable when to end.
        may_host_in: seconds until this process offers to be the host; ``None``: never.
        name: what ``--as`` said, for the host that this process may become.
    """
    troubles = Troubles(reading)
    reading.warn = lambda notice: say(notice, ANEW) if notice else None
    become.have_later()
    while True:
        try:
            reading.serve(may_host_in=may_host_in)
        except reader.HostWanted as wanted:
            may_host_in = host(reading, stop, name, wanted.lock)
        except reader.NewerReady as found:
            become.newer(found.upgrade, stop, reading.lock, name)
        except Exception as error:  # noqa: BLE001 - also a fault of ours is no reason to end
            if pause(reading, stop, troubles.tell(error)):
                return 0
        else:
            return 0


def host(reading: reader.Reader, stop: int, name: str, host_lock: int) -> float:
    """Become the host, or say why not and return when to offer to be it again."""
    try:
        become.host(reading, stop, name, host_lock)
    except OSError as error:
        say(f"the host can't be started: {error.strerror}", "reading goes on")
    return CANT_HOST_S


def resolve(name: str, stop: int, newer: upgrade.Upgrade, lock: int) -> identity.Caller | None:
    """Find out whom to read for, waiting for a client that has not written its record yet.

    Args:
        name: what ``--as`` said.
        stop: a descriptor that becomes readable when to end.
        newer: the code, which may be replaced by one that knows the client's files.
        lock: a reader lock that is held already, or -1.

    Returns:
        The caller; ``None`` when a signal came first.

    Raises:
        IdentityError: the name can't be used.
    """
    said = ""
    while True:
        caller = identity.resolve(name, own=True)
        if caller.how != "unresolved":
            return caller
        why = caller.contract or "the client's record of this session can't be found yet"
        if why != said:
            said = why
            say(why, "trying again; `attend whoami` says when it is known")
        watch = vigil.Vigil()
        watch.add(vigil.STOP, stop)
        watch.add(vigil.OUTPUT, 1, 0)
        if watch.wait(UNRESOLVED_RETRY_S):
            return None
        newer.look()
        if newer.ready:
            become.newer(newer, stop, lock, name)


def stop_on_signals() -> int:
    """Have the signals that end a process make a descriptor readable; return it."""
    readable, writable = posix.pipe()
    posix.set_blocking(writable, False)

    def stop(_number: int, _frame: object) -> None:
        posix.write(writable, b"!")

    for number in become.ENDING:
        _signal.signal(number, stop)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, become.ENDING)
    return readable


def pause(reading: reader.Reader, stop: int, seconds: float) -> bool:
    """Wait before trying again; true when there is a reason to end meanwhile."""
    watch = vigil.Vigil()
    watch.add(vigil.STOP, stop)
    watch.add(vigil.OUTPUT, reading.out, 0)
    reader.follow_client(watch, reading.caller)
    try:
        return bool(watch.wait(seconds))
    finally:
        watch.close()


class Troubles:
    """What was wrong lately: each sentence is said once, to people and to the session.

    A session that nobody has prompted yet is left in peace: a line would cost it a turn.
    """

    def __init__(self, reading: reader.Reader) -> None:
        self._reading = reading
        self._said = ""
        self._told = ""
        self._at = float("-inf")

    def tell(self, error: Exception) -> float:
        """Say what is wrong, on standard error and as a line; return when to try again.

        What is only a file in the place of another is tried at once, unless it keeps happening.
        """
        before, self._at = self._at, moment.boot_seconds()
        if self._at - before > FORGET_S:
            self._said = self._told = ""
        client = self._reading.caller.client_pid is not None
        sentence, hint = meaning(error, client=client)
        if sentence != self._said:
            self._said = sentence
            say(sentence, hint)
        if getattr(error, "reopen", False) and self._at - before > TROUBLE_RETRY_S:
            return REOPEN_S
        if sentence != self._told and prompted(self._reading.caller):
            self._told = sentence
            lines = frame.frame("attend", "medium", f"attend: {sentence}; {hint}")
            show(self._reading.out, "".join(f"{line}\n" for line in lines))
        return TROUBLE_RETRY_S


def meaning(error: Exception, *, client: bool) -> tuple[str, str]:
    """Return an error as a sentence and a hint.

    Args:
        error: what was raised.
        client: whether a client started us, which may have walled us in.
    """
    if places.sandboxed():
        return "no state can be kept from inside this client's sandbox", PLUGIN
    sentence = str(error.args[0]) if error.args else type(error).__name__
    hint = (
        getattr(error, "hint", "") or f"it is tried again every {TROUBLE_RETRY_S:.0f} seconds"
    )
    if isinstance(error, OSError):
        sentence = f"{error.filename or 'a socket of attend'}: {error.strerror or error}"
    elif not hasattr(error, "hint"):
        sentence = f"the reader failed ({type(error).__name__}: {sentence})"
    if client and isinstance(error, PermissionError):
        hint = f"if it is the client's sandbox, {PLUGIN}"
    return sentence, hint


def show(out: int, text: str) -> None:
    """Write lines to the session if they are taken at once: it may be the output that fails."""
    poll = select.poll()
    poll.register(out, select.POLLOUT)
    try:
        if poll.poll(0):
            posix.write(out, text.encode("utf-8", "replace"))
    except OSError:
        return


def prompted(caller: identity.Caller) -> bool:
    """Tell whether a person has prompted a caller's session; true where there is no client."""
    if caller.client_pid is None or places.sandboxed():
        return True
    found = record.read(caller.client_pid)
    return found is not None and not found.problem and bool(record.transcript(found))


class Listening:
    """Tells the person who looks at our standard error what is going on, each thing once."""

    def __init__(self, caller: identity.Caller) -> None:
        self._caller = caller
        self._told: set[str] = set()

    def tell(self, pid: str) -> None:
        """Say that this process listens, or which one does already."""
        caller = self._caller
        if pid in self._told:
            return
        self._told.add(pid)
        if pid:
            sentence = f"pid {pid} listens for {caller.session} already"
            say(f"{sentence}; this one waits until that has ended", ALREADY)
            return
        mark = " (a name of its own choosing)" if caller.declared else ""
        hint = "" if caller.client_pid else FOR_A_PERSON
        say(f"{attach.VERSION}: listening for {caller.session}{mark} in {caller.workdir}", hint)
        if not (caller.client_pid or identity.repository_of(caller.workdir)):
            say(
                f"there is no repository at {caller.workdir}, so git has nothing to tell", WHERE
            )
        if moved := attach.moved():
            say(moved, places.MOVE)


def say(sentence: str, hint: str) -> None:
    """Write a sentence and a hint for people; never fails."""
    text = f"attend: {frame.inert(sentence)}\n"
    if hint:
        text += f"  hint: {frame.inert(hint)}\n"
    try:
        posix.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return
