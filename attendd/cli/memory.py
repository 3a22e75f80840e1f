"""`attend memory`: what sessions of a project remember for each other."""

import argparse
from collections.abc import Callable

from attendd.cli import arguments, memory_changes, memory_choice, memory_views
from attendd.errors import UsageError

ACTIONS = {
    "list": ("[WORD...]", "facts of this project, or those that words are about"),
    "show": ("ID", "one fact: where it came from and what became of it"),
    "learn": ("TEXT | -", "remember something for good"),
    "forget": ("ID", "take a fact out of everything that attend keeps"),
    "pin": ("ID", "keep a fact for good, before all others"),
    "demote": ("ID", "put a fact behind all others, from where it fades"),
    "edit": ("ID TEXT | ID -", "give a fact other words"),
    "undo": ("[ID]", "take back the last change, of a fact or of all"),
    "history": ("[ID]", "every change, of a fact or of all"),
    "injected": ("", "what was put before models, when, and what of it was used"),
    "audit": ("", "whether facts are what their log says; what was refused"),
    "export": ("", "all facts as Markdown, with --json also their log"),
    "on": ("", "turn this project's memory on"),
    "off": ("", "turn it off; what is remembered is kept"),
    "adopt": ("FOLDER", "take over the memory of a project that lay elsewhere"),
    "instruction": ("", "what a session is taught; with --new for a pipe"),
}
"""What each takes, and what it does."""

_DO: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": memory_views.listed,
    "show": memory_views.shown,
    "learn": memory_changes.learn,
    "forget": memory_changes.forget,
    "pin": memory_changes.pin,
    "demote": memory_changes.demote,
    "edit": memory_changes.edit,
    "undo": memory_changes.undo,
    "history": memory_views.history,
    "injected": memory_views.injected,
    "audit": memory_views.audit,
    "export": memory_views.export,
    "on": memory_changes.turn_on,
    "off": memory_changes.turn_off,
    "adopt": memory_changes.adopt,
    "instruction": memory_views.instruction,
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.formatter_class = _Formatter
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="one of those below")
    parser.add_argument(
        "words", nargs="*", default=[], metavar="…", help="what the action takes"
    )
    memory_choice.configure(parser)
    parser.add_argument(
        "--everywhere", action="store_true", help="of all projects, not only of this one"
    )
    parser.add_argument(
        "--limit", metavar="N", type=arguments.count, default=0, help="so many at most"
    )
    parser.add_argument("--new", action="store_true", help="instruction: with a new nonce")
    parser.add_argument(
        "--rebuild", action="store_true", help="audit: put right what differs, from the log"
    )
    parser.add_argument(
        "--quote",
        metavar="WORDS",
        default="",
        help="learn: what the person said of it, verbatim",
    )
    parser.add_argument("--yes", action="store_true", help="forget: without asking")
    arguments.add_session(parser)
    arguments.add_json(parser)
    heads = {name: f"{name} {takes}" for name, (takes, _) in ACTIONS.items()}
    width = max(map(len, heads.values()))
    lines = [f"  {heads[name]:<{width}}  {does}" for name, (_, does) in ACTIONS.items()]
    parser.epilog = "\n".join(["actions:", *lines, "", _EPILOG])


def run(args: argparse.Namespace) -> int:
    """Do one of the actions.

    Raises:
        AttendError: it can't be done.
    """
    takes, _ = ACTIONS[args.action]
    if args.words and not takes:
        raise UsageError(
            f"memory: {args.action} takes no words", hint="`attend memory --help` says more"
        )
    if not args.words and takes and not takes.startswith("["):
        known = "`attend memory list` lists facts"
        write = f"write `attend memory {args.action} {takes}`, where - reads standard input"
        hint = write if takes.endswith("-") else known
        raise UsageError(f"memory: {args.action} needs {takes}", hint=hint)
    return _DO[args.action](args)


_EPILOG = """\
An ID is the beginning of one, as `list` shows it. Facts come from agents, which a
session's start tells how to write them, and from `learn`. An agent may do less here
than a person: neither pin, edit or undo, nor turn memory on, nor forget what a person
said."""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help of one width, with the list of actions as it is written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=88)
