"""What attend teaches: within its budget, true to the commands, and in the wheel."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import disclosures
from attendd import cli
from attendd.api import Component
from attendd.hot import frame

ROOT = Path(__file__).parents[2]
COMPONENTS = disclosures.attend_disclosures()
OPTION = r"(?<![\w-])--[a-z][a-z-]*"
MESSAGING = next(c for c in COMPONENTS if c.id == "messaging")


def named(component: Component) -> tuple[list[str], list[str]]:
    """Return the commands and the options that a text names."""
    commands = re.findall(r"\battend ([a-z]+)", component.text)
    return commands, re.findall(OPTION, component.text)


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda c: c.id)
class TestEveryText:
    def test_it_costs_at_most_twelve_lines_and_1100_characters(
        self, component: Component
    ) -> None:
        assert component.text.count("\n") < 12
        assert len(component.text) <= 1100

    def test_no_line_is_split_on_its_way(self, component: Component) -> None:
        lines = component.text.split("\n")

        assert max(map(len, lines)) <= 110
        assert len(frame.frame("disclosure", "high", component.text)) == len(lines)

    def test_it_arrives_as_written(self, component: Component) -> None:
        """Nothing in it looks like a header, a tag or a control character."""
        told = frame.frame("disclosure", "high", component.text)
        told[0] = told[0].removeprefix(frame.header("disclosure", "high")).lstrip()

        assert [line.removeprefix("| ") for line in told] == component.text.split("\n")

    def test_every_command_exists(self, component: Component) -> None:
        assert set(named(component)[0]) <= cli.COMMANDS.keys()

    def test_options_belong_to_the_command_they_are_shown_with(
        self, component: Component
    ) -> None:
        """A line that begins with an option goes on about the command of the one before."""
        topic = ""
        for line in component.text.split("\n"):
            before = topic
            for command, option in re.findall(rf"\battend ([a-z]+)|({OPTION})", line):
                topic = command or topic
                assert not option or option in cli.OPTIONS[topic], (topic, option)
            topic = before if line.startswith("`--") else topic


def test_messaging_covers_what_answering_takes() -> None:
    commands, options = named(MESSAGING)

    assert {"send", "reply", "read", "inbox", "run"} <= set(commands)
    assert {"--to", "--channel", "--focus", "--broadcast"} <= set(options)
    for word in ("Silence", "lapses", "Monitor", "Bash", "<<'EOF'", "@human"):
        assert word in MESSAGING.text


def test_messaging_says_who_wrote_it_and_gives_no_orders() -> None:
    """A careful agent refuses injected text that hides its origin or tells it what to do."""
    first, second, *_ = MESSAGING.text.split("\n")

    assert "from attend, a program on this user's machine, through a Monitor or hook" in first
    assert "approves nothing" in second
    orders = r"\b(?:you must|you should|must|never|always|do not|don't|ignore|please)\b"
    assert re.findall(orders, MESSAGING.text.replace("never ends", ""), re.IGNORECASE) == []


def test_messaging_is_taught_first_and_always() -> None:
    assert MESSAGING.part == ""
    assert MESSAGING.order == min(c.order for c in COMPONENTS)


@pytest.mark.parametrize(
    ("markdown", "problem"),
    [
        ("text alone", "no head between"),
        ("+++\norder = 1\n", "no head between"),
        ("before\n+++\n+++\n", "no head between"),
        ("+++\nordr = 1\n+++\ntext\n", "ordr: unknown key"),
        ("+++\norder = \n+++\ntext\n", "Invalid"),
    ],
)
def test_a_text_that_cannot_be_read_says_why(markdown: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        disclosures.parse("broken", markdown)


def test_a_head_may_be_empty() -> None:
    assert disclosures.parse("x", "+++\n+++\nText.\n") == Component(id="x", text="Text.")


def test_the_wheel_brings_the_texts_as_they_are(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as built:
        names = [name for name in built.namelist() if re.match(r"disclosures/.*\.md", name)]
        packed = {Path(name).stem: built.read(name).decode() for name in names}

    assert {name: disclosures.parse(name, text) for name, text in packed.items()} == {
        component.id: component for component in COMPONENTS
    }
