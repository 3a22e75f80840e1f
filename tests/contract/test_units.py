"""The units: systemd has nothing to say against them, and they keep the service in bounds."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from attendd import cli
from attendd.cli import manager, service, units
from attendd.errors import AttendError
from attendd.hot import places

ROOT = Path(__file__).parents[2]
EXPOSURE = 6.0
"""What `systemd-analyze security` may come to; the units say what keeps it from being less."""

analyzes = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze(1)"
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    for name in ("ATTEND_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(places, "NAME_ROOM", -1000)  # the folder of a test is long
    (tmp_path / "run").mkdir(mode=0o700)
    return tmp_path


def analyzed(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    line = ["systemd-analyze", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def written(folder: Path) -> list[Path]:
    """Write the units as they would be installed here."""
    folder.mkdir(exist_ok=True)
    for name, text in units.filled().items():
        (folder / name).write_text(text)
    return [folder / name for name in units.NAMES]


@analyzes
@pytest.mark.parametrize("manager_option", [[], ["--user"]], ids=["system", "user"])
def test_systemd_has_nothing_to_say_against_them(home: Path, manager_option: list[str]) -> None:
    """An unknown key is only a warning there, so nothing at all may be printed."""
    carried = [ROOT / "systemd" / name for name in units.NAMES]
    for files in (carried, written(home / "units")):
        done = analyzed("verify", *manager_option, *files)

        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@analyzes
def test_the_service_is_kept_in_stated_bounds(home: Path) -> None:
    *_, file = written(home / "units")
    words = ("security", "--user", "--offline=true", "--no-pager")
    found = analyzed(*words, f"--threshold={EXPOSURE * 10:.0f}", file)
    if "--offline" in found.stderr:
        pytest.skip("this systemd-analyze can't look at a file")

    assert found.returncode == 0, found.stdout[-200:]
    checks = json.loads(analyzed(*words, "--json=short", file).stdout)
    met = {check["name"] for check in checks if check["set"]}
    assert {
        "NoNewPrivileges=",
        "RestrictNamespaces=~user",
        "RestrictAddressFamilies=~AF_(INET|INET6)",
        "SystemCallFilter=~@privileged",
        "SystemCallArchitectures=",
        "LockPersonality=",
        "UMask=",
    } <= met


def test_what_is_installed_starts_the_installed_program_in_this_shells_surroundings(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "b%n").mkdir()
    monkeypatch.setenv("PATH", f"relative:{home}/b%n:/nowhere:/usr/bin:/usr/bin")
    monkeypatch.setenv("XDG_STATE_HOME", f'{home}/a "b" \\c')
    filled = units.filled()

    lines = filled[units.SERVICE].splitlines()
    assert f'ExecStart="{units.program()}"' in lines
    assert f'Environment="PATH={home}/b%%n:/usr/bin"' in lines
    assert f'Environment="XDG_STATE_HOME={home}/a \\"b\\" \\\\c"' in lines
    assert [line for line in lines if "ATTEND_HOME" in line] == []
    assert filled[units.SOCKET] == (ROOT / "systemd" / units.SOCKET).read_text()


def test_where_attend_lives_elsewhere_the_socket_does_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTEND_HOME", "/tmp/attend-100%")  # noqa: S108 - nothing is made there
    try:
        filled = units.filled()
    finally:
        shutil.rmtree("/tmp/attend-100%")  # noqa: S108 - but its folder for sockets

    assert "ListenStream=/tmp/attend-100%%/run/service.sock\n" in filled[units.SOCKET]
    assert 'Environment="ATTEND_HOME=/tmp/attend-100%%"\n' in filled[units.SERVICE]


def test_a_unit_in_another_encoding_is_written_anew(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    units.folder().mkdir(parents=True)
    for name in units.NAMES:
        (units.folder() / name).write_bytes("# für mich\n".encode("latin-1"))
    outdated = service._outdated()  # noqa: SLF001 - its command needs a systemd that runs
    service._write(units.filled())  # noqa: SLF001

    assert outdated == list(units.NAMES)
    assert service._outdated() == []  # noqa: SLF001


def test_what_could_end_a_line_of_a_unit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/x\nExecStart=/bin/sh")

    with pytest.raises(AttendError, match="can't stand in a unit file"):
        units.filled()


@pytest.mark.parametrize("action", ["install", "uninstall", "status", "logs", "restart"])
def test_without_systemd_one_sentence_says_what_works_instead(
    action: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(manager, "_BOOTED", home / "nowhere")
    assert cli.main(["service", action]) == 1

    assert capsys.readouterr().err == (
        "attend: systemd does not run here, so there is no service to speak of\n"
        "  hint: attend needs none: the first `attend run` looks after all sessions, and when"
        " it ends another one does\n"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("restart --follow", "service: --follow goes with logs"),
        ("install --json", "service: --json goes with status and logs"),
        ("logs --last 0", "service: --last: '0' is no number from 1 on"),
        ("reload", "service: there is no action 'reload'"),
    ],
)
def test_words_that_make_no_sense_are_refused(
    words: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["service", *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"attend: {complaint}")


def test_the_words_for_the_journal_are_its_own() -> None:
    parse = cli.parser("service").parse_args
    words = service._log_words  # noqa: SLF001 - what comes of them is journalctl's

    assert words(parse(["logs"])) == ["--lines=100"]
    assert words(parse(["logs", "--follow", "--last", "5"])) == ["--follow", "--lines=5"]
    assert words(parse(["logs", "--since", "2h", "--json"])) == [
        "--output=json",
        "--since=-7200s",
    ]
