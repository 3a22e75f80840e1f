"""The words of `attend send` and `attend reply`, taken apart. Pure.

What begins with a dash and is no option of ours is refused, never sent as text: a typo must not
become a message. Behind ``--`` everything is text.
"""

from attendd.hot import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 << 10
"""A message is this long at most, in UTF-8."""

_VALUED = ("--to", "--channel", "--focus", "--re", "--as")
_FLAGS = ("--broadcast", "--json", "--help", "-h")
_LONGEST_CHANNEL = 40
_LOOKED_AT = 256
_FILLERS = "\u115f\u1160\u3164\uffa0"
"""Letters that show nothing."""
HEREDOC = "attend send - <<'EOF'"
"""The form for any text: nothing in it is for the shell, and a client asks nobody about it."""
TEXT_HINT = f"the safe way for any text: {HEREDOC}, the text, EOF"


class AddressError(Exception):
    """A message that can't be sent as it was asked for; ``args[0]`` says why.

    Attributes:
        hint: what to do instead.
        exit_code: what a process exits with that was asked for it.
    """

    exit_code = 2

    def __init__(
        self, message: str, hint: str = "`attend send --help` says what it takes"
    ) -> None:
        super().__init__(message)
        self.hint = hint


class RecipientError(AddressError):
    """A recipient that is not there, or could be several."""

    exit_code = 1


class Address:
    """What was asked for.

    Attributes:
        to: each WHO as it was written: a session's id or the beginning of one, a name, a path,
            ``@user``.
        channels: names of channels, in lower case, without their ``#``.
        broadcast: to every attended session.
        re: the message it answers, or ``''``.
        as_name: what ``--as`` said, or ``''``.
        words: the text's words; empty if it is on standard input or there is none.
        stdin: whether the text is to be read from standard input.
        json: whether what became of it is to be said as a JSON document.
        help: whether only help is wanted.
        target: whom it is for, in the sender's words.
    """

    __slots__ = (
        "as_name", "broadcast", "channels", "help", "json", "re", "stdin", "to", "words",
    )  # fmt: skip

    def __init__(self) -> None:
        self.to: list[str] = []
        self.channels: list[str] = []
        self.broadcast = False
        self.re = ""
        self.as_name = ""
        self.words: list[str] = []
        self.stdin = False
        self.json = False
        self.help = False

    @property
    def anybody(self) -> bool:
        """Whether it names a recipient of any kind."""
        return bool(self.to or self.channels or self.broadcast)

    @property
    def target(self) -> str:
        """Whom it is for, as it would be written."""
        said = [*self.to, *(f"#{name}" for name in self.channels)]
        return " ".join([*said, "#open"] if self.broadcast else said)


def parse(command: str, words: list[str]) -> Address:
    """Take a command line apart.

    Args:
        command: ``send`` or ``reply``, for what is said about mistakes.
        words: what follows the command.

    Raises:
        AddressError: it can't be carried out as written.
    """
    found = Address()
    literal: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            literal = list(rest)
        elif word == "-" or not word.startswith("-"):
            found.words.append(word)
        else:
            _option(found, command, word, rest)
    if not found.help:
        _settle(found, command, literal)
    return found


def channel_name(text: str) -> str:
    """Return a channel's name as it is kept: without ``#``, in lower case.

    Raises:
        AddressError: it can't be one.
    """
    name = text.removeprefix("#").casefold()
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not plain.isalnum() or name[0] in "_.-" or len(name) > _LONGEST_CHANNEL:
        raise AddressError(
            f"{text[: 2 * _LONGEST_CHANNEL]!r} can't be the name of a channel",
            f"1 to {_LONGEST_CHANNEL} letters, digits, dashes, dots and underscores,"
            " a letter or digit first",
        )
    return name


def body_of(words: list[str]) -> bytes:
    """Return the text of a command line, as it was typed.

    Raises:
        AddressError: it is empty or too long.
    """
    return checked(" ".join(words).encode("utf-8", "surrogateescape"))


