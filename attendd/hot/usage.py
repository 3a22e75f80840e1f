"""What a hot command says of words that it can't go by."""


class UsageError(Exception):
    """A command line that can't be carried out; ``args[0]`` says why.

    Attributes:
        hint: what to do instead.
        exit_code: what the process exits with.
    """

    exit_code = 2

    def __init__(self, command: str, why: str) -> None:
        super().__init__(f"{command}: {why}")
        self.hint = f"`attend {command} --help` says what it takes"
