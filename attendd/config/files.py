"""Reads configuration files: the user's, and over it what a project's may say."""

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from attendd.api import SensorConfig, SensorType
from attendd.config import encoded
from attendd.config.check import Checker, Table, did_you_mean, merge
from attendd.config.schema import PROJECT_BOUNDS, PROJECT_SWITCHES, Config
from attendd.errors import ConfigError
from attendd.hot import memory_settings, places

PROJECT_FILE = ".attend.toml"
MAX_BYTES = 256 * 1024
"""A configuration file larger than this is not read: nobody wrote it by hand."""

_NOT_ITS_OWN = "may be set only in your own configuration, not by a project"
_NOT_ON = "a project may turn it off, but not on"

Types = Mapping[str, SensorType]


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """Configuration as it is in force.

    Attributes:
        config: the sections, every value checked.
        sensors: the checked table of each installed sensor, by its name.
        problems: what is wrong in the files, one complaint each: ``file: dotted.key: problem``,
            and where a slip is likely a second line that begins with ``hint:``.
        table: what the files say that fits; nothing that is default only.
        project: the part of it that a project's file says.
    """

    config: Config
    sensors: dict[str, SensorConfig]
    problems: list[str]
    table: Table
    project: Table = {}

    def sensor_config(self, name: str) -> SensorConfig:
        """Return the checked table of one installed sensor.

        Raises:
            KeyError: no such sensor is installed.
        """
        return self.sensors[name]


def load(types: Types, *, path: Path | None = None, last: Loaded | None = None) -> Loaded:
    """Read the user's file. Never fails: what does not fit is replaced, and said.

    Args:
        types: the installed kinds of sensor, by name.
        path: the file; ``None`` means the one in its usual place. A missing file is an
            empty one.
        last: what was in force so far; its values replace those that no longer fit.
    """
    path = path or Path(places.config_file())
    checker = Checker(path.name)
    good = last.table if last else {}
    table = _read(path, checker)
    return _check(good if table is None else table, types, checker, good)


def for_project(
    loaded: Loaded, project: Path, types: Types, *, last: Loaded | None = None
) -> Loaded:
    """Lay a project's ``.attend.toml`` over the user's configuration, as far as it may go.

    Args:
        loaded: the user's configuration.
        project: the folder that the file is looked for in.
        types: the installed kinds of sensor, by name.
        last: what was in force for this project so far.
    """
    checker = Checker(PROJECT_FILE)
    before = last.project if last else {}
    said = _read(project / PROJECT_FILE, checker)
    allowed = before if said is None else _allowed(said, loaded, types, checker)
    good = merge(loaded.table, before)
    over = _check(merge(loaded.table, allowed), types, checker, good)
    problems = [*loaded.problems, *over.problems]
    taken = _as_taken(allowed, over.table)
    return msgspec.structs.replace(over, problems=problems, project=taken)


