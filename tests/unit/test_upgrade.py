"""When newer code is noticed, tried, taken and refused; the programs tried are real ones."""

import math
import os
import py_compile
from pathlib import Path

import pytest

from attendd.host import newer
from attendd.hot import become, upgrade
from tests.process.reading import eventually


class Code:
    """A folder of code, and what became of the newer code in it.

    Attributes:
        folder: where it lies.
        script: what its trial does; empty: there is nothing to be tried.
        told: what was said.
        upgrade: watches over it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = "exit 0"
        self.told: list[str] = []
        self.upgrade = upgrade.Upgrade(self._command, self.told.append, [str(folder)])

    def _command(self) -> list[str]:
        return ["/bin/sh", "-c", self.script] if self.script else []

    def change(self) -> None:
        """Replace a file, as installers do, in another tick of the file system's clock."""
        before = self.folder.stat().st_mtime_ns
        fresh = self.folder / "fresh"
        fresh.touch()
        fresh.replace(self.folder / "file")
        if self.folder.stat().st_mtime_ns == before:
            os.utime(self.folder, ns=(before, before + 1_000_000))

    def judged(self) -> None:
        """Look until the newer code is taken or refused."""
        eventually(lambda: self.upgrade.look() in (0.0, math.inf))


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Code:
    """Code that counts as whole at once."""
    monkeypatch.setattr(upgrade, "SETTLE_S", 0.0)
    folder = tmp_path / "hot"
    folder.mkdir()
    return Code(folder)


def test_nothing_is_looked_for_again_while_nothing_changes(code: Code) -> None:
    assert code.upgrade.look() == math.inf
    assert not code.upgrade.is_other()
    assert not code.upgrade.ready


def test_code_that_is_compiled_later_is_no_newer_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(become, "STEP_UP", f"{tmp_path}/step_up.py")
    module = tmp_path / "cli" / "__init__.py"
    module.parent.mkdir()
    module.touch()
    code = newer.watch()

    py_compile.compile(str(module))

    assert not code.is_other()


def test_code_is_only_tried_once_it_has_stood_still(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "SETTLE_S", 3600.0)
    code.change()

    assert code.upgrade.look() == pytest.approx(3600, abs=1)
    code.change()
    assert code.upgrade.look() == pytest.approx(3600, abs=1)
    assert code.upgrade.is_other()
    assert code.told == []


def test_what_passes_its_trial_is_ready_and_nothing_is_the_matter(code: Code) -> None:
    code.change()
    code.judged()

    assert code.upgrade.ready
    assert code.told == [""]
    assert code.upgrade.look() == math.inf


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'a trace'; echo 'ImportError: no' >&2; exit 1", "ImportError: no"),
        ("exit 3", "it ended with 3"),
        ("kill -9 $$", "it ended with -9"),
        ("printf 'one\\ntwo\\n\\n' >&2; exit 1", "two"),
    ],
)
def test_what_fails_is_told_once_and_tried_again_when_it_changes(
    code: Code, script: str, why: str
) -> None:
    code.script = script
    code.change()
    code.judged()
    assert code.upgrade.look() == math.inf
    code.change()
    code.judged()

    assert not code.upgrade.ready
    assert code.told == [f"the attend that is installed now does not start ({why})"]
    code.script = "exit 0"
    code.change()
    code.judged()
    assert code.upgrade.ready
    assert code.told[1:] == [""]


def test_what_failed_for_another_reason_is_tried_again_after_a_while(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "AGAIN_S", 0.0)
    code.script = "exit 1"
    code.change()
    eventually(lambda: bool(code.upgrade.look() and code.told))

    code.script = "exit 0"
    eventually(lambda: code.upgrade.look() >= 0 and code.upgrade.ready)


def test_a_trial_that_hangs_is_ended(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade, "TRIAL_S", 0.0)
    code.script = "exec sleep 3600"
    code.change()
    code.judged()

    assert code.told == [
        "the attend that is installed now does not start (it did not answer within 0 s)"
    ]


def test_code_that_is_gone_is_waited_for(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    code.folder.rmdir()
    assert 29 < code.upgrade.look() <= upgrade.GONE_S
    assert code.upgrade.is_other()
    monkeypatch.setattr(upgrade, "GONE_S", 0.0)
    code.script = ""

    assert code.upgrade.look() == math.inf
    assert code.told == []
    code.folder.mkdir()
    code.script = "exit 0"
    code.judged()
    assert code.upgrade.ready


def test_files_that_are_watched_besides_count_as_they_are_when_they_are_named(
    code: Code, tmp_path: Path
) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.touch()
    code.upgrade.also([str(plugin)])
    assert code.upgrade.look() == math.inf

    fresh = tmp_path / "new"
    fresh.touch()
    fresh.replace(plugin)

    assert code.upgrade.is_other()
    code.judged()
    assert code.upgrade.ready
