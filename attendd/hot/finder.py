"""Finds our own compiled modules at a third of the price.

Python asks each folder on its path for each module, and keeps lists of what is in them, which a
program of a few milliseconds has no use for. This does what is left where a module of ours has
been compiled and not changed since. In every other case it finds nothing, and Python goes its
own way.

Source:
    The layout of compiled files with time stamps, of PEP 552.
"""

import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = "attendd.hot."
_FOLDER = __file__.rpartition("/")[0]
_HEADER = 16
_LIMIT = 1 << 16


class Finder:
    """Finds and loads modules of this package."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return how to load a module, or ``None``."""
        if not name.startswith(_PACKAGE):
            return None
        short = name[len(_PACKAGE) :]
        path = f"{_FOLDER}/{short}.py"
        cached = f"{_FOLDER}/__pycache__/{short}.{sys.implementation.cache_tag}.pyc"
        try:
            source = posix.stat(path)
            fd = posix.open(cached, posix.O_RDONLY | posix.O_CLOEXEC)
        except OSError:
            return None
        try:
            data = posix.read(fd, _LIMIT)
        finally:
            posix.close(fd)
        stamp = int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF
        header = MAGIC_NUMBER + b"\0\0\0\0" + b"".join(n.to_bytes(4, "little") for n in stamp)
        if data[:_HEADER] != header or len(data) == _LIMIT:
            return None
        spec = ModuleSpec(name, Finder(), origin=path)  # type: ignore[arg-type]
        spec.has_location = True
        spec.cached = cached
        spec.loader_state = data
        return spec

    def load_module(self, name: str) -> "ModuleType":
        """See `exec_module`; this is an older way, which nobody goes."""
        raise ImportError(name)

    def create_module(self, _spec: object) -> None:
        """Leave the making to Python."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run a module's code."""
        spec = module.__spec__
        assert spec is not None  # noqa: S101 - the spec of `find_spec`
        code = loads(memoryview(spec.loader_state)[_HEADER:])  # noqa: S302 - as Python does
        spec.loader_state = None
        exec(code, vars(module))  # noqa: S102 - as Python does


def install() -> None:
    """Ask here first for the modules of this package."""
    if not sys.flags.optimize and Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