def checked(body: bytes, size: int = 0) -> bytes:
    """Return a text that can be sent.

    Args:
        body: its beginning, or all of it.
        size: how long it is in all, in bytes, if that is more.

    Raises:
        AddressError: it is empty or too long.
    """
    size = max(size, len(body))
    if size > MOST_BYTES:
        raise AddressError(
            f"the text has {size:,} bytes, and a message holds {MOST_BYTES:,} at most",
            "put it into a file and send its path",
        )
    if not body.strip():
        raise AddressError("there is no text to send", TEXT_HINT)
    if not _shows(body):
        raise AddressError("there is no text to send: nothing of it can be seen", TEXT_HINT)
    return body


def _shows(body: bytes) -> bool:
    """Tell whether a text is more than blanks and characters that show nothing."""
    beginning = body[:_LOOKED_AT].decode("utf-8", "replace")
    if "\x1b" not in beginning and any(ch.isalnum() and ch not in _FILLERS for ch in beginning):
        return True  # as nearly all do
    from attendd.hot import frame

    text = body.decode("utf-8", "replace")
    return any(frame.inert(line).strip() for line in frame.lines_of(text))


def _option(found: Address, command: str, word: str, rest: "Iterator[str]") -> None:
    option, has_value, value = word.partition("=")
    if option in _FLAGS and has_value:
        raise AddressError(f"{option} takes no value")
    if option in _FLAGS:
        found.broadcast |= option == "--broadcast"
        found.json |= option == "--json"
        found.help |= option in ("--help", "-h")
        return
    if option not in _VALUED:
        raise _unknown(command, option)
    if not has_value:
        value = next(rest, "")
        value = "" if value.startswith("-") else value
    if not value.strip():
        raise AddressError(f"{option} needs a value")
    if option == "--to" and not value.startswith("#"):
        found.to.append(value)
    elif option in ("--to", "--channel", "--focus"):
        _channel(found, value)
    else:
        _once(found, option, value)


def _channel(found: Address, value: str) -> None:
    name = channel_name(value)
    if name == "open":
        found.broadcast = True
    elif name not in found.channels:
        found.channels.append(name)


def _once(found: Address, option: str, value: str) -> None:
    """Take an option that can be given one time only."""
    if option == "--re":
        known, value = found.re, ids.clean(value)
        if not value:
            raise AddressError(
                "--re needs the id of a message, eight letters and digits",
                "a message's line shows its id behind '#'; 'attend inbox' lists them",
            )
        found.re = value
    else:
        known, found.as_name = found.as_name, value
    if known and known != value:
        raise AddressError(f"{option} was given twice")


def _settle(found: Address, command: str, literal: list[str]) -> None:
    """Make sense of the whole, and of the words that are text whatever they look like.

    Raises:
        AddressError: there is none.
    """
    if found.broadcast and (found.to or found.channels):
        raise AddressError(
            "--broadcast reaches everybody, so it can't be combined with --to or --channel",
            "leave out one or the other",
        )
    if found.words == ["-"] and not literal:
        found.words, found.stdin = [], True
        return
    if "-" in found.words:
        raise AddressError(
            "'-' stands for standard input, and there is other text as well",
            "quote the text as one argument, or put '--' before it",
        )
    found.words += literal
    if not found.words:
        raise AddressError("there is no text to send", TEXT_HINT.replace("send", command, 1))


def _unknown(command: str, option: str) -> AddressError:
    from attendd.hot import frame, near

    shown = frame.cut(frame.inert(option), 80)
    meant = near.suggest(option, (*_VALUED, *_FLAGS[:-1]))
    if meant and option.startswith("--"):
        return AddressError(f"unknown option {shown}", f"did you mean {' or '.join(meant)}?")
    return AddressError(
        f"unknown option {shown}", f"if it is text: attend {command} -- {shown} …"
    )
