"""The files of the Claude Code plugin agree with each other and with the program."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from attendd import cli
from attendd.hot import hook

ROOT = Path(__file__).resolve().parents[2]
PLUGIN, DISPLAY = ROOT / "plugin", ROOT / "plugin-memory"
PLUGINS = pytest.mark.parametrize("plugin", [PLUGIN, DISPLAY], ids=lambda path: path.name)
SCRIPTS = sorted((PLUGIN / "bin").iterdir())


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / name).read_text(encoding="utf-8"))
    return found


def hooks(plugin: Path) -> dict[str, Any]:
    found: dict[str, Any] = read(f"{plugin.name}/hooks/hooks.json")["hooks"]
    return found


@PLUGINS
def test_a_plugin_has_the_version_of_the_program(plugin: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert read(f"{plugin.name}/.claude-plugin/plugin.json")["version"] == project["version"]


def test_the_market_offers_the_plugins_by_name_and_place() -> None:
    market = read(".claude-plugin/marketplace.json")

    assert market["name"] == "attend"
    assert [each["name"] for each in market["plugins"]] == ["attend", "attend-memory"]
    for each in market["plugins"]:
        manifest = read(f"{each['source']}/.claude-plugin/plugin.json")
        assert manifest["name"] == each["name"]


@PLUGINS
def test_hooks_name_a_program_that_is_there_and_a_limit_in_seconds(plugin: Path) -> None:
    """A limit written in milliseconds would hold a prompt for an hour and more."""
    groups = [group for groups in hooks(plugin).values() for group in groups]
    entries = [hook for group in groups for hook in group["hooks"]]

    assert entries
    for entry in entries:
        program = Path(entry["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(plugin)))
        assert os.access(program, os.X_OK)
        assert isinstance(entry["args"], list)
        assert 0 < entry["timeout"] <= 10


def test_hooks_are_those_that_the_program_answers_each_once() -> None:
    named = [*hooks(PLUGIN).items(), *hooks(DISPLAY).items()]

    assert sorted(name for name, _ in named) == sorted(hook.HANDLERS)
    for _, groups in named:
        assert len(groups) == len(groups[0]["hooks"]) == 1
        assert groups[0]["hooks"][0]["args"] == ["hook"]
        assert "matcher" not in groups[0]


def test_what_makes_text_appear_by_lines_is_a_plugin_of_its_own() -> None:
    """Whoever has no memory is not to pay for it, and nothing of it stands on their path."""
    assert set(hooks(DISPLAY)) == {"MessageDisplay"}
    assert not (DISPLAY / "bin").exists()
    for text in (
        read("plugin-memory/.claude-plugin/plugin.json"),
        read("plugin-memory/hooks/hooks.json"),
    ):
        assert "line by line" in str(text["description"])


def test_the_monitor_is_armed_always_and_by_a_quoted_path() -> None:
    monitors = json.loads((PLUGIN / "monitors/monitors.json").read_text(encoding="utf-8"))

    assert [one["when"] for one in monitors] == ["always"]
    assert monitors[0]["command"] == 'exec "${CLAUDE_PLUGIN_ROOT}/bin/attend-run"'


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_plain_sh_and_executable(script: Path) -> None:
    assert script.read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", str(script)], check=True)


def test_the_skill_grants_commands_one_by_one() -> None:
    """A rule for attend as a whole would let an agent configure and remove it."""
    skill = (PLUGIN / "skills/attend/SKILL.md").read_text(encoding="utf-8")
    _, head, body = skill.split("---\n", 2)
    granted = re.findall(r"Bash\((.*?)\)", head)

    assert granted
    assert all(re.fullmatch(r"attend [a-z]+:\*", rule) for rule in granted)
    assert set(granted) == set(re.findall(r"`Bash\((attend [a-z]+:\*)\)`", body))


def test_the_skill_names_commands_that_are_there() -> None:
    skill = (PLUGIN / "skills/attend/SKILL.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`attend ([a-z]+)", skill))
    granted = set(re.findall(r"Bash\(attend ([a-z]+):", skill))

    assert {"run", "status", "why", "context", "whoami", "reply", "inbox"} <= named
    assert granted <= named
    assert named <= cli.COMMANDS.keys()


def test_the_skill_is_short() -> None:
    skill = (PLUGIN / "skills/attend/SKILL.md").read_text(encoding="utf-8")

    assert len(skill) <= 3300
