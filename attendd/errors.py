"""The failures a person may read: one sentence of cause, one of remedy."""


class AttendError(Exception):
    """A failure with one sentence of cause and one sentence of remedy.

    Attributes:
        hint: what the reader can do about it; empty when nothing useful is known.
        exit_code: what the process exits with when the error reaches the command line.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n  hint: {self.hint}" if self.hint else message


class UsageError(AttendError):
    """The command line cannot be carried out as written."""

    exit_code = 2


class ConfigError(AttendError):
    """The configuration file cannot be used as written."""

    exit_code = 2


class UnresolvedSessionError(AttendError):
    """The caller belongs to no session that attend can name with certainty."""

    exit_code = 4


class StoreError(AttendError):
    """The store cannot be opened, read or written."""

    exit_code = 5


class LackingError(StoreError):
    """The store has lost what only one part of attend needs; the rest works on."""


class ContractChangedError(AttendError):
    """A client's file no longer looks as this release knows it."""

    exit_code = 6


class HostRunningError(AttendError):
    """Another process is the host and stays so."""

    exit_code = 7
