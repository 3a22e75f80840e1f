"""How sensors and the host fare, written down only where it has changed."""

from collections.abc import Iterable

import msgspec

from attendd.hot import remark
from attendd.store.link import Link
from attendd.store.rows import Health, columns, rows

LISTENER = "listener:"
"""With the name of a plugin behind it, what is said of the host is about that plugin."""
_REFRESH_S = 60.0
"""Times of polls that are all that changed are written this seldom."""


class HealthBoard:
    """Health of sensors. Every method can raise `attendd.errors.StoreError`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._written: dict[tuple[str, str], Health] = {}
        self._opening = link.openings

    def put(self, health: Iterable[Health]) -> int:
        """Write down how sensors fare, in one transaction; nothing where nothing changed.

        Returns:
            How many rows were written.
        """
        if (
            self._opening != self._link.openings
        ):  # another file, in which nothing is written yet
            self._opening = self._link.openings
            self._written.clear()
        changed = [row for row in health if self._tells_more(row)]
        if not changed:
            return 0
        marks = ", ".join("?" * len(Health.__struct_fields__))
        sql = f"INSERT OR REPLACE INTO health ({columns(Health)}) VALUES ({marks})"
        values = [msgspec.structs.astuple(row) for row in changed]
        self._link.write(lambda db: db.executemany(sql, values))
        self._written.update(((row.attachment, row.sensor), row) for row in changed)
        return len(changed)

    def keep(self, attachment: str, sensors: Iterable[str]) -> None:
        """Forget the sensors of an attachment that it has no more."""
        names = set(sensors)
        gone = [row.sensor for row in self.of(attachment) if row.sensor not in names]
        for sensor in gone:
            self._written.pop((attachment, sensor), None)
        if gone:
            sql = "DELETE FROM health WHERE attachment = ? AND sensor = ?"
            doomed = [(attachment, sensor) for sensor in gone]
            self._link.write(lambda db: db.executemany(sql, doomed))

    def of(self, attachment: str) -> list[Health]:
        """Return how the sensors of an attachment fare, by name."""
        sql = f"SELECT {columns(Health)} FROM health WHERE attachment = ? ORDER BY sensor"
        return rows(Health, self._link.read(sql, (attachment,)))

    def say(self, about: str, text: str, wall: float) -> None:
        """Write down what is the matter with the host; nothing any more where it is empty."""
        self._link.call(lambda db: remark.keep(db, about, text, wall))

    def of_listeners(self) -> dict[str, str]:
        """Return what is the matter with plugins that listen, by their names."""
        return {
            about.removeprefix(LISTENER): text
            for about, (_, text) in sorted(self.of_host().items())
            if about.startswith(LISTENER)
        }

    def of_host(self) -> dict[str, tuple[float, str]]:
        """Return what is the matter with the host, and since when (wall), by what about."""
        found = self._link.read("SELECT key, value FROM meta WHERE key GLOB 'host:*'")
        parts = {str(key).partition(":")[2]: str(value).partition(" ") for key, value in found}
        return {about: (float(at), text) for about, (at, _, text) in parts.items()}

    def _tells_more(self, row: Health) -> bool:
        known = self._written.get((row.attachment, row.sensor))
        if known is None:
            return True
        if _without_times(row) != _without_times(known):
            return True
        age = (row.polled_at or 0.0) - (known.polled_at or 0.0)
        return not 0.0 <= age < _REFRESH_S


def _without_times(row: Health) -> Health:
    return msgspec.structs.replace(row, polled_at=None, next_at=None)
