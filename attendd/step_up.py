"""Turns a reader into the host: the full program, in the process that is already running.

Started by exec with the reader's locks open. A full program that cannot start or that fails
while running turns back into a plain reader, same pid, same output; nothing is lost but the
time until somebody is the host again.
"""

import contextlib
import gc
import importlib
import os
import signal
import subprocess
import sys

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
BROKEN_RETRY_S = 300
FAILED_RETRY_S = 60
HOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hot", "main.py")
CHECK = "--self-check"
"""The word that has a program try itself and end."""
TRIAL_S = 30


def mark() -> tuple[int, int]:
    """Tell the reader's code that there is from the one that there was."""
    try:
        there = os.stat(os.path.dirname(HOT))
    except OSError:
        return (0, 0)
    return (there.st_ino, there.st_mtime_ns)


BEGAN = mark()


def main() -> None:
    """Be the host until there is a reason to end; never returns."""
    if CHECK in sys.argv:
        self_check()
        return
    gc.disable()  # until all is loaded: nothing of that is garbage; see `attendd.daemon.parts`
    words = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
    try:
        from attendd.daemon import embedded
    except Exception as error:  # noqa: BLE001 - whatever is broken, the reader goes on
        step_back(words, BROKEN_RETRY_S, said(error))
        return
    try:
        again = embedded(int(words["lock"]), words.get("as", ""), int(words["host-lock"]))
    except BaseException as error:  # noqa: BLE001 - as above, and a plugin may raise anything
        step_back(words, FAILED_RETRY_S, said(error))
        return
    if again:
        step_back(words, 1, "")
    sys.stdout.flush()
    os._exit(0)


def self_check() -> None:
    """Find out whether this program has all that it needs.

    Raises:
        Exception: it has not.
    """
    importlib.import_module("attendd.daemon")
    importlib.import_module("attendd.hot.become").self_check()


def said(error: BaseException) -> str:
    """Say in one line what went wrong; of several things at once, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": ")


def step_back(words: dict[str, str], seconds: int, reason: str) -> None:
    """Turn back into a reader that does not offer to be the host for a while."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until the reader can answer them
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)  # in a thread that is left one would be lost
    if asked_to("asked"):
        os._exit(0)
    if reason:
        say(f"attend: the host stopped ({reason}); reading goes on\n")
    os.set_inheritable(int(words["lock"]), True)  # noqa: FBT003 - its only form
    os.close(int(words["host-lock"]))
    ring_the_others()
    if asked_to("to_stop"):
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # it goes on from here once it is continued
    handed_on = ["--quiet", f"--lock={words['lock']}"]
    if words.get("as"):
        handed_on.append(f"--as={words['as']}")
    argv = reader(handed_on)
    if argv:
        with contextlib.suppress(OSError):  # it is gone since: go on as below
            os.execv(argv[0], [*argv, f"--host-after={seconds}"])  # noqa: S606 - the same process
    from attendd.hot import run

    os._exit(run.main([*handed_on, "--host-after=-1"]))  # as what is loaded already


def reader(words: list[str]) -> list[str]:
    """Name the command line of a reader that starts; empty where none does.

    What an upgrade has replaced since this program was started is tried first.
    """
    plain = [sys.executable, "-I", "-S", "-X", "utf8", HOT, "run", *words]
    if mark() == BEGAN and os.access(sys.executable, os.X_OK):
        return plain
    try:
        from attendd.hot import upgrade

        found = upgrade.command(words)
        tried = found and subprocess.run(
            [*found, CHECK],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TRIAL_S,
            check=False,
        )
    except Exception:  # noqa: BLE001 - whatever is broken, the reader goes on
        return []
    return found if tried and tried.returncode == 0 else []


def asked_to(what: str) -> bool:
    """Tell whether a signal for that came while this was the host, or was ceasing to be."""
    ending = sys.modules.get("attendd.host.ending")
    return ending is not None and getattr(ending, what).is_set()


def say(text: str) -> None:
    """Tell a person, if anybody reads it."""
    with contextlib.suppress(OSError):
        os.write(2, text.encode("utf-8", "replace"))


def ring_the_others() -> None:
    """Let the readers that wait know that nobody is the host; this process only turned back."""
    try:
        from attendd.hot import bell, places

        bell.ring_all(places.runtime_dir())
    except Exception:  # noqa: BLE001 - they find out by themselves, later
        return


if __name__ == "__main__":
    main()
