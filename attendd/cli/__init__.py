"""The command line: one command, one module, imported only when asked for.

Every command ends with one of `EXIT_CODES`. What a person can do something about is one
sentence on stderr, ``attend: what happened``, with a hint below it; a bug keeps its traceback.
Commands that only look write nothing and need no host.
"""

import gc
import os
import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False  # `typing` alone would cost more than all else that `--version` loads
if TYPE_CHECKING:
    from argparse import ArgumentParser

VERSION = "0.1.0"

EXIT_CODES = {
    0: "it was done",
    1: "it could not be done",
    2: "the command line or the configuration cannot be carried out as written",
    3: "`attend config lint` has findings",
    4: "the caller, or what `--session` or `--as` names, is no session that attend knows for"
    " certain",
    5: "the store cannot be opened, read or written",
    6: "a file of the client no longer looks as this release knows it",
    7: "another process is the host, and stays so; only `attendd` ends with it",
    75: "`attendd` alone: it is to be started again, as the release that is installed now",
    126: "`attend build`: the command cannot be run",
    127: "no Python with attend was found; of `attend build`: no such command was found",
    130: "it was interrupted; `run` and `attendd`, which nothing else ends, end with 0 then",
    141: "whoever read its output went away; `run` ends with 0 then, and `hook` with 0 always",
}
"""What each exit code means; the same for every command."""

COMMANDS = {
    "run": "tell a session what happens around it, line by line, until the session ends",
    "context": "how full the session's context window is",
    "status": "what attend is doing: host, sessions, ways into them, what is wrong",
    "top": "every session as it is: gauge, sensors, what holds them, last lines",
    "sensors": "every sensor, how it fares, and what it holds back",
    "whoami": "which session this is, and how that is known",
    "why": "what a session was told or not told, and the reason for each",
    "log": "the journal: every observation, gate decision and delivery",
    "config": "write, show, find or check the configuration",
    "service": "have systemd keep attend's host running, and see how it fares",
    "demo": "one minute in the life of a pretend session",
    "cleanup": "remove what nobody needs any more",
    "privacy": "what is kept where, and for how long",
    "hook": "answer a hook of the client",
    "statusline": "one line for the client's status line, and its figures for the gauge",
    "send": "send a message to other sessions",
    "reply": "answer the last message this session was shown",
    "inbox": "what was said to this session, whole",
    "read": "mark messages as read",
    "sent": "how messages of this session fared",
    "retract": "take back a message from everybody who was not shown it yet",
    "mute": "hear nothing from somebody for a while",
    "join": "enter a channel; what is said to it reaches this session from then on",
    "leave": "leave a channel",
    "channels": "the channels there are, and who is in them",
    "peers": "the sessions around this one: what they do, where, and how full they are",
    "build": "run a command as it is, and report how it went to the sessions of its project",
    "memory": "what sessions of a project remember for each other",
    "filter": "pass on what a client prints, without the facts in it, and keep those",
}
"""Command name to one-line summary; ``attend status`` is ``attendd/cli/status.py``."""

HOT = ("run", "hook", "send", "reply", "statusline", "peers", "build")
"""Commands that are programs of their own in ``attendd/hot``; the launcher goes there."""

_SAY = ("--to", "--channel", "--focus", "--broadcast", "--re", "--as", "--json")

