"""What is taught of messages is one text, wherever it is taught, and can be typed as it stands.

The text is ``disclosures/messaging.md``. The plugin's skill repeats lines of it, and the hint
under a session's first message is one of its sentences: who changes one is told here.
"""

import re
import shlex
from pathlib import Path

import pytest

import disclosures
from attendd import cli
from attendd.hot import address, letter

ROOT = Path(__file__).parents[2]
MESSAGING = next(c.text for c in disclosures.attend_disclosures() if c.id == "messaging")
SKILL = (ROOT / "plugin/skills/attend/SKILL.md").read_text(encoding="utf-8")
SOURCE = "disclosures/messaging.md"
PLACES = {"WHO": "juno", "NAME": "deploy", "ID": "k3f9q2xm", "TEXT": "text"}


def taught() -> list[str]:
    """Return every command line that any of the texts shows."""
    texts = "\n".join([MESSAGING, letter.HINT, SKILL])
    return sorted({line for line in re.findall(r"`(attend [^`]+)`", texts) if "…" not in line})


def test_the_hint_under_a_message_is_a_sentence_of_the_text() -> None:
    assert f"{letter.HINT}." in MESSAGING.split("\n"), f"{letter.HINT!r} is not in {SOURCE}"


def test_the_skill_teaches_messages_in_lines_of_the_text_and_in_its_order() -> None:
    section = SKILL.partition("## Messages\n")[2].partition("\n## ")[0]
    lines = [line[2:] for line in section.split("\n") if line.startswith("- ")]
    known = MESSAGING.split("\n")

    assert len(lines) >= 5
    assert [line for line in lines if line not in known] == [], f"not in {SOURCE}"
    assert lines == sorted(lines, key=known.index)
    assert f"{letter.HINT}." in lines


@pytest.mark.parametrize("line", taught())
def test_what_is_taught_can_be_typed(line: str) -> None:
    _, command, *words = shlex.split(line)
    words = [PLACES.get(word, word) for word in words]

    assert command in cli.COMMANDS
    if command in ("send", "reply"):
        address.parse(command, words)
    elif words:
        cli.parser(command).parse_args(words)


def test_the_form_that_is_taught_takes_the_text_from_standard_input() -> None:
    """A quoted heredoc passes the shell unharmed, and a client's permission check unasked."""
    assert address.parse("reply", ["-"]).stdin
    assert address.parse("send", ["--to", "juno", "-"]).stdin
    assert "<<'EOF'" in letter.HINT
