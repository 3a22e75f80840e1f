"""The words of `attend run`: those for people, and those that an exec hands on."""

from attendd.hot import frame, upgrade


class Options:
    """The words of the command line.

    Attributes:
        name: what to go by outside a client; empty for nothing.
        host_after: seconds during which this process does not offer to be the host, as a
            host that failed gives itself when it steps back; negative: never.
        lock: the descriptor of a reader lock held since before an exec, or -1.
        quiet: the banner was shown before an exec.
        check: only find out whether this program has all that it needs.
    """

    def __init__(self, words: list[str]) -> None:
        """Read them.

        Raises:
            ValueError: a word is not known or lacks its value; the text says which.
        """
        self.name = ""
        self.host_after = 0.0
        self.lock = -1
        self.quiet = self.check = False
        rest = iter(words)
        for word in rest:
            option, has_value, value = word.partition("=")
            if option in ("--quiet", upgrade.CHECK):
                self.quiet = True
                self.check = self.check or option == upgrade.CHECK
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
