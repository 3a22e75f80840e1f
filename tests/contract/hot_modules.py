"""Which modules a hot command may load, and which it does."""

import subprocess
import sys

from tests.process.box import DEADLINE_S, HOT, Box

# What is written in C and costs next to nothing, and `stat`, which is constants.
CHEAP = {"posix", "sys", "time", "errno", "pwd", "stat", "_stat", "fcntl", "select"}
CHEAP |= {"unicodedata", "encodings.utf_16_le", "_signal", "_socket", "gc"}
# What reads our own compiled modules.
COMPILED = {"_frozen_importlib_external", "_frozen_importlib", "marshal", "gc"}
# SQLite's own module, with what it really needs in place of all of functools.
SQLITE = {"_sqlite3", "_functools"}
# All that `attend send` needs of ours.
SENDING = {
    "commands", "main", "ids", "address", "lite", "db", "folders", "places", "process",
    "record", "identity", "moment", "persona", "who", "post", "send",
}  # fmt: skip
# All that a hook needs to see that nothing waits, and to say what does.
LOOKING = {"commands", "main", "hook", "lite", "db", "folders", "places", "turn"}
TELLING = LOOKING | {
    "attach", "bell", "fate", "frame", "hooked", "identity", "ids", "ledger", "letter", "mail",
    "moment", "offer", "once", "pace", "process", "record", "roll", "wishes",
}  # fmt: skip
# All that a hook needs besides to see that of memory there is nothing to say.
RECALLING = LOOKING | {
    "choose", "memory_session", "memory_settings", "recall", "terms",
}  # fmt: skip
# A reader lives for hours, so it may start a millisecond later.
COMFORT = {"os", "posixpath", "genericpath", "_collections_abc"}


TELL = """
import posix, sys
leave = posix._exit
def tell(code):
    posix.write(2, ("\\nmodules: " + " ".join(sys.modules)).encode())
    leave(code)
posix._exit = tell
sys.argv[:] = sys.argv[1:]
if sys.argv:
    fd = posix.open(sys.argv[0], posix.O_RDONLY)
    main = compile(posix.read(fd, 1 << 20), sys.argv[0], "exec")
    exec(main, {"__name__": "__main__", "__file__": sys.argv[0]})
tell(0)
"""


def loaded(box: Box, *words: str, stdin: str = "") -> set[str]:
    """Return the modules that a program has in it when it leaves, as it tells itself."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", TELL, *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        env=box.env,
        cwd=box.home,
    )
    return set(done.stderr.rpartition("\nmodules: ")[2].split())


def brought_in(box: Box, *words: str, stdin: str = "") -> tuple[set[str], set[str]]:
    """Return what a hot command loads beyond a bare interpreter: of ours, and of others."""
    bare = loaded(box)
    assert "posix" in bare, "the interpreter tells what it has in it"
    found = loaded(box, str(HOT), *words, stdin=stdin) - bare
    ours = {name for name in found if name.partition(".")[0] == "attendd"}
    assert ours or not words
    return {name.removeprefix("attendd.hot.") for name in ours} - {"attendd", "attendd.hot"}, (
        found - ours
    )
