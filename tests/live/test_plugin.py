"""The client's own judgement of the plugin, and the plugin without the program."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.live.box import ROOT, eventually, throw_away
from tests.live.scene import SOON_S, Scene, Setting, install

NOBODY = "http://127.0.0.1:9"
WITHOUT = "attend's program was not found"


@pytest.mark.parametrize("path", ["plugin", "plugin-memory", "."])
def test_the_client_finds_nothing_to_complain_about(claude: Path, path: str) -> None:
    with throw_away(NOBODY) as box:
        done = box.run(
            str(claude), "plugin", "validate", "--strict", str(ROOT / path), check=False
        )

    assert done.returncode == 0, done.stdout


def test_two_commands_install_the_plugin_from_a_clone(claude: Path) -> None:
    with throw_away(NOBODY) as box:
        install(claude, box)

        settings = json.loads((box.client_dir / "settings.json").read_text(encoding="utf-8"))

    assert settings["enabledPlugins"] == {"attend@attend": True}


def test_a_session_without_the_program_hears_of_it_once_and_gets_it_when_it_comes(
    start: Callable[[Setting], AbstractContextManager[Scene]],
) -> None:
    """Not before its first prompt, because every line wakes it."""
    with start(Setting(plugin="copied")) as scene:
        program = scene.box.programs / "attend"
        assert eventually(lambda: waits(scene), SOON_S), scene.state()
        assert scene.api.asked() == []

        scene.prompt("hello there")
        told = scene.await_asked(lambda one: WITHOUT in one.news())
        program.parent.mkdir()
        program.symlink_to(stand_in(scene.box.root))
        assert eventually(lambda: not waits(scene), SOON_S), scene.state()
        after = scene.await_asked(lambda one: "found run" in one.news())

        assert told.number > 1
        assert after.whole().count(WITHOUT) == 1
        assert "SessionStart hook" not in after.whole()


def waits(scene: Scene) -> bool:
    return any("attend-run" in line for line in scene.box.processes().values())


def stand_in(folder: Path) -> Path:
    program = folder / "stand-in"
    program.write_text("#!/bin/sh\necho found $1\nexec sleep 1000\n", encoding="utf-8")
    program.chmod(0o755)
    return program
