"""Decides whether ``git status`` may run in a repository.

Comparing files makes git run the *clean* and *process* filters that attributes name, and
an fsmonitor. A repository whose own configuration brings such programs is read by its refs
alone. Filters of the person's own configuration (large file storage, usually) are switched
off for the run, and count as the repository's where its attributes use them, because its
files cannot be compared without.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from sensors.git.model import Place
from sensors.git.place import read
from sensors.git.words import text_of

LIST_CONFIG = ("config", "--list", "-z", "--show-scope", "--includes")
LIST_ATTRIBUTES = ("ls-files", "-z", "--", ":(glob)**/.gitattributes")

_FILTER = re.compile(rb"filter\.(?P<name>.*)\.(?:clean|process)", re.DOTALL)
_OWN_SCOPES = (b"local", b"worktree", b"unknown")
_BOOLEAN = re.compile(rb"(?:true|false|yes|no|on|off|[-+]?\d*)", re.IGNORECASE)
_ATTRIBUTES_MOST = 256 * 1024
_NESTED_MOST = 200


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository's effective configuration says about programs, and about branches.

    Attributes:
        programs: settings of the repository itself that would run a program.
        filters: names of the person's own filters.
        upstreams: short name of what each branch follows, by branch.
        attributes_file: the person's own attributes file; empty where not set.
        includes: whether other files are included, so that stamps of the usual ones do not
            tell of every change.
    """

    programs: tuple[str, ...] = ()
    filters: tuple[bytes, ...] = ()
    upstreams: dict[str, str] = {}
    attributes_file: str = ""
    includes: bool = False


def parse_config(out: bytes) -> Config:
    """Read the answer of `LIST_CONFIG`."""
    parts = out.split(b"\0")
    programs: dict[str, None] = {}
    filters: dict[bytes, None] = {}
    last: dict[bytes, bytes] = {}
    for scope, entry in zip(parts[0::2], parts[1::2], strict=False):
        key, _, value = entry.partition(b"\n")
        own = scope in _OWN_SCOPES
        last[key] = value
        found = _FILTER.fullmatch(key)
        if found and value:
            if own or b"=" in found["name"]:
                programs[text_of(key)] = None
            else:
                filters[found["name"]] = None
        elif key == b"core.fsmonitor" and own and not _BOOLEAN.fullmatch(value):
            programs["core.fsmonitor"] = None
    return Config(
        programs=tuple(programs),
        filters=tuple(filters),
        upstreams=_upstreams(last),
        attributes_file=os.fsdecode(last.get(b"core.attributesfile", b"")),
        includes=any(key.startswith((b"include.", b"includeif.")) for key in last),
    )


def overrides(config: Config) -> list[str]:
    """Return git options that switch the person's own filters off."""
    options = []
    for name in map(os.fsdecode, config.filters):
        for key, value in (("clean", ""), ("process", ""), ("required", "false")):
            options += ["-c", f"filter.{name}.{key}={value}"]
    return options


def config_files(place: Place) -> list[Path]:
    """Return the files whose stamps tell whether a configuration may have changed."""
    home = Path(os.environ.get("HOME") or "/")
    user = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [
        Path(place.commondir, "config"),
        Path(place.gitdir, "config.worktree"),
        home / ".gitconfig",
        user / "git/config",
        Path("/etc/gitconfig"),
    ]


def attribute_files(place: Place, config: Config) -> list[Path]:
    """Return where attributes for a whole work tree are written."""
    home = Path(os.environ.get("HOME") or "/")
    user = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    named = config.attributes_file.replace("~", str(home), 1)
    return [
        Path(place.top, ".gitattributes"),
        Path(place.commondir, "info/attributes"),
        Path(place.top, named) if named else user / "git/attributes",
    ]


def used_filter(config: Config, files: Iterable[Path]) -> str:
    """Return the name of a filter that attributes use; empty if they use none."""
    texts = [read(path, _ATTRIBUTES_MOST) for path in files]
    for name in config.filters:
        use = re.compile(rb"(?:^|\s)filter=" + re.escape(name) + rb"(?:\s|$)")
        if any(use.search(text) for text in texts):
            return text_of(name)
    return ""


def nested(place: Place, listed: bytes) -> list[Path]:
    """Read the answer of `LIST_ATTRIBUTES`."""
    paths = [part for part in listed.split(b"\0") if part][:_NESTED_MOST]
    return [Path(place.top, os.fsdecode(path)) for path in paths]


def _upstreams(last: dict[bytes, bytes]) -> dict[str, str]:
    found = {}
    for key, merge in last.items():
        if not (key.startswith(b"branch.") and key.endswith(b".merge")):
            continue
        branch = key[7:-6]
        remote = last.get(b"branch." + branch + b".remote", b"")
        name = merge.removeprefix(b"refs/heads/")
        if remote:
            full = name if remote == b"." else remote + b"/" + name
            found[text_of(branch)] = text_of(full)
    return found
