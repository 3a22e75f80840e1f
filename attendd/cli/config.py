"""`attend config`: write, show, find or check the configuration."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from attendd import config, registry
from attendd.api import SensorType
from attendd.cli import arguments, output
from attendd.cli.state import project_file
from attendd.hot import places

FINDINGS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "action",
        choices=("init", "show", "path", "lint"),
        help="init writes a file of commented defaults and never overwrites one; show prints"
        " what is in force here; path says where the files are; lint checks them and exits"
        " with 3 if it finds anything",
    )
    arguments.add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Do one of the four.

    Raises:
        ConfigError: `init` found a file, or cannot write one.
    """
    actions = {"init": _init, "show": _show, "path": _path, "lint": _lint}
    return actions[args.action](as_json=args.json)


def in_force(types: Mapping[str, SensorType]) -> config.Loaded:
    """Return the configuration as it is in force in the caller's directory."""
    return config.for_project(config.load(types), project_file().parent, types)


def _init(*, as_json: bool) -> int:
    path = Path(places.config_file())
    config.write_default(path, registry.load().sensors)
    if as_json:
        output.document({"path": str(path)})
    else:
        print(f"wrote {output.safe(str(path))}")
    return 0


def _show(*, as_json: bool) -> int:
    loaded = in_force(registry.load().sensors)
    table = config.effective(loaded.config, loaded.sensors)
    if as_json:
        output.document(table)
    else:
        print(config.as_toml(table))
    for problem in loaded.problems:
        output.problem(problem, sys.stderr)
    return 0


def _path(*, as_json: bool) -> int:
    files = {"user": Path(places.config_file()), "project": project_file()}
    if as_json:
        known = {k: {"path": str(p), "exists": p.exists()} for k, p in files.items()}
        output.document(known)
        return 0
    marked = [
        (kind, f"{path}" if path.exists() else f"{path} (not there)")
        for kind, path in files.items()
    ]
    output.facts(marked)
    return 0


def _lint(*, as_json: bool) -> int:
    known = registry.load()
    findings = in_force(known.sensors).problems
    findings += [f"plugin {broken.name}: {broken.reason}" for broken in known.rejected]
    if as_json:
        output.document({"findings": findings})
    for finding in () if as_json else findings:
        output.problem(finding, sys.stdout)
    if not findings and not as_json:
        print("nothing to complain of")
    return FINDINGS if findings else 0
