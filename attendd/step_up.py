"""Turns a reader into the host: the full program, in the process that is already running.

Started by exec with the reader's locks open. A full program that cannot start or that fails
while running turns back into a plain reader, same pid, same output; nothing is lost but the
time until somebody is the host again.
"""

import contextlib
import os
import signal
import sys

ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
BROKEN_RETRY_S = 300
FAILED_RETRY_S = 60
HOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hot", "main.py")


def main() -> None:
    """Be the host until there is a reason to end; never returns."""
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
    if asked_to_end():
        os._exit(0)
    if reason:
        say(f"attend: the host stopped ({reason}); reading goes on\n")
    os.set_inheritable(int(words["lock"]), True)  # noqa: FBT003 - its only form
    os.close(int(words["host-lock"]))
    ring_the_others()
    argv = [sys.executable, "-I", "-S", "-X", "utf8", HOT, "run", "--quiet"]
    argv += [f"--lock={words['lock']}", f"--host-after={seconds}"]
    if words.get("as"):
        argv.append(f"--as={words['as']}")
    os.execv(sys.executable, argv)  # noqa: S606 - the same process goes on


def asked_to_end() -> bool:
    """Tell whether a signal to end came while this was the host, or was ceasing to be."""
    ending = sys.modules.get("attendd.host.ending")
    return ending is not None and ending.asked.is_set()


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
