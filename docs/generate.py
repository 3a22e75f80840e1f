"""Writes the generated parts of the documents; cog runs these functions (``make docs``)."""

import argparse
import ast
import inspect
import textwrap
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

from attendd import cli, daemon, hookspecs, registry
from attendd.api import SensorType
from attendd.config import describe, schema
from attendd.engine import settings

ROOT = Path(__file__).parents[1]

HOT = {
    "Where a command begins": "main commands options usage run send build peers statusline",
    "Reading: what shows a session its lines": "reader attach conduit ledger become upgrade"
    " vigil ears bell summons",
    "Sending: from a text to an accepted message": "address eaten who groups unknown near post"
    " receipt answer inview outside seal letterbox handed pickup",
    "Messages: how they wait, look and fare": "mail letter digest ids persona pace rings fate",
    "Hooks: what a session is told by them": "hook session_start turn offer hooked once hooklog"
    " forks reteach gaugeline passing",
    "Memory": "recall choose goal remembered memory_session memory_place memory_settings"
    " memory_start memory_lesson memory_hiding nonces unkept display percepts percept_tags"
    " percept_code percept_marks percept_limits percept_events terms",
    "What the client's files say": "record present ends gauge growth stated windows",
    "Text": "frame mimicry graphemes jsonout shell",
    "Places, the store and processes": "places folders disks db lite upkeep lacking outgrown"
    " faults roll wishes identity worktree process inherited locks moment builds remark",
}
"""The modules of ``attendd/hot``, by what a newcomer looks for; each stands in one group."""


def hooks() -> str:
    """Write the reference of every hook, from its docstring."""
    return "\n".join(_hook(name) for name in vars(hookspecs) if name.startswith("attend_"))


def commands() -> str:
    """Write every command with its help, and the exit codes."""
    parts = []
    for name in cli.COMMANDS:
        shown = cli.parser(name).format_help().rstrip()
        parts.append(f"## attend {name}\n\n```text\n{shown}\n```\n")
    parts.append(f"## attendd\n\n```text\n{_service_help()}\n```\n")
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in cli.EXIT_CODES.items())
    parts.append(f"## Exit codes\n\n| code | meaning |\n|---|---|\n{codes}\n")
    parts.append(
        "Otherwise `attend build` ends as its command does, by a signal with 128 + n.\n"
    )
    return "\n".join(parts)


def _service_help() -> str:
    """Write the help of `attendd` as wide as that of the commands, whatever the terminal."""
    shown = daemon.parser()
    shown.formatter_class = lambda prog: argparse.HelpFormatter(
        prog, max_help_position=26, width=88
    )
    return shown.format_help().rstrip()


def configuration() -> str:
    """Write every section of the configuration file with its keys."""
    return "\n".join(_section(part) for part in describe.sections(builtin_sensors()))


def project_bounds() -> str:
    """Write the table of what a project's own file may set."""
    rows = []
    for key, bounds in schema.PROJECT_BOUNDS.items():
        allowed = f"{bounds[0]:g} to {bounds[1]:g}" if bounds else "true or false"
        rows.append(f"| `{key}` | {allowed} |")
    return "\n".join(
        ["| key under `[sensors.<name>]` | a project may set |", "|---|---|", *rows]
    )