OPTIONS: dict[str, tuple[str, ...]] = {
    "run": ("--as",),
    "context": ("--json", "--session"),
    "status": ("--json",),
    "top": ("--once",),
    "sensors": ("--json",),
    "whoami": ("--as", "--json"),
    "why": ("--silence", "--now", "--last", "--json", "--session"),
    "log": ("--follow", "--since", "--session", "--json"),
    "config": ("--json",),
    "service": ("--follow", "--last", "--since", "--json"),
    "demo": (),
    "cleanup": ("--dry-run", "--json"),
    "privacy": ("--json",),
    "hook": ("--within",),
    "statusline": (),
    "send": _SAY,
    "reply": _SAY,
    "inbox": ("--from", "--before", "--limit", "--all", "--session", "--as", "--json"),
    "read": ("--as", "--json"),
    "sent": ("--watch", "--limit", "--session", "--as", "--json"),
    "retract": ("--as", "--json"),
    "mute": ("--for", "--off", "--list", "--as", "--json"),
    "join": ("--as", "--json"),
    "leave": ("--as", "--json"),
    "channels": ("--as", "--json"),
    "peers": ("--all", "--json"),
    "build": (),
    "filter": ("--nonce", "--format"),
    "memory": (
        "--all",
        "--archived",
        "--everywhere",
        "--for",
        "--from",
        "--limit",
        "--new",
        "--quote",
        "--rebuild",
        "--weight",
        "--yes",
        "--session",
        "--json",
    ),
}
"""Every option that a command has: nothing else may be taught to anybody."""


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code, one of `EXIT_CODES`."""
    words = sys.argv[1:] if argv is None else argv
    _hold_streams()
    try:
        code = _code(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        _drop_output()
        return complain(error)
    return code


def _code(words: list[str]) -> int:
    """Run one command line; return its exit code, also where its parser ends it."""
    try:
        return _run(words)
    except SystemExit as ended:
        return int(ended.code or 0)


def _run(words: list[str]) -> int:
    """Find the command and run it; turn what a person can act on into a sentence."""
    _write_anything()
    try:
        if words[:1] in (["--version"], ["-V"]):
            print(f"attend {VERSION}")
            return 0
        if not words or words[0] in ("-h", "--help", "help"):
            return _help(words[1:])
        module = _module(words[0])
        if words[0] in HOT and not {"-h", "--help"} & set(words[1:]):
            return int(module.start(words))
        args = parser(words[0]).parse_intermixed_args(words[1:])
        return int(module.run(args))
    except Exception as error:
        if not hasattr(error, "hint"):
            raise
        return complain(error)


def complain(error: Exception) -> int:
    """Print an error of ours, whichever part it comes from, and return its exit code."""
    from attendd.hot.frame import inert, neutral

    sentence = error.args[0] if error.args else type(error).__name__
    if isinstance(error, OSError):
        sentence = f"{error.strerror}: {error.filename or 'standard output'}"
    hint = getattr(error, "hint", "")
    print(f"attend: {neutral(inert(str(sentence)))}", file=sys.stderr)
    if hint:
        print(f"  hint: {neutral(inert(hint))}", file=sys.stderr)
    if isinstance(error, OSError):
        return 1
    # Of what `attendd.hot` raises only the store's error names no code.
    return int(getattr(error, "exit_code", 5))


def parser(name: str) -> "ArgumentParser":
    """Build the parser of one command; ``docs/cli.md`` is made from its help.

    Raises:
        UsageError: there is no such command.
    """
    from attendd.cli.arguments import Parser

    module = _module(name)
    built = Parser(name, COMMANDS[name])
    module.configure(built)
    return built


def _module(name: str) -> ModuleType:
    """Import the module of a command.

    Raises:
        UsageError: there is no such command.
    """
    if name not in COMMANDS:
        from attendd.cli.arguments import unknown_command

        raise unknown_command(name)
    gc.disable()  # nothing of what is loaded is garbage
    try:
        return import_module(f"attendd.cli.{'elsewhere' if name in HOT else name}")
    finally:
        gc.enable()


def _help(words: list[str]) -> int:
    """Print the help of one command, or the list of all."""
    if words:
        parser(words[0]).print_help()
        return 0
    width = max(map(len, COMMANDS))
    print("usage: attend COMMAND [...]\n\ncommands:")
    for name, summary in COMMANDS.items():
        print(f"  {name:<{width}}  {summary}")
    print(
        "\n`attend COMMAND --help` says more about one, `attend --version` which release it is."
    )
    return 0


def _drop_output() -> None:
    """Let what is still buffered not fail once more when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _hold_streams() -> None:
    """Open what is closed of descriptors 0 to 2, so that no file of ours gets their numbers."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while os.open(os.devnull, os.O_RDWR) <= 2:  # noqa: PLR2004 - standard error
            pass
    if sys.stderr is None:  # what is for people is not to land on standard output instead
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _write_anything() -> None:
    """Let no character that the terminal's encoding lacks end a command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
