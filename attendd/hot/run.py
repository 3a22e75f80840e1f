"""`attend run`: the words of its command line, its signals, its troubles, its turning host.

It never ends on anything it can outlive, because a client arms it only once: trouble is said
once and tried again, and a host that fails turns back into a reader.
"""

import posix
import select
import sys

from attendd.hot import attach, frame, identity, moment, places, reader, record, vigil

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the public module brings enum along

USAGE = """\
usage: attend run [--as NAME]

Tell this session what happens around it, one line on standard output for each thing worth
knowing. Meant for the Monitor tool or a plugin's monitor; ends with its client.

  --as NAME   the name to go by outside a client (also: ATTEND_AS)
"""
FOR_A_PERSON = (
    "what follows is what a coding agent would be told of what happens around it;"
    " Ctrl-C ends it, and `attend demo` plays a minute of it"
)
TROUBLE_RETRY_S = 15.0
REOPEN_S = 0.1
FORGET_S = 3600.0
"""A trouble that comes again after so long is said again."""
UNRESOLVED_RETRY_S = 2.0
PLUGIN = "install attend's plugin, whose monitor runs outside it (README, 'Install')"
ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
"""The signals that are a clean end."""
STEP_UP = f"{__file__.rpartition('/hot/')[0]}/step_up.py"


class Options:
    """The words of the command line.

    Attributes:
        name: what to go by outside a client; empty for nothing.
        host_after: seconds during which this process does not offer to be the host, as a
            host that failed gives itself when it steps back; negative: never.
        lock: the descriptor of a reader lock held since before an exec, or -1.
        quiet: the banner was shown before an exec.
    """

    def __init__(self, words: list[str]) -> None:
        """Read them.

        Raises:
            ValueError: a word is not known or lacks its value; the text says which.
        """
        self.name = ""
        self.host_after = 0.0
        self.lock = -1
        self.quiet = False
        rest = iter(words)
        for word in rest:
            option, has_value, value = word.partition("=")
            if option == "--quiet":
                self.quiet = True
                continue
            if option not in ("--as", "--host-after", "--lock"):
                kind = "option" if word.startswith("-") else "word"
                raise ValueError(f"unknown {kind} {frame.inert(word)}")
            value = value if has_value else next(rest, "")
            if not value:
                raise ValueError(f"{option} needs a value")
            self._set(option, value)

    def _set(self, option: str, value: str) -> None:
        if option == "--as":
            self.name = value
        elif option == "--lock":
            self.lock = int(value)
        else:
            self.host_after = float(value)


def main(words: list[str]) -> int:
    """Run until there is a reason to end; return the exit code."""
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    try:
        options = Options(words)
    except ValueError as error:
        say(f"{error}", "see 'attend run --help'")
        return 2
    if sys.stdout is None:
        say("standard output is closed, so nobody could be told anything", "attend run >FILE")
        return 2
    stop = stop_on_signals()
    try:
        caller = resolve(options.name, stop)
    except identity.IdentityError as error:
        say(str(error.args[0]), getattr(error, "hint", ""))
        return 4
    if caller is None:
        return 0
    if not options.quiet:
        banner(caller)
    may_host_in = None if options.host_after < 0 else options.host_after
    return supervise(reader.Reader(caller, stop, options.lock), stop, may_host_in, options.name)


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
    while True:
        try:
            reading.serve(may_host_in=may_host_in)
        except reader.HostWanted as wanted:
            become_host(reading, stop, name, wanted.lock)
            may_host_in = None
        except Exception as error:  # noqa: BLE001 - also a fault of ours is no reason to end
            if pause(reading, stop, troubles.tell(error)):
                return 0
        else:
            return 0


def become_host(reading: reader.Reader, stop: int, name: str, host_lock: int) -> None:
    """Turn into the full program in place: same pid, same standard output.

    Returns only where a signal to end came first, which the reading then answers.
    """
    words = [f"--host-lock={host_lock}", f"--lock={reading.lock}"]
    if name:
        words.append(f"--as={name}")
    posix.set_inheritable(host_lock, True)  # noqa: FBT003 - its only form
    posix.set_inheritable(reading.lock, True)  # noqa: FBT003 - as above
    # A signal that comes before the full program can answer it waits until then.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, ENDING)
    if select.select([stop], [], [], 0)[0]:
        posix.close(host_lock)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, ENDING)
        return
    full = [sys.executable, "-E", "-P", "-X", "utf8", STEP_UP]
    posix.execv(sys.executable, [*full, *words])


def resolve(name: str, stop: int) -> identity.Caller | None:
    """Find out whom to read for, waiting for a client that has not written its record yet.

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


def stop_on_signals() -> int:
    """Have the signals that end a process make a descriptor readable; return it."""
    readable, writable = posix.pipe()
    posix.set_blocking(writable, False)

    def stop(_number: int, _frame: object) -> None:
        posix.write(writable, b"!")

    for number in ENDING:
        _signal.signal(number, stop)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, ENDING)
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
    hint = getattr(error, "hint", "") or "it is tried again every 15 seconds"
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


def banner(caller: identity.Caller) -> None:
    """Tell the person who looks at our standard error what is going on."""
    mark = " (a name of its own choosing)" if caller.declared else ""
    hint = "" if caller.client_pid else FOR_A_PERSON
    say(f"{attach.VERSION}: listening for {caller.session}{mark} in {caller.workdir}", hint)


def say(sentence: str, hint: str) -> None:
    """Write a sentence and a hint for people; never fails."""
    text = f"attend: {frame.inert(sentence)}\n"
    if hint:
        text += f"  hint: {frame.inert(hint)}\n"
    try:
        posix.write(2, text.encode("utf-8", "replace"))
    except OSError:
        return
