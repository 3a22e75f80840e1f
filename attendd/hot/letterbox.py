"""The FIFO of a reader or the host: for senders that can't reach the store; see `outside`.

It lies beside the bell, and serves as one, too: one byte wakes whoever reads it. What comes
in is accepted by `attendd.hot.handed`, which few of them ever need.
"""

import posix

from attendd.hot import outside, places, seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KNOCK = b"!"
_KNOCKS = 64
"""There is rarely more in a FIFO than a few knocks."""
_READ = 1 << 17
"""More than a FIFO holds, so that no record is cut."""


class Letterbox:
    """Takes messages in for whoever cannot commit them.

    Attributes:
        fd: becomes readable when there is something; -1 where there can be no FIFO.
        workdirs: the directories of the sessions that it is for; messages may be left there.
    """

    def __init__(self, bell_path: str, *workdirs: str) -> None:
        """Open it.

        Args:
            bell_path: the bell that it is beside of.
            workdirs: the directories of the sessions that it is for.
        """
        self._path = f"{bell_path.removesuffix('.bell')}{outside.POST}"
        self.workdirs = list(workdirs)
        self._passed_over: dict[str, set[str]] = {}
        self._held = -1
        self.fd = -1
        self.reopen()
        seal.have()

    def reopen(self) -> None:
        """Open it anew, whatever became of it."""
        self.close()
        try:
            self._open()
        except OSError:
            self.close()

    def answers(self) -> bool:
        """Tell whether what is written into it is read here."""
        try:
            there, here = posix.stat(self._path), posix.fstat(self.fd)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def close(self) -> None:
        """Take it away."""
        if self.fd >= 0 and self.answers():
            _remove(self._path)
        for fd in (self.fd, self._held):
            if fd >= 0:
                posix.close(fd)
        self.fd = self._held = -1

    def take(self, *, left: bool) -> None:
        """Accept everything that was handed over; say so to those who wait for it.

        Args:
            left: whether to look into spool folders without having been told to.

        Raises:
            StoreError: the store takes nothing now. What is in spool folders stays there.
        """
        data = self._read()
        if data == _KNOCK and not left:
            return
        left = left or outside.LOOK in data
        named: list[str] = []
        for message, fields, body in _records(data, named):
            from attendd.hot import handed

            left = True
            handed.accept(message, fields, body, via="fifo")
        if left:
            self._take_left(named)

    def _open(self) -> None:
        _remove(self._path)
        posix.mkfifo(self._path, 0o600)
        flags = posix.O_NONBLOCK | posix.O_CLOEXEC
        self.fd = posix.open(self._path, posix.O_RDONLY | flags)
        self._held = posix.open(self._path, posix.O_WRONLY | flags)  # so that it never hangs up

    def _read(self) -> bytes:
        if self.fd < 0:
            return b""
        data = b""
        try:
            data = posix.read(self.fd, _KNOCKS)
            if len(data) == _KNOCKS:
                data += posix.read(self.fd, _READ)
        except BlockingIOError:
            return data
        return data

    def _take_left(self, named: list[str]) -> None:
        """Accept what was left in spool folders; what bears no seal is looked at once.

        Args:
            named: folders that senders have told of.

        Raises:
            StoreError: the store takes nothing now. The rest stays there.
        """
        known_of = [folder for at in self.workdirs for folder in places.spools(at)]
        for folder in dict.fromkeys([*known_of, *named]):
            names = outside.left_in(folder)
            known = self._passed_over.get(folder)
            if known:
                known.intersection_update(names)
                names = [name for name in names if name not in known]
            if names:
                from attendd.hot import handed

                handed.take_left(folder, names, self._passed_over.setdefault(folder, set()))


def _records(data: bytes, named: list[str]) -> "Iterator[tuple[str, list[str], bytes]]":
    """Yield the messages in what a FIFO held; knocks are passed over, and garbage ends it.

    Args:
        data: what it held.
        named: the spool folders that it tells of are added.
    """
    while data := data.lstrip(_KNOCK + outside.LOOK):
        if data.startswith(b"/"):
            folder, _, data = data.partition(b"\n")
            named.append(folder.decode("utf-8", "surrogateescape"))
            continue
        found = outside.unpacked(data)
        if found is None:
            return
        message, fields, body, size = found
        data = data[size:]
        yield message, fields, body


def _remove(path: str) -> None:
    try:
        posix.unlink(path)
    except OSError:
        return
