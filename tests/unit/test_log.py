"""The log, as processes write it: a terminal, a pipe, a pipe nobody reads, no stderr at all."""

import json
import os
import pty
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attendd import journald, log
from attendd.errors import ConfigError

ROOT = Path(__file__).parents[2]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", "from attendd import log\n" + textwrap.dedent(code)]


def lines_of(code: str) -> list[dict[str, object]]:
    done = subprocess.run(python(code), cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def terminal_of(code: str, **environment: str) -> str:
    """Return what a process writes when its stderr is a terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", **environment}
    with subprocess.Popen(python(code), cwd=ROOT, stderr=theirs, env=env) as process:
        os.close(theirs)
        said = b""
        try:
            while more := os.read(ours, 4096):
                said += more
        except OSError:  # how Linux says that the other side is gone
            pass
        assert process.wait() == 0
    os.close(ours)
    return said.decode()


def test_a_pipe_gets_one_json_object_a_line() -> None:
    first, second = lines_of("""
        logger = log.get_logger("host")
        logger.info("took over", pid=3)
        logger.warning("lost\\na bell", path=__import__("pathlib").Path("/tmp/x"))
    """)

    assert (first["part"], first["event"], first["level"], first["pid"]) == (
        "host",
        "took over",
        "info",
        3,
    )
    assert str(first["timestamp"]).endswith("Z")
    assert (second["event"], second["path"]) == ("lost\na bell", "/tmp/x")  # noqa: S108 - a name


def test_a_terminal_gets_text_that_cannot_move_its_cursor() -> None:
    said = terminal_of("""
        log.get_logger("git").warning("branch changed", branch="\\x1b[2Jmain")
    """)

    assert "branch changed" in said
    assert "\x1b[2J" not in said


RAISED = """
    try:
        raise ValueError("two\\nlines")
    except ValueError as error:
        log.get_logger("git").warning("it broke", exc_info=error)
"""


def test_on_a_terminal_what_was_raised_is_one_line_but_for_who_looks_for_faults() -> None:
    said = terminal_of(RAISED)
    found = terminal_of(f"log.configure('debug')\n{textwrap.dedent(RAISED)}")

    assert said.count("\n") == 1
    assert "ValueError: two" in said
    assert "Traceback" not in said
    assert "Traceback" in found


def test_a_thread_that_fails_is_a_line_too() -> None:
    (said,) = lines_of("""
        import sys, threading
        log.configure()
        for fails in (lambda: 1 / 0, sys.exit):
            thread = threading.Thread(target=fails, name="theirs")
            thread.start()
            thread.join()
    """)

    assert (said["event"], said["name"], said["level"]) == (
        "a thread failed",
        "theirs",
        "error",
    )
    assert "ZeroDivisionError" in str(said["exception"])


def test_no_colour_is_used_where_none_is_wanted() -> None:
    said = terminal_of('log.get_logger("git").error("broke")', NO_COLOR="1")

    assert "\x1b" not in said


def test_what_somebody_said_is_shown_only_to_who_looks_for_faults() -> None:
    info, debug = lines_of("""
        log.get_logger("send").info("stored", body="meet me at noon")
        log.configure("debug")
        log.get_logger("send").debug("stored", body="meet me at noon")
    """)

    assert info["body"] == "(15 characters)"
    assert debug["body"] == "meet me at noon"


def test_a_level_keeps_what_is_below_it_and_the_library_unloaded_and_rich_in_any_case() -> None:
    (only,) = lines_of("""
        import sys
        logger = log.get_logger("host")
        log.configure("warning")
        logger.info("quiet")
        assert "structlog" not in sys.modules
        logger.warning("loud")
        assert "structlog" in sys.modules
        assert not {"rich", "pygments"} & sys.modules.keys()
    """)

    assert only["event"] == "loud"


def test_the_level_of_a_logger_in_use_can_be_changed() -> None:
    said = lines_of("""
        logger = log.get_logger("host")
        logger.info("one")
        log.configure("error")
        logger.warning("two")
        log.configure("debug")
        logger.debug("three")
    """)

    assert [line["event"] for line in said] == ["one", "three"]


def test_the_standard_library_s_log_looks_the_same() -> None:
    (said,) = lines_of("""
        import logging
        log.configure()
        try:
            1 / 0
        except ZeroDivisionError:
            logging.getLogger("asyncio").exception("a task %s", "failed")
    """)

    assert (said["part"], said["event"], said["level"]) == ("asyncio", "a task failed", "error")
    assert "ZeroDivisionError" in str(said["exception"])


def test_bytes_that_are_no_text_do_not_keep_a_line_from_being_written() -> None:
    (said,) = lines_of(r"""
        log.get_logger("git").info("saw", path="caf\udce9")
    """)

    assert "caf" in str(said)


JOURNALLED = """
    import os
    from attendd import journald
    there = os.fstat(2)
    os.environ["JOURNAL_STREAM"] = f"{there.st_dev}:{there.st_ino}"
    journald.SOCKET = os.environ["SOCKET"]

    def say():
        error = ValueError("two\\nlines")
        log.get_logger("mail").warning("it broke", correlation="k3f9q2xm", exc_info=error)

    say()
"""


def test_the_journal_gets_json_and_the_fields_it_knows(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(path))
        done = subprocess.run(
            python(JOURNALLED),
            cwd=ROOT,
            env={**os.environ, "SOCKET": str(path)},
            capture_output=True,
            check=True,
        )
        entry = journal.recv(65536, socket.MSG_DONTWAIT)

    fields = dict(line.split(b"=", 1) for line in entry.splitlines())
    message = json.loads(fields[b"MESSAGE"])
    assert (done.stdout, done.stderr) == (b"", b"")
    assert list(message)[:4] == ["event", "level", "part", "correlation"]
    assert message["exception"].endswith("ValueError: two\nlines")
    assert (fields[b"PRIORITY"], fields[b"SYSLOG_IDENTIFIER"]) == (b"4", b"attendd")
    assert (fields[b"CODE_FUNC"], fields[b"CODE_FILE"]) == (b"say", b"<string>")
    assert fields[b"ATTEND_PART"] == b"mail"
    assert fields[b"ATTEND_CORRELATION"] == b"k3f9q2xm"


def test_a_journal_that_takes_nothing_still_hears_how_bad_it_is() -> None:
    done = subprocess.run(
        python(JOURNALLED),
        cwd=ROOT,
        env={**os.environ, "SOCKET": "/nonexistent/socket"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stderr.startswith('<4>{"event":"it broke","level":"warning","part":"mail",')


def test_a_stderr_that_only_once_was_the_journal_is_a_pipe_like_any_other() -> None:
    done = subprocess.run(
        python('log.get_logger("x").info("y")'),
        cwd=ROOT,
        env={**os.environ, "JOURNAL_STREAM": "1:1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stderr)["event"] == "y"


@given(st.dictionaries(st.text(st.sampled_from("ABC_"), min_size=1), st.text()))
def test_whatever_is_in_a_field_stays_in_it(fields: dict[str, str]) -> None:
    """As the protocol says: a line with ``=``, or a key, a length and so many bytes."""
    data, found = journald.datagram(fields), {}
    while data:
        key, mark, data = _key(data)
        if mark == b"=":
            value, _, data = data.partition(b"\n")
        else:
            size = int.from_bytes(data[:8], "little")
            value, data = data[8 : 8 + size], data[9 + size :]
        found[key.decode()] = value.decode()

    assert found == fields


def _key(data: bytes) -> tuple[bytes, bytes, bytes]:
    at = min(at for at in (data.find(b"="), data.find(b"\n")) if at >= 0)
    return data[:at], data[at : at + 1], data[at + 1 :]


def test_a_pipe_that_nobody_reads_never_stops_the_writer() -> None:
    """The client may stop reading; attend goes on, and loses only log lines."""
    reading, writing = os.pipe()
    code = 'for n in range(20_000): log.get_logger("host").info("a line", n=n)'
    with subprocess.Popen(python(code), cwd=ROOT, stderr=writing) as process:
        os.close(writing)
        code_at_end = process.wait()
    os.close(reading)

    assert code_at_end == 0


def test_who_writes_may_be_uninstalled_before_the_first_line() -> None:
    said = lines_of("""
        import sys
        sys.modules["structlog"] = None
        log.get_logger("host").warning("lost a bell", exc_info=ValueError("why"))
    """)

    assert said == []


def test_a_missing_stderr_is_no_fault() -> None:
    script = """exec "$0" -c 'from attendd import log; log.get_logger("x").info("y")' 2>&-"""
    done = subprocess.run(["sh", "-c", script, sys.executable], cwd=ROOT, check=False)

    assert done.returncode == 0


def test_an_unknown_level_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match="there is no log level 'loud'") as raised:
        log.configure("loud")

    assert raised.value.hint == "levels are debug, info, warning, error"
