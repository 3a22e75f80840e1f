"""The files of the Claude Code plugin agree with each other and with the program."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from attendd import cli
from attendd.hot import hook

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
SCRIPTS = sorted((PLUGIN / "bin").iterdir())


def read(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((ROOT / name).read_text(encoding="utf-8"))
    return found


def test_the_plugin_has_the_version_of_the_program() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert read("plugin/.claude-plugin/plugin.json")["version"] == project["version"]


def test_the_market_offers_the_plugin_by_its_name_and_place() -> None:
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    offered = market["plugins"][0]

    assert (market["name"], offered["name"]) == ("attend", "attend")
    assert (ROOT / offered["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_hooks_name_a_program_that_is_there_and_a_limit_in_seconds() -> None:
    """A limit written in milliseconds would hold a prompt for an hour and more."""
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    entries = [hook for groups in hooks.values() for group in groups for hook in group["hooks"]]

    assert entries
    for entry in entries:
        program = Path(entry["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)))
        assert os.access(program, os.X_OK)
        assert isinstance(entry["args"], list)
        assert 0 < entry["timeout"] <= 10


def test_hooks_are_those_that_the_program_answers_each_once() -> None:
    hooks = json.loads((PLUGIN / "hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]

    assert set(hooks) == set(hook.HANDLERS)
    for groups in hooks.values():
        assert len(groups) == len(groups[0]["hooks"]) == 1
        assert groups[0]["hooks"][0]["args"] == ["hook"]
        assert "matcher" not in groups[0]


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
    assert named <= cli.COMMANDS.keys() - set(cli.TO_COME)


def test_the_skill_is_short() -> None:
    skill = (PLUGIN / "skills/attend/SKILL.md").read_text(encoding="utf-8")

    assert len(skill) <= 3300
