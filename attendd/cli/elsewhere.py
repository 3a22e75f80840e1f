"""Commands whose work is done elsewhere: the hot ones."""

import argparse
import os
import sys
from pathlib import Path

from attendd.cli import arguments
from attendd.errors import AttendError
from attendd.hot.statusline import SETTING


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes, for its help and the documents."""
    name = parser.prog.split()[-1]
    if name == "run":
        parser.epilog = (
            "Meant for the client's Monitor tool or a plugin's monitor; what is said on stderr"
            " is for people. A second one for the same session waits until the first has ended."
        )
        _add_as(parser)
    elif name == "hook":
        parser.epilog = (
            "Reads one JSON document on stdin, says what is due or nothing, ends with 0."
        )
        parser.add_argument(
            "--within",
            metavar="SECONDS",
            help="give up after so long, and say so in hook.log (default: 0.3)",
        )
    elif name == "statusline":
        parser.epilog = (
            "Reads the client's JSON on stdin, and of anything else says nothing. With a"
            " command, that gets the same input, and what it prints is shown instead; one that"
            " takes over 5 s is ended, which the line shown in its place says. In the"
            f" client's settings.json: {SETTING}"
        )
        parser.add_argument("command", nargs="*", help="after --: your own status line")
    elif name in ("send", "reply"):
        _add_message(parser, answer=name == "reply")
    elif name == "build":
        parser.epilog = (
            "The command has this terminal, its signals and its exit code. Reported is when it"
            " was started, for how long it ran and how it ended."
        )
        parser.add_argument("command", nargs="+", help="after --: what to run")
    elif name == "peers":
        parser.epilog = (
            "Those of this project, in whatever work tree of it, and of the channels joined"
            " here: names, status and since when, model, context, what they listen by, and"
            " the files they edited last, as far as the last MiB of their transcripts says."
        )
        parser.add_argument("--all", action="store_true", help="those of other projects, too")
        arguments.add_json(parser)


def start(words: list[str]) -> int:
    """Become a hot command, as the launcher would have done.

    Raises:
        AttendError: the system refused to start it.
    """
    main = Path(__file__).parents[1] / "hot" / "main.py"
    sys.stdout.flush()
    try:
        os.execv(sys.executable, [sys.executable, "-I", "-S", str(main), *words])  # noqa: S606
    except OSError as error:
        raise AttendError(
            f"`attend {words[0]}` could not be started: {error.strerror}",
            hint="reinstall attendd; a part of it is missing",
        ) from None


def _add_as(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as",
        metavar="NAME",
        dest="as_name",
        help="a name of one's own, outside a known client: 1 to 40 letters, digits, . _ -",
    )


def _add_message(parser: argparse.ArgumentParser, *, answer: bool) -> None:
    whom = "Without a recipient: to the others in this project and in the channels joined here."
    if answer:
        whom = "With a recipient: as `attend send`."
    parser.epilog = (
        f"{whom} The safe way for any text: - and a heredoc, <<'EOF'. Behind -- all is text."
    )
    parser.add_argument("text", nargs="?", help="the message; - reads it from stdin")
    parser.add_argument(
        "--to",
        metavar="WHO",
        action="append",
        help="a session by id or name, a project by path, @human or '#channel'; may be given"
        " several times",
    )
    parser.add_argument("--channel", metavar="NAME", help="everybody in a channel")
    parser.add_argument("--focus", metavar="NAME", help="another word for --channel")
    parser.add_argument("--broadcast", action="store_true", help="every attended session")
    answered = "the message this one answers"
    if answer:
        answered += " (default: the last that was shown)"
    parser.add_argument("--re", metavar="ID", help=answered)
    _add_as(parser)
    arguments.add_json(parser)
