"""The program of the hot commands; runs as ``python -I -S …/attendd/hot/main.py COMMAND …``.

Python compiles a program anew at each start, so the launcher starts its compiled form in its
place. Nor does Python find our modules cheaply: it asks each folder on its path for each of
them, and keeps lists of what is in there. So the packages, whose own files are empty, are named
here, and modules of ours that have been compiled and not changed since are loaded from where
they lie, as are some of Python's own in C. In every other case nothing is found here, and
Python goes its own way.

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
_FOLDER = __file__.rpartition("/")[0].removesuffix("/__pycache__")
_SHARED = "/lib-dynload"
_IN_C = ("_sqlite3", "_socket")
_ENDING = f".{sys.implementation.cache_tag}.pyc"
_HEADER = 16
_LONGEST = 1 << 15

_read = bytearray(_LONGEST)
"""What was read last: memory that was never used before is dearer than a file."""


_held: "dict[str, int]" = {}
"""Open files with the compiled code of modules that are not loaded; see `Finder.hold`."""


class Finder:
    """Finds and loads modules of this package."""

    @staticmethod
    def hold(short: str) -> bool:
        """Keep a module ready as it is now: what is open stays whatever becomes of its name.

        Returns:
            False where it has to be loaded instead.
        """
        fd = _opened(short)
        if fd >= 0:
            _held[short] = fd
        return fd >= 0

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """Return how to load a module, or ``None``."""
        if not name.startswith(_PACKAGE):
            return _in_c(name) if name in _IN_C else None
        short = name[len(_PACKAGE) :]
        code = _compiled(short)
        if not code:
            return None
        spec = ModuleSpec(name, Finder(), origin=f"{_FOLDER}/{short}.py")  # type: ignore[arg-type]
        spec.has_location = True
        spec.loader_state = loads(code)  # noqa: S302 - as Python does
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
        code, spec.loader_state = spec.loader_state, None
        exec(code, vars(module))  # noqa: S102 - as Python does


def load(names: str) -> None:
    """Load modules one after another, without what an import does besides.

    Args:
        names: each after those that it imports. Where one can't be loaded so, or is missing
            here, the import that needs it finds it.
    """
    package = sys.modules[_PACKAGE[:-1]]
    for short in names.split():
        name = _PACKAGE + short
        code = b"" if name in sys.modules or sys.flags.optimize else _compiled(short)
        if not code:
            continue
        module = sys.modules[name] = type(sys)(name)
        module.__file__ = f"{_FOLDER}/{short}.py"
        module.__package__ = _PACKAGE[:-1]
        try:
            exec(loads(code), vars(module))  # noqa: S102, S302 - as above
        except BaseException:
            del sys.modules[name]
            raise
        setattr(package, short, module)


def start() -> None:
    """Run the command that the program was started with; never returns."""
    above = _FOLDER.rpartition("/")[0]
    sys.path.append(above.rpartition("/")[0] or "/")
    for name, folder in (("attendd", above), ("attendd.hot", _FOLDER)):
        package = sys.modules[name] = type(sys)(name)
        package.__path__ = [folder]
    sys.modules["attendd"].hot = package  # type: ignore[attr-defined]
    if not sys.flags.optimize:
        sys.meta_path.insert(0, Finder)
    if not __file__.endswith(_ENDING) and posix.access(_FOLDER, posix.W_OK):
        __import__("attendd.hot.main")  # so that Python keeps its compiled form
    load("commands")
    from attendd.hot import commands

    commands.start(sys.argv[1:], load)


def _compiled(short: str) -> "bytes | memoryview":
    """Read a module's compiled code; nothing if there is none, or it is not up to date."""
    if short in _held:
        return posix.pread(_held[short], _LONGEST, _HEADER)
    fd = _opened(short)
    if fd < 0:
        return b""
    try:
        size = posix.readv(fd, (_read,))
    finally:
        posix.close(fd)
    return memoryview(_read)[:size]


def _opened(short: str) -> int:
    """Open a module's compiled code behind its header; -1 if there is none, or an old one."""
    try:
        source = posix.stat(f"{_FOLDER}/{short}.py")
        fd = posix.open(f"{_FOLDER}/__pycache__/{short}{_ENDING}", posix.O_RDONLY)
    except OSError:
        return -1
    stamp = int(source.st_mtime) & 0xFFFFFFFF | (source.st_size & 0xFFFFFFFF) << 32
    header = MAGIC_NUMBER + b"\0\0\0\0" + stamp.to_bytes(8, "little")
    if posix.read(fd, _HEADER) == header and posix.fstat(fd).st_size < _LONGEST:
        return fd
    posix.close(fd)
    return -1


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


if __name__ == "__main__":
    start()