def sensors() -> str:
    """Write the table of the sensors that ship."""
    rows = []
    for name, kind in builtin_sensors().items():
        config = kind.config()
        pace = f"{config.interval_s:g} / {config.min_interval_s:g} s"
        rows.append(f"| `{name}` | {kind.summary} | {pace} | {config.threshold:g} |")
    head = [
        "| sensor | says | looks every / at the quickest | threshold |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *rows])


def defaults(name: str) -> str:
    """Write the table of one section's keys with their defaults."""
    (part,) = (each for each in describe.sections(builtin_sensors()) if each.name == name)
    return _defaults(part)


def fixed(name: str) -> str:
    """Write the same of numbers of the engine that no file sets."""
    return _defaults(describe.section(name, getattr(settings, name)))


def hot_modules() -> str:
    """Write what each module of ``attendd/hot`` is for, as its docstring's first line has it.

    Raises:
        RuntimeError: a module is in no group of `HOT`, in two, or is not there.
    """
    grouped = [name for names in HOT.values() for name in names.split()]
    there = [path.stem for path in (ROOT / "attendd/hot").glob("[!_]*.py")]
    if sorted(grouped) != sorted(there):
        odd = {*grouped} ^ {*there} or {name for name in grouped if grouped.count(name) > 1}
        raise RuntimeError(f"docs/generate.py has not each module in one group: {sorted(odd)}")
    parts = []
    for group, names in HOT.items():
        files = [ROOT / f"attendd/hot/{name}.py" for name in names.split()]
        parts.append(f"### {group}\n\n{_index(files)}\n")
    return "\n".join(parts)


def modules() -> str:
    """Write the same of every other package in ``attendd``, in the order of the layers."""
    parts = []
    for name in [name for layer in _layers() for name in layer if name != "hot"]:
        files = sorted((ROOT / "attendd" / name).glob("[!_]*.py"))
        if files:
            parts.append(f"### `attendd/{name}`\n\n{_index(files)}\n")
    return "\n".join(parts)


def layers() -> str:
    """Write who may import whom: each layer with what is in it, the topmost first."""
    rows = []
    for number, names in enumerate(_layers(), 1):
        for name in names:
            path = ROOT / "attendd" / name
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            meaning = _first_line(file) or f"See [below](#modules-of-attendd{name})"
            rows.append(f"| {number} | `{name}` | {meaning} |")
    return "\n".join(["| layer | module | what it is for |", "|---|---|---|", *rows])


def _layers() -> Iterator[list[str]]:
    """Read the layers of ``attendd`` out of the contract that import-linter holds."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    for layer in tools["importlinter"]["contracts"][0]["layers"]:
        yield layer.split(" | ")


def _index(files: list[Path]) -> str:
    rows = "\n".join(f"| `{file.stem}` | {_first_line(file)} |" for file in files)
    return f"| module | what it is for |\n|---|---|\n{rows}"


def _first_line(file: Path) -> str:
    first = (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]
    return first.replace("``", "`").replace("|", "\\|").removesuffix(".")


def builtin_sensors() -> dict[str, SensorType]:
    """Load the sensors that ship, whatever else is installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    points = project["entry-points"][registry.GROUP].items()
    loaded = registry.load(EntryPoint(name, value, registry.GROUP) for name, value in points)
    if loaded.rejected:
        raise RuntimeError(f"a sensor of our own was set aside: {loaded.rejected[0]}")
    return loaded.sensors


def _hook(name: str) -> str:
    spec = getattr(hookspecs, name)
    said, _, example = (inspect.getdoc(spec) or "").partition("Example:\n")
    summary, _, rest = said.strip().partition("\n\n")
    signature = str(inspect.signature(spec)).replace("attendd.model.", "")
    signature = signature.replace("attendd.api.", "").replace("collections.abc.", "")
    parts = [f"## {name}", f"```python\ndef {name}{signature}\n```", summary]
    parts += [_part(block) for block in rest.split("\n\n")]
    parts.append(f"```python\n{textwrap.dedent(example).strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _part(block: str) -> str:
    """Turn one section of a docstring into markdown."""
    title, _, body = block.partition(":\n")
    body = textwrap.dedent(body)
    if title == "Args":
        return "\n".join(_arguments(body))
    return f"*{title}:* {body}" if title in ("Returns", "Raises") else block


def _arguments(body: str) -> Iterator[str]:
    yield from ("| argument | meaning |", "|---|---|")
    for line in body.replace("\n    ", " ").splitlines():
        name, _, meaning = line.partition(": ")
        yield f"| `{name}` | {meaning} |"


def _section(part: describe.Section) -> str:
    rows = [
        f"| `{field.name}` | {field.kind} | `{field.default}` | {field.meaning} |"
        for field in part.fields
    ]
    head = ["| key | holds | default | meaning |", "|---|---|---|---|"]
    summary = part.summary.replace("``", "`")
    return "\n".join([f"## [{part.name}]", "", _sentence(summary), "", *head, *rows, ""])


def _defaults(part: describe.Section) -> str:
    rows = [f"| `{field.name}` | `{field.default}` |" for field in part.fields]
    return "\n".join(["| key | default |", "|---|---|", *rows])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."
