"""A reader's listeners: its bell (a doorbell socket), and its letterbox (a FIFO) beside it."""

import posix

from attendd.hot import bell, letterbox, vigil


class Ears:
    """A bell that is bound and the letterbox that belongs to it, both waited for.

    Attributes:
        path: the bell's.
    """

    def __init__(self, watch: vigil.Vigil, path: str, workdir: str) -> None:
        """Open the letterbox, so that it is there when it is known who listens.

        Args:
            watch: what waits for both.
            path: where the bell is going to be.
            workdir: the session's directory, where messages may be left.
        """
        self.path = path
        self._watch = watch
        self._bell = -1
        self._post = letterbox.Letterbox(path, workdir)

    def listen(self, own_bell: int) -> None:
        """Take a bell that is bound, and wait for both."""
        self._bell = own_bell
        self._add()

    def hear(self, ready: "set[str]") -> None:
        """Take in what was rung and handed over.

        Args:
            ready: what the wait ended for; nothing of it means that all is to be looked at.

        Raises:
            StoreError: the store takes nothing now.
        """
        if vigil.BELL in ready:
            bell.hear(self._bell)
        elif not ready:
            bell.drain(self._bell)
        if vigil.POST in ready or not ready:
            self._post.take(left=not ready)

    def reached(self) -> bool:
        """Tell cheaply whether both are where they are looked for, as far as a name tells."""
        return self._post.fd < 0 or self._post.answers()

    def renew(self) -> None:
        """Make sure that both can still be reached: a log-out removes the folder they are in.

        Raises:
            OSError: they can't be made anew.
        """
        if bell.answers(self._bell, self.path) and self._post.answers():
            return
        self._remove()
        self._bell = bell.rebind(self._bell, self.path)
        self._post.reopen()
        self._add()

    def close(self, *, unbind: bool) -> None:
        """Stop listening; take the bell away too if nobody else is to be heard there."""
        if self._bell < 0:
            self._post.close()
            return
        self._remove()
        self._post.close()
        if unbind:
            bell.unbind(self._bell, self.path)
        else:
            posix.close(self._bell)
        self._bell = -1

    def _add(self) -> None:
        self._watch.add(vigil.BELL, self._bell)
        if self._post.fd >= 0:
            self._watch.add(vigil.POST, self._post.fd)

    def _remove(self) -> None:
        self._watch.remove(self._bell)
        if self._post.fd >= 0:
            self._watch.remove(self._post.fd)
