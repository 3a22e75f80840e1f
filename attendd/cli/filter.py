"""`attend filter`: passes on what a client prints, without the facts in it, and keeps those."""

import argparse
import os
import sys

from attendd.cli.keeper import Keeper
from attendd.cli.pipe import Pipe, Stream, Text
from attendd.errors import UsageError
from attendd.hot.percept_tags import is_token

_CHUNK = 1 << 16
_FORMATS: dict[str, type[Pipe]] = {"text": Text, "stream-json": Stream}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "--nonce",
        metavar="N",
        default="",
        help="of the tags, as `attend memory instruction --new` printed it; without it the one"
        " that was made last for this project, or that of the stream's own session",
    )
    parser.add_argument(
        "--format",
        choices=sorted(_FORMATS),
        default="text",
        help="what comes in, as `claude --output-format` has it (default: text)",
    )
    parser.epilog = (
        "claude -p --append-system-prompt-file FILE QUESTION | attend filter --nonce N"
    )


def run(args: argparse.Namespace) -> int:
    """Pass on standard input until it ends, or nobody reads the output.

    Raises:
        UsageError: it can't be known whose tags are meant.
        BrokenPipeError: nobody reads the output. What came until then is kept.
    """
    if args.nonce and not is_token(args.nonce):
        raise UsageError(
            f"{args.nonce!r} is no nonce",
            hint="`attend memory instruction --new` prints one",
        )
    keeper = Keeper(args.nonce)
    pipe = _FORMATS[args.format](keeper.begin, keeper.catch)
    try:
        while data := os.read(0, _CHUNK):
            _write(pipe.feed(data))
        _write(pipe.finish())
    finally:
        keeper.close()
    for line in keeper.report():
        print(line, file=sys.stderr)
    return 0


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]