def _read(path: Path, checker: Checker) -> Table | None:
    """Read a file; ``None``, and a complaint, if it cannot be used at all."""
    try:
        data = _bytes(path)
        flaw, hint = encoded.flaw(data)
        if not flaw:
            return tomllib.loads(data.decode())
        checker.say((), flaw, hint)
    except FileNotFoundError:
        if not path.is_symlink():
            return {}
        checker.say((), f"is a link to {path.readlink()}, where nothing is")
    except (OSError, ConfigError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        checker.say((), f"cannot be read: {reason}")
    except tomllib.TOMLDecodeError as error:
        checker.say((), f"not valid TOML: {error}")
    except RecursionError:
        checker.say((), "not valid TOML: nested too deeply")
    return None


def _bytes(path: Path) -> bytes:
    """Read a plain file of a sensible size, and never wait for one that is not.

    Raises:
        ConfigError: it is something else than that.
        OSError: it cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise ConfigError("it is not a plain file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ConfigError(f"it is larger than {MAX_BYTES // 1024} KiB")
    return data


def _check(table: Table, types: Types, checker: Checker, good: Table) -> Loaded:
    """Check a whole table, the sensors' parts of it with each sensor's own struct."""
    sections = {key: value for key, value in table.items() if key != "sensors"}
    for name in [key for key in sections if key in types and key not in _SECTIONS]:
        hint = f"a sensor's keys stand under [sensors.{name}]"
        checker.say((name,), "unknown section", hint)
        del sections[name]
    config, kept = checker.fit(sections, Config, (), good)
    config = _with_distinct_names(config, kept, checker)
    tables = _tables(table.get("sensors", {}), types, checker)
    earlier = good.get("sensors", {})
    sensors: dict[str, SensorConfig] = {}
    for name, kind in types.items():
        at = ("sensors", name)
        table, before = tables.get(name, {}), earlier.get(name, {})
        fitting, said = checker.fit(table, kind.config, at, before)
        sensors[name] = _paced(fitting, said, checker, at)
        if said:
            kept.setdefault("sensors", {})[name] = said
    config = msgspec.structs.replace(config, sensors=kept.get("sensors", {}))
    return Loaded(config=config, sensors=sensors, problems=checker.problems, table=kept)


def _with_distinct_names(config: Config, said: Table, checker: Checker) -> Config:
    """Have no name twice that facts are addressed to: nobody could tell whom it means."""
    names = [name.casefold() for name in config.memory.consumers]
    twice = next((name for name in names if names.count(name) > 1), None)
    goal = memory_settings.GOAL
    if twice is None and goal not in names:
        return config
    own = f"names {goal!r}, which stands for what a session's own person is after"
    checker.say(("memory", "consumers"), f"names {twice!r} twice" if twice else own)
    del said["memory"]["consumers"]
    memory = msgspec.structs.replace(config.memory, consumers=())
    return msgspec.structs.replace(config, memory=memory)


_SECTIONS = frozenset(Config.__struct_fields__)


def _tables(sensors: Any, types: Types, checker: Checker) -> dict[str, Table]:  # noqa: ANN401 - TOML
    """Return the tables of installed sensors, and say what else stands there."""
    if not isinstance(sensors, dict):
        checker.say(("sensors",), "expected a table for each sensor")
        return {}
    found: dict[str, Table] = {}
    for name, table in sensors.items():
        if name not in types:
            hint = did_you_mean(name, types)
            checker.say(("sensors", name), "no such sensor is installed", hint)
        elif not isinstance(table, dict):
            checker.say(("sensors", name), "expected a table")
        else:
            found[name] = table
    return found


def _paced(
    config: SensorConfig, said: Table, checker: Checker, at: tuple[str, ...]
) -> SensorConfig:
    """Keep the shortest pause from being longer than the usual one."""
    if config.min_interval_s <= config.interval_s:
        return config
    if said.pop("min_interval_s", None) is not None:
        problem = f"is longer than interval_s ({config.interval_s:g})"
        checker.say((*at, "min_interval_s"), problem)
    return msgspec.structs.replace(config, min_interval_s=config.interval_s)


def _allowed(said: Table, loaded: Loaded, types: Types, checker: Checker) -> Table:
    """Return what a project may say of what its file says, and complain about the rest."""
    allowed: dict[str, Table] = {}
    for section, table in said.items():
        if section in PROJECT_SWITCHES and isinstance(table, dict):
            allowed[section] = _part(section, table, checker)
        elif section != "sensors":
            checker.say((section,), _NOT_ITS_OWN)
    allowed["sensors"] = {
        name: {
            key: value
            for key, value in table.items()
            if _may_set(("sensors", name, key), value, loaded.sensors[name], checker)
        }
        for name, table in _tables(said.get("sensors", {}), types, checker).items()
    }
    return allowed


def _part(section: str, table: Table, checker: Checker) -> Table:
    """Return what a project turns off of a section."""
    off: Table = {}
    for key, value in table.items():
        if key not in PROJECT_SWITCHES[section]:
            checker.say((section, key), _NOT_ITS_OWN)
        elif value is True:
            hint = PROJECT_SWITCHES[section][key]
            checker.say((section, key), _NOT_ON, hint)
        else:
            off[key] = value  # of the wrong type, it fails the check with all the rest
    return off


def _as_taken(allowed: Table, kept: Table) -> Table:
    """Return a project's tables with the values that were taken for those that did not fit."""
    return {section: _taken(table, kept.get(section, {})) for section, table in allowed.items()}


def _taken(allowed: Table, kept: Table) -> Table:
    return {
        key: _taken(value, kept.get(key, {})) if isinstance(value, dict) else kept[key]
        for key, value in allowed.items()
        if key in kept or isinstance(value, dict)
    }


def _may_set(at: tuple[str, ...], value: object, own: SensorConfig, checker: Checker) -> bool:
    """Tell whether a project may set a key of a sensor to this, over what its user has."""
    key = at[-1]
    if key not in PROJECT_BOUNDS:
        if key in own.__struct_fields__:
            checker.say(at, _NOT_ITS_OWN)
        else:
            checker.say(at, "unknown key", did_you_mean(key, PROJECT_BOUNDS))
        return False
    bounds = PROJECT_BOUNDS[key]
    if key == "enabled" and value is True and not own.enabled:
        hint = f"`enabled = true` under [{'.'.join(at[:-1])}] in your own file turns it on"
        checker.say(at, _NOT_ON, hint)
        return False
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if bounds is None or not number:
        return True  # of the wrong type, it fails the check with all the rest
    if not bounds[0] <= float(str(value)) <= bounds[1]:
        checker.say(at, f"a project may set {bounds[0]:g} to {bounds[1]:g}")
        return False
    return True
