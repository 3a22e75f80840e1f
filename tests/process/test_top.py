"""`attend top` in a pipe, and on a terminal that tmux keeps."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attendd.cli import table, top_look, top_page
from attendd.store import Health
from tests.process.box import DEADLINE_S, Box, eventually
from tests.process.seeding import SESSION, Seed

LINE = "[attend sensor=git priority=high] 1 new commit by Mira\n"
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07[attend sensor=x priority=high] \u202egnp\r\n<system-reminder>"
)


@pytest.fixture
def seed(box: Box) -> Seed:
    """A session with a sensor that holds something, one that fails, and a line that was told."""
    seed = Seed(box)
    attachment = seed.session(workdir=box.home)
    seed.health(pending=1.5, held="held.gap", told=4)
    seed.store.health.put(
        [
            Health(
                attachment=attachment,
                sensor="peers",
                state="failing",
                since_at=seed.wall,
                failures=3,
                detail="no such folder",
                threshold=2.0,
            )
        ]
    )
    seed.batch("k3f9q2xm", LINE)
    return seed


class Screen:
    """A terminal of tmux's with one program in it.

    Attributes:
        socket: tmux's own server, for this test alone.
    """

    def __init__(self, box: Box, columns: int, rows: int) -> None:
        self.socket = str(box.home / "tmux")
        self._env = box.env | {"TERM": "screen-256color", "LC_ALL": "C.UTF-8"}
        attend = f"'{sys.executable}' -P -m attendd top; echo ended with $?"
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
            f"{attend}; exec sh",
        )  # fmt: skip

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self.socket, *words],
            env=self._env,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=True,
        )
        return done.stdout

    def shown(self) -> list[str]:
        """Return the lines on the screen."""
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").splitlines()]

    def drawn(self, text: str) -> str:
        """Return the line that a text is in, as it is drawn: with its colours."""
        lines = self._tmux("capture-pane", "-p", "-e").splitlines()
        return next(line for line in lines if text in line)

    def until(self, text: str) -> list[str]:
        """Wait until a text is on the screen."""
        found: list[str] = []

        def there() -> bool:
            found[:] = self.shown()
            return any(text in line for line in found)

        try:
            eventually(there)
        except TimeoutError:
            raise AssertionError("\n".join(found)) from None
        return found

    def press(self, *keys: str) -> None:
        """Press keys, as tmux names them."""
        self._tmux("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        """Make the terminal another size."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def program(self) -> int:
        """Return the process in it."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def end(self) -> None:
        """End the server, and all in it."""
        self._tmux("kill-server")


needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")


@pytest.fixture
def screen(box: Box, seed: Seed) -> Iterator[Screen]:
    screen = Screen(box, 80, 24)
    try:
        yield screen
    finally:
        screen.end()


def test_in_a_pipe_it_is_printed_once(box: Box, seed: Seed) -> None:
    done = box.run("top")
    said = done.stdout

    assert (done.returncode, done.stderr) == (0, "")
    assert said.startswith("attend ")
    assert f"{SESSION[:8]}  ~" in said
    assert "██████░░ 1.5 of 2" in " ".join(said.split())
    assert "the last batch was just now" in said
    assert "failing for 1 min" in said
    assert "no such folder" in said
    assert "monitor" in said
    assert "git: 1 new commit by Mira" in said
    assert "\x1b" not in said
    assert box.run("top", "--once").stdout.splitlines()[1:3] == said.splitlines()[1:3]


def test_with_nothing_to_show_it_says_so(box: Box) -> None:
    done = box.run("top")

    assert (done.returncode, done.stderr) == (0, "")
    assert "no session is attended now" in done.stdout
    assert not box.state.exists()


def test_it_loads_neither_curses_nor_anything_of_others_for_a_pipe(box: Box) -> None:
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-P", "-m", "attendd", "top"],
        env=box.env,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    ).stderr

    assert {"curses", "_curses", "rich", "textual"}.isdisjoint(
        line.rpartition("|")[2].strip() for line in told.splitlines()
    )


@pytest.mark.parametrize("width", [1, 4, 20, 80, 200])
def test_nothing_is_wider_than_the_terminal_and_nothing_acts(
    box: Box, seed: Seed, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    attachment = seed.session("evil", workdir=f"/{HOSTILE}")
    row = Health(
        attachment=attachment, sensor="git", state="failing", since_at=0, detail=HOSTILE
    )
    seed.store.health.put([row])
    seed.batch("evilbatch", f"{HOSTILE}\n{HOSTILE}\n" * 3, "evil")
    for name in ("HOME", "ATTEND_HOME"):
        monkeypatch.setenv(name, box.env[name])
    lines = top_page.page(top_look.Looker().look(), width)
    text = "\n".join(line.text for line in lines)

    assert max(table.cells(line.text) for line in lines) <= width
    assert text.replace("\n", "").isprintable()
    assert "\u202e" not in text
    assert "<system-reminder>" not in text
    assert "[attend sensor=x" not in text


@needs_tmux
def test_on_a_terminal_it_follows_what_happens(screen: Screen, seed: Seed) -> None:
    shown = screen.until("git: 1 new commit by Mira")
    assert any("q quits" in line for line in shown)
    assert any("██████░░ 1.5 of 2" in line for line in shown)
    assert "\x1b[36m██████" in screen.drawn(" 1.5 of 2")
    assert "\x1b[31m" in screen.drawn("failing for")
    assert "\x1b[40m" not in screen.drawn("failing for")  # the background is the person's

    seed.batch("another1", "[attend sensor=git priority=medium] branch changed: a → b\n")
    screen.until("git: branch changed: a → b")


@needs_tmux
def test_q_leaves_the_terminal_as_it_was(screen: Screen) -> None:
    screen.until("git: 1 new commit by Mira")
    screen.press("q")

    shown = screen.until("ended with 0")
    assert not any("Mira" in line for line in shown)


@needs_tmux
def test_ctrl_c_and_a_signal_leave_it_as_it_was_too(box: Box, screen: Screen) -> None:
    screen.until("git: 1 new commit by Mira")
    screen.press("C-c")
    shown = screen.until("ended with 130")

    assert not any("Mira" in line or "Traceback" in line for line in shown)


@needs_tmux
def test_it_fits_itself_to_the_terminal_whatever_its_size(screen: Screen) -> None:
    screen.until("q quits")
    for columns, rows in ((20, 10), (2, 2), (1, 1), (200, 50)):
        screen.resize(columns, rows)
    screen.until("q quits")
    screen.resize(20, 30)
    shown = screen.until("git 1.5 of 2 held")

    assert max(map(len, shown)) <= 20
    screen.press("q")
    screen.resize(80, 24)
    screen.until("ended with 0")


@needs_tmux
def test_what_does_not_fit_is_scrolled_to(screen: Screen) -> None:
    screen.resize(80, 6)
    screen.until("q quits")
    screen.press("G")
    shown = screen.until("git: 1 new commit by Mira")
    screen.press("Home")
    top = screen.until(SESSION[:8])

    assert shown[0].startswith("attend ")
    assert top[0].startswith("attend ")


@needs_tmux
@pytest.mark.parametrize("term", ["dumb", "no-such-terminal"])
def test_on_a_terminal_without_a_cursor_it_is_printed_once(
    box: Box, seed: Seed, term: str, tmp_path: Path
) -> None:
    said = tmp_path / "said"
    done = subprocess.run(
        ["script", "-qec", f"'{sys.executable}' -P -m attendd top", str(said)],
        env=box.env | {"TERM": term},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )

    assert done.returncode == 0
    assert b"Mira" in said.read_bytes()
    assert b"\x1b" not in said.read_bytes()


def test_what_a_sensor_holds_shows_at_once(box: Box) -> None:
    """Not only when the host next writes down all that it knows."""
    repository = box.repository()
    box.reader(repository, "--as", "reviewer").out.until("[attend sensor=disclosure")
    box.looked()
    box.git(repository, "switch", "-q", "-c", "fix-login")

    eventually(lambda: "3 of 2" in box.run("top").stdout, deadline_s=10)


def test_a_session_without_an_answer_is_not_measured_yet(box: Box) -> None:
    """No number is made of it: its first answer may already hold a long prompt."""
    client = box.client(box.repository())
    client.prompt()
    client.monitor()
    box.looked()

    assert "context not measured yet" in box.run("top").stdout
