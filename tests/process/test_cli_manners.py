"""The manners of the command line: exit codes, sentences, and what a closed pipe does."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attendd import cli
from tests.process.box import Box, Reading

QUICK = (
    "argparse",
    "json",
    "msgspec",
    "typing",
    "pathlib",
    "sqlite3",
    "_sqlite3",
    "re",
    "enum",
)


@pytest.mark.parametrize(
    ("words", "sentence", "hint"),
    [
        (("stauts",), "there is no command 'stauts'", "did you mean `attend status`?"),
        (("\x1b[2Jq",), "there is no command", "`attend --help` lists the commands"),
        (("status", "--jsn"), "status: unknown option --jsn", "did you mean --json?"),
        (("log", "--snice=2h", "x"), "log: unknown option --snice", "did you mean --since?"),
        (("status", "now"), "status: 'now' is one word too many", "attend status --help"),
        (("log", "--since", "soon"), "log: --since: 'soon' is no duration", "90s, 15m, 2h or"),
        (("log", "--since", "9" * 11 + "d"), f"log: --since: '{'9' * 11}d' is too long", "7d"),
        (("why", "--last", "9" * 23), f"why: --last: '{'9' * 23}' is too large", "why --help"),
        (("whoami", "--as", ""), "whoami: --as: a name is needed, not ''", "whoami --help"),
        (("log", "--since"), "log: --since needs SPAN", "attend log --help"),
        (("status", "--json=1"), "status: --json takes no value", "attend status --help"),
        (
            ("why", "--now", "--silence"),
            "why: --silence and --now don't go together",
            "attend why --help",
        ),
        (("config", "lnit"), "config: there is no action 'lnit'", "`attend config lint`?"),
        (("config", "frob"), "config: there is no action 'frob'", "init, show, path or lint"),
        (("memory", "frob"), "memory: there is no action 'frob'", "attend memory --help"),
        (("memory", "forgte", "x"), "memory: there is no", "`attend memory forget`?"),
        (("service", "stauts"), "service: there is no", "`attend service status`?"),
        (("service", "frob"), "service: there is no action 'frob'", "install, uninstall, "),
        (("filter", "--format", "json"), "filter: there is no format", "`--format stream-json"),
        (("why", "--last", "0"), "why: --last: '0' is no number", "attend why --help"),
        (("why", "x", "--now"), "why: an ID is asked about by itself", "`attend why x`"),
        (("memory",), "memory: it needs ACTION", "memory --help"),
        (("config",), "config: it needs init, show, path or lint", "config --help"),
        (
            ("service",),
            "service: it needs install, uninstall, status, logs or restart",
            "--help",
        ),
        (("join",), "join: it needs NAME", "join --help"),
        (("help", "statuss"), "there is no command 'statuss'", "did you mean `attend status`?"),
    ],
)
def test_a_command_line_that_cannot_be_carried_out_is_one_sentence_and_a_hint(
    box: Box, words: tuple[str, ...], sentence: str, hint: str
) -> None:
    done = box.run(*words)
    said = done.stderr.splitlines()

    assert (done.returncode, done.stdout) == (2, "")
    assert said[0].startswith(f"attend: {sentence}")
    assert said[1].startswith("  hint: ")
    assert hint in said[1]
    assert len(said) == 2
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("mute", "juno", "--for", "3"),
        ("log", "--since", "3"),
        ("service", "logs", "--since", "3"),
    ],
    ids=" ".join,
)
def test_a_span_is_written_with_its_unit(box: Box, words: tuple[str, ...]) -> None:
    """Three what: whoever means minutes would find out when it is too late."""
    done = box.run(*words)
    said = done.stderr.splitlines()

    assert (done.returncode, done.stdout, len(said)) == (2, "", 2)
    assert said[0] == f"attend: {words[0]}: {words[-2]}: '3' has no unit"
    assert said[1] == "  hint: write 3s for seconds, 3m for minutes or 3h for hours"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--frob"], "unrecognized arguments: --frob"),
        (["--log-level=x"], "--log-level: invalid"),
    ],
)
def test_attendd_refuses_in_a_sentence_as_well(
    box: Box, words: list[str], sentence: str
) -> None:
    program = [sys.executable, "-P", "-m", "attendd.daemon", *words]
    done = subprocess.run(program, env=box.env, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()

    assert (done.returncode, done.stdout, len(said)) == (2, "", 2)
    assert said[0].startswith(f"attendd: {sentence}")
    assert said[1] == "  hint: `attendd --help` says what it takes"


@pytest.mark.parametrize("words", [(), ("--help",), ("help",), ("-h",)])
def test_the_help_lists_every_command(box: Box, words: tuple[str, ...]) -> None:
    done = box.run(*words)

    assert done.returncode == 0
    assert all(f"\n  {name} " in done.stdout for name in cli.COMMANDS)


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_explains_itself(box: Box, name: str) -> None:
    done = box.run(name, "--help")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: attend {name} ")


def test_the_version_is_said_at_the_price_of_a_bare_interpreter(box: Box) -> None:
    """It is the yardstick for other commands, so it must stay cheap: counted, not timed."""
    done = subprocess.run(
        [sys.executable, "-P", "-X", "importtime", "-m", "attendd", "--version"],
        env=box.env,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}

    assert done.stdout == f"attend {cli.VERSION}\n"
    assert not loaded & set(QUICK)


def test_a_hot_command_is_become(box: Box) -> None:
    """`python -m attendd` is the full program, and yet everything works through it."""
    assert box.run("hook", stdin=subprocess.DEVNULL).returncode == 0
    done = box.run("run", "--nonsense")

    assert done.returncode == 2
    assert "unknown option --nonsense" in done.stderr


def test_nobody_reading_is_no_failure_worth_a_word(box: Box) -> None:
    readable, writable = os.pipe()
    os.close(readable)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "attendd", "status"],
        env=box.env,
        stdout=writable,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writable)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_the_output_is_said(box: Box) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "attendd", "status"],
            env=box.env,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == b"attend: No space left on device: standard output\n"


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_no_harm(box: Box, closed: str) -> None:
    """No file of ours may get the number of standard output."""
    line = f'"$0" -P -m attendd whoami {closed}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], env=box.env, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_complaint_never_lands_on_standard_output(box: Box) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -P -m attendd bogus 2>&-', sys.executable],
        env=box.env,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")


def test_an_old_encoding_of_the_terminal_ends_nothing(box: Box) -> None:
    project = box.home / "grün"
    project.mkdir()
    done = box.run("whoami", env={"PYTHONIOENCODING": "ascii"}, cwd=project)

    assert done.returncode == 0
    assert "gr\\xfcn" in done.stdout


def test_an_interrupted_command_ends_without_a_word(box: Box) -> None:
    reading = Reading(
        subprocess.Popen(
            [sys.executable, "-P", "-m", "attendd", "demo"],
            env=box.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )
    try:
        reading.out.until("attend starts beside it")
        code = reading.kill(signal.SIGINT)
        said = reading.err.end()
    finally:
        reading.end()

    assert (code, said) == (130, [])


def test_what_is_for_programs_is_one_document(box: Box) -> None:
    for words in (
        ("status",),
        ("sensors",),
        ("whoami",),
        ("why",),
        ("log",),
        ("config", "show"),
    ):
        done = box.run(*words, "--json")

        assert isinstance(json.loads(done.stdout), dict), words
        assert done.returncode == 0, words


def test_nothing_is_coloured(box: Box) -> None:
    env = {"TERM": "xterm-256color", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}

    for words in (("status",), ("sensors",), ("whoami",), ("--help",), ("why", "--help")):
        assert "\x1b" not in box.run(*words, env=env).stdout, words


@pytest.mark.parametrize(
    "words",
    [
        ["send", "--to", "juno", "--help"], ["reply", "-h"], ["run", "--as=me", "--help"],
        ["statusline", "--help"], ["peers", "--all", "-h"], ["build", "--help"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_hot_command_explains_itself_as_all_the_others_do(
    box: Box, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Its own program knows no help: there is one text, which is in `docs/cli.md` as well."""
    monkeypatch.setenv("COLUMNS", "80")

    done = box.hot(*words, env={"COLUMNS": "80"})

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == cli.parser(words[0]).format_help()
