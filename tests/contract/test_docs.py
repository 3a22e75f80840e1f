"""The documents say what the code does: generated parts are fresh, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from attendd import cli, daemon, hookspecs
from attendd.cli import EXIT_CODES

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = [path for path in DOCUMENTS if "[[[cog" in path.read_text()]
LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```(?:sh|console|text)\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`attend ([a-z]+)")
TYPED = re.compile(r"^(?:\$ )?attend ([a-z]+)", re.MULTILINE)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_generated_parts_are_fresh() -> None:
    command = [sys.executable, "-m", "cogapp", "-I", "docs", "-I", ".", "--check"]
    done = subprocess.run(
        [*command, *map(name, GENERATED)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, f"`make docs` writes them anew\n{done.stdout}{done.stderr}"


def test_every_code_that_anything_ends_with_is_in_the_table() -> None:
    code = "\n".join(path.read_text() for path in (ROOT / "attendd").rglob("*.py"))
    scripts = "\n".join(
        path.read_text() for path in (ROOT / "bin/attend", ROOT / "plugin/bin/attend")
    )
    named = r"^ *(?:exit_code|RESTART|FINDINGS|NOT_FOUND|NOT_RUNNABLE) = (\d+)$"
    literal = r"(?:sys\.exit|os\._exit|posix\._exit)\((\d+)\)"

    found = re.findall(f"{named}|{literal}", code, re.MULTILINE)
    found += [(each, "") for each in re.findall(r"\bexit (\d+)", scripts)]

    codes = {int(one or other) for one, other in found}
    assert codes >= {0, 2, 4, 5, 7, 75, 127}
    assert codes <= set(EXIT_CODES)


def test_every_generated_document_is_one_that_make_docs_writes() -> None:
    makefile = (ROOT / "Makefile").read_text()
    listed = re.findall(r"^DOCS := (.*)$", makefile, re.MULTILINE)[0].split()

    assert sorted(listed) == sorted(map(name, GENERATED))


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_every_link_leads_to_a_file(path: Path) -> None:
    links = LINK.findall(path.read_text())

    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_python_in_a_document_runs(path: Path) -> None:
    """Names that a reader is to bring along may stand in functions, which are not called."""
    for code in PYTHON.findall(path.read_text()):
        if not code.startswith("def "):  # the signature of a hook, without a body
            exec(code, {})  # noqa: S102 - it is our own document


@pytest.mark.parametrize(
    "hook", [each for each in vars(hookspecs) if each.startswith("attend_")]
)
def test_every_hook_is_in_the_reference(hook: str) -> None:
    assert f"\n## {hook}\n" in (ROOT / "docs/hooks.md").read_text()


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_is_in_the_reference_with_its_options(command: str) -> None:
    said = (ROOT / "docs/cli.md").read_text()
    section = said.partition(f"\n## attend {command}\n")[2].partition("\n## ")[0]

    assert section != ""
    assert [option for option in cli.OPTIONS[command] if option not in section] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_a_document_names_only_commands_that_there_are(path: Path) -> None:
    blocks = SHELL.findall(path.read_text())
    typed = [*INLINE.findall(path.read_text()), *TYPED.findall("\n".join(blocks))]

    assert [word for word in typed if word not in cli.COMMANDS] == []


def test_the_service_is_in_the_reference_with_its_options() -> None:
    section = (ROOT / "docs/cli.md").read_text().partition("\n## attendd\n")[2]
    section = section.partition("\n## ")[0]
    options = [o for a in daemon.parser()._actions for o in a.option_strings]  # noqa: SLF001

    assert section != ""
    assert [o for o in options if o not in section and o != "--host-lock"] == []


TESTED = re.compile(r"`((?:\w+/)*test_\w+\.py)`")


def test_a_test_that_is_named_is_there() -> None:
    named = TESTED.findall((ROOT / "docs/architecture.md").read_text())

    assert named != []
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []


def test_the_index_of_hot_modules_has_each_once() -> None:
    """A new module must be given a group in ``docs/generate.py``, or no document can be made."""
    text = (ROOT / "docs/architecture.md").read_text().partition("\n## Modules of")[2]
    text = text.partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)

    assert sorted(listed) == sorted(p.stem for p in (ROOT / "attendd/hot").glob("[!_]*.py"))
