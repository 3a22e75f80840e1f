"""Finds our own compiled modules, and SQLite's, at a third of the price.

Python asks each folder on its path for each module, and keeps lists of what is in them, which a
program of a few milliseconds has no use for. This does what is left where a module of ours has
been compiled and not changed since, or one of Python's own in C lies where those lie. In every
other case it finds nothing, and Python goes its own way.

Source:
    The layout of compiled files with time stamps, of PEP 552.
"""

import _imp
import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, ExtensionFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = "attendd.hot."
_FOLDER = __file__.rpartition("/")[0]
_SHARED = "/lib-dynload"
_IN_C = ("_sqlite3", "_socket")
_ENDING = f".{sys.implementation.cache_tag}.pyc"
_HEADER = 16
_LIMIT = 1 << 16


class Finder:
    """Finds and loads modules of this package."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return how to load a module, or ``None``."""
        if not name.startswith(_PACKAGE):
            return _in_c(name) if name in _IN_C else None
        short = name[len(_PACKAGE) :]
        data = _compiled(short)
        if not data:
            return None
        spec = ModuleSpec(name, Finder(), origin=f"{_FOLDER}/{short}.py")  # type: ignore[arg-type]
        spec.has_location = True
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


def _compiled(short: str) -> bytes:
    """Read a module's compiled form; nothing if there is none, or it is not up to date."""
    try:
        source = posix.stat(f"{_FOLDER}/{short}.py")
        fd = posix.open(f"{_FOLDER}/__pycache__/{short}{_ENDING}", posix.O_RDONLY)
    except OSError:
        return b""
    try:
        data = posix.read(fd, _LIMIT)
    finally:
        posix.close(fd)
    stamp = int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF
    header = MAGIC_NUMBER + b"\0\0\0\0" + b"".join(n.to_bytes(4, "little") for n in stamp)
    return data if data[:_HEADER] == header and len(data) < _LIMIT else b""


def _in_c(name: str) -> ModuleSpec | None:
    for folder in sys.path:
        if folder.endswith(_SHARED):
            path = f"{folder}/{name}{_imp.extension_suffixes()[0]}"
            try:
                posix.stat(path)
            except OSError:
                return None
            return ModuleSpec(name, ExtensionFileLoader(name, path), origin=path)
    return None


def install() -> None:
    """Ask here first for the modules of this package."""
    if not sys.flags.optimize and Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


def load(names: str) -> None:
    """Load modules one after another, without what an import does besides.

    Args:
        names: each after those that it imports. Where one can't be loaded so, or is missing
            here, the import that needs it finds it.
    """
    package = sys.modules[_PACKAGE[:-1]]
    for short in names.split():
        name = _PACKAGE + short
        data = b"" if name in sys.modules or sys.flags.optimize else _compiled(short)
        if not data:
            continue
        module = sys.modules[name] = type(sys)(name)
        module.__file__ = f"{_FOLDER}/{short}.py"
        module.__package__ = _PACKAGE[:-1]
        try:
            exec(loads(memoryview(data)[_HEADER:]), vars(module))  # noqa: S102, S302 - as above
        except BaseException:
            del sys.modules[name]
            raise
        setattr(package, short, module)
