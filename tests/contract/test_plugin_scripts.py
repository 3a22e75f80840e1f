"""The scripts of the Claude Code plugin: they find the installed program, or wait for it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
HEADER = "[attend sensor=attend priority=low] "
SESSION = "0a0a0a0a-0000-4000-8000-000000000000"


class Home:
    """A home without attend, a copy of the plugin, and a `sleep` that waits for the test.

    Attributes:
        asleep: a pipe; each sleep writes a line into it when it begins.
        clock: a pipe; a line written into it ends the sleep that has begun.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugin = root / "a clone" / "plugin"
        shutil.copytree(PLUGIN, self.plugin)
        self.tools = root / "tools"
        self.tools.mkdir()
        self.asleep, self.clock = root / "asleep", root / "clock"
        os.mkfifo(self.asleep)
        os.mkfifo(self.clock)
        waits = f'echo > "{self.asleep}"; read -r _ < "{self.clock}"'
        self.program(self.tools / "sleep", waits)
        self.environment = {"HOME": str(root), "PATH": f"{self.tools}:/usr/bin:/bin"}
        self.children: list[subprocess.Popen[str]] = []

    def program(self, path: Path, body: str = 'echo "found $*, as $$"') -> Path:
        """Write a program, by default one that tells how it was called."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.with_suffix(".new").chmod(0o755)
        path.with_suffix(".new").rename(path)
        return path

    def start(self, script: str, *words: str, **environment: str) -> subprocess.Popen[str]:
        """Start a script of the plugin."""
        child = subprocess.Popen(
            [str(self.plugin / "bin" / script), *words],
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.children.append(child)
        return child

    def wait_pause(self) -> None:
        """Wait until the script sleeps."""
        with self.asleep.open() as asleep:
            asleep.readline()

    def pass_pause(self) -> None:
        """Wait until the script sleeps, and end that sleep."""
        self.wait_pause()
        self.end_pause()

    def end_pause(self) -> None:
        """End the sleep that has begun."""
        with self.clock.open("w") as clock:
            clock.write("\n")

    def transcript(self) -> Path:
        """Let the session have had its first prompt."""
        path = self.root / ".claude" / "projects" / "-a-project" / f"{SESSION}.jsonl"
        path.parent.mkdir(parents=True)
        path.touch()
        return path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    for child in made.children:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # with the sleep of a script that was killed
        child.communicate()


def output(child: subprocess.Popen[str]) -> tuple[str, str]:
    return child.communicate(timeout=20)


# -- where attend is installed --

PLACES = {
    "path": "tools/attend",
    "local": ".local/bin/attend",
    "uv": ".local/share/uv/tools/attendd/bin/attend",
    "pipx": ".local/share/pipx/venvs/attendd/bin/attend",
    "older-pipx": ".local/pipx/venvs/attendd/bin/attend",
    "clone": "a clone/.venv/bin/attend",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_an_installed_attend_is_found_and_takes_the_place_of_the_script(
    home: Home, place: str
) -> None:
    home.program(home.root / place)

    child = home.start("attend-run")

    assert output(child) == (f"found run, as {child.pid}\n", "")


def test_the_plugins_own_folder_on_the_path_is_passed_over(home: Home) -> None:
    """The client puts it there; to take it for an installation would never end."""
    home.program(home.root / ".local/bin/attend")

    child = home.start("attend", "status", PATH=f"{home.plugin}/bin:{home.environment['PATH']}")

    assert output(child) == (f"found status, as {child.pid}\n", "")


def test_the_monitors_command_survives_blanks_in_its_path(home: Home) -> None:
    home.program(home.tools / "attend")
    command = json.loads((PLUGIN / "monitors/monitors.json").read_text(encoding="utf-8"))[0][
        "command"
    ]
    filled = command.replace("${CLAUDE_PLUGIN_ROOT}", str(home.plugin))

    done = subprocess.run(
        ["sh", "-c", 'eval "$1"', "sh", filled],
        env=home.environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("found run")


# -- where it is not --


def test_a_hook_without_attend_is_silent(home: Home) -> None:
    child = home.start("attend", "hook")

    assert output(child) == ("", "")
    assert child.returncode == 0


def test_a_command_without_attend_names_the_installation(home: Home) -> None:
    child = home.start("attend", "status")

    assert output(child) == (
        "",
        "attend: the program is not installed\n  hint: pipx install /path/to/the/clone\n",
    )
    assert child.returncode == 127


def test_a_monitor_without_attend_says_so_once_and_starts_it_when_it_comes(home: Home) -> None:
    """The client arms a monitor once: an end here would last as long as the session."""
    child = home.start("attend-run")
    home.pass_pause()
    home.pass_pause()
    home.wait_pause()
    home.program(home.root / ".local/bin/attend")
    home.end_pause()

    said, complaints = output(child)

    first, second = said.splitlines()
    assert first.startswith(HEADER)
    assert "'pipx install /path/to/the/clone'" in first
    assert second == f"found run, as {child.pid}"
    assert complaints == ""


def test_a_session_without_a_prompt_is_not_woken_to_hear_of_it(home: Home) -> None:
    child = home.start("attend-run", CLAUDE_CODE_SESSION_ID=SESSION)
    home.pass_pause()
    home.wait_pause()

    child.terminate()

    assert output(child) == ("", "")


def test_it_is_said_after_the_first_prompt(home: Home) -> None:
    child = home.start("attend-run", CLAUDE_CODE_SESSION_ID=SESSION)
    home.wait_pause()
    home.transcript()
    home.end_pause()
    home.pass_pause()
    home.wait_pause()

    child.terminate()

    assert output(child)[0].count(HEADER) == 1


def test_a_clone_is_named_as_the_source_of_the_installation(home: Home) -> None:
    clone = home.root / "clone"
    (home.root / "a clone").rename(clone)
    home.plugin = clone / "plugin"
    (clone / "pyproject.toml").touch()

    child = home.start("attend", "status")

    assert output(child)[1].endswith(f"hint: pipx install {clone}\n")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_waiting_script_ends_at_once_and_takes_its_sleep_along(home: Home, sign: int) -> None:
    child = home.start("attend-run", CLAUDE_CODE_SESSION_ID=SESSION)
    home.wait_pause()
    child.send_signal(sign)

    assert output(child) == ("", "")
    assert child.returncode == 0


def test_a_waiting_script_ends_when_its_client_is_gone(home: Home) -> None:
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    child = home.start("attend-run", CLAUDE_PID=str(client.pid), CLAUDE_CODE_SESSION_ID=SESSION)
    home.pass_pause()
    home.wait_pause()
    client.communicate(b"\n")
    home.end_pause()

    assert output(child) == ("", "")


def test_a_client_in_another_namespace_is_unknown_and_not_gone(home: Home) -> None:
    """A process cannot be seen from everywhere, so not to see it proves nothing."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    child = home.start("attend-run", CLAUDE_PID=str(gone.pid), CLAUDE_CODE_SESSION_ID=SESSION)
    home.pass_pause()
    home.wait_pause()
    home.program(home.root / ".local/bin/attend")
    home.end_pause()

    assert output(child)[0].startswith("found run")
