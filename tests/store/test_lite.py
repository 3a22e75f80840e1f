"""SQLite without functools, by either door, and what the hot programs pay for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from attendd.hot import db as hot
from tests.store import given

ROOT = Path(hot.__file__).parents[2]

WORKS = """
from attendd.hot import db
store = db.connect(sys.argv[1])
for _ in range(3):
    assert db.read(store, "SELECT count(*) FROM session") == [(0,)]
assert db.json_get('{"a": 1}', "$.a") == (1,)
store.close()
"""
BOTH_DOORS = {
    "private": ("", False),
    "no private functools": ("sys.modules['_functools'] = None", True),
    "stand-in refused": (
        """
class Refuses:
    def find_spec(self, name, path, target=None):
        functools = sys.modules.get("functools")
        if name == "_sqlite3" and functools and not hasattr(functools, "partial"):
            raise AttributeError("lru_cache")
sys.meta_path.insert(0, Refuses())
""",
        True,
    ),
}


@pytest.mark.parametrize("door", BOTH_DOORS)
def test_sqlite_is_reached_by_either_door(tmp_path: Path, door: str) -> None:
    """The private door may close with any release of Python; the public one stays."""
    before, public = BOTH_DOORS[door]
    code = f"""
import sys
sys.path.append({str(ROOT)!r})
{before}
{WORKS}
print("sqlite3" in sys.modules)
sys.modules.pop("_functools", None)
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Refuses"]
import functools
assert functools.partial(max, 1)(2) == 2
import sqlite3
sqlite3.connect(":memory:").execute("SELECT 1")
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(tmp_path / "attend.db")],
        capture_output=True,
        text=True,
        check=False,
        timeout=given.DEADLINE_S,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [str(public)]


def test_the_full_program_keeps_its_own_functools() -> None:
    """The host imports the hot part, too, before or after everything else."""
    code = f"""
import functools, sys
sys.path.append({str(ROOT)!r})
from attendd.hot import db
assert sys.modules["functools"] is functools
import sqlite3, collections, typing
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_hot_part_of_the_store_loads_nothing_slow(path: Path) -> None:
    """Counted in modules: a clock would make this test flaky."""
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    loaded = set(given.run("modules", path).split()) - set(bare)

    strange = {name for name in loaded if not name.startswith("attendd")}
    assert strange <= {"_functools", "_sqlite3", "_stat", "errno", "pwd", "select", "stat"}


def test_json_is_read_as_the_json_module_reads_it() -> None:
    text = '{"a": [1, {"b": true}], "c": "\\u00e4\\ud83d\\ude00", "d": null, "e": 1.5}'

    assert hot.json_get(text, "$.c", "$.e", "$.a[1].b", "$.d", "$.nope", "$.a") == (
        "ä😀",
        1.5,
        1,
        None,
        None,
        '[1,{"b":true}]',
    )


@pytest.mark.parametrize("text", ["", "nope", "{", "{'a': 1}", '{"a": 1,}', '"\ud800"', "\0"])
def test_what_is_not_json_is_none(text: str) -> None:
    assert hot.json_get(text, "$.a") is None


@for_all(
    st.dictionaries(
        st.from_regex(r"\A[a-z]{1,8}\Z"), st.text() | st.integers(-(2**63), 2**63 - 1)
    )
)
def test_flat_objects_come_back_whole(values: dict[str, str | int]) -> None:
    readable = {
        key: value
        for key, value in values.items()
        if not isinstance(value, str) or "\0" not in value  # SQLite ends a text there
    }

    found = hot.json_get(json.dumps(readable), *(f"$.{key}" for key in readable))

    assert found == tuple(readable.values())
