"""Says what may be configured: for the documents, and for the file that ``init`` writes.

The structs are the one source: names, types, defaults and bounds come from their fields, the
meanings from the *Attributes* section of their docstrings.
"""

import contextlib
import inspect
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect as shapes

from attendd.api import SensorConfig, SensorType
from attendd.config import kinds
from attendd.config.check import Table
from attendd.config.schema import Config
from attendd.errors import AttendError, ConfigError

_ENTRY = re.compile(r"^(\w+): (.*(?:\n[ \t]+.*)*)", re.MULTILINE)


class Field(msgspec.Struct, frozen=True):
    """One key that may be set.

    Attributes:
        name: the key.
        kind: what it holds, with its bounds, in words.
        default: its default, as TOML writes it.
        meaning: what it does, in a sentence without its full stop.
    """

    name: str
    kind: str
    default: str
    meaning: str


class Section(msgspec.Struct, frozen=True):
    """One table of the file.

    Attributes:
        name: how its header is written, without the brackets.
        summary: what it is about.
        fields: its keys, in order.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]


def sections(types: Mapping[str, SensorType]) -> list[Section]:
    """Return every table that may be written, the sensors' last."""
    return [
        *(
            section(field.name, field.type)
            for field in msgspec.structs.fields(Config)
            if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        ),
        *(
            section(f"sensors.{name}", kind.config, kind.summary)
            for name, kind in types.items()
        ),
    ]


def section(name: str, struct: type[msgspec.Struct], summary: str = "") -> Section:
    """Describe one table."""
    meanings = _meanings(struct)
    said = (inspect.getdoc(struct) or "").partition("\n\n")[0]
    shape = shapes.type_info(struct)
    fields = shape.fields if isinstance(shape, shapes.StructType) else ()
    described = (
        Field(each.name, kinds.said(each.type), as_value(_default(each)), meanings[each.name])
        for each in fields
    )
    return Section(name, summary or " ".join(said.split()), tuple(described))


def default_text(types: Mapping[str, SensorType]) -> str:
    """Return a file that says every default, each commented out."""
    lines = [
        "# attend's configuration. Every line that begins with '# ' and a key is a default:",
        "# remove the mark to change it. `attend config lint` checks the file.",
    ]
    for part in sections(types):
        lines += ["", *_comment(part.summary), f"[{part.name}]"]
        for field in part.fields:
            lines += ["", *_comment(f"{field.meaning} ({field.kind})", "#   ")]
            lines += [f"# {field.name} = {field.default}"]
    return "\n".join(lines) + "\n"


def write_default(path: Path, types: Mapping[str, SensorType]) -> None:
    """Write the default file, readable by its owner alone.

    Raises:
        ConfigError: there is one already.
        AttendError: it cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(default_text(types))
    except OSError as error:
        if isinstance(error, FileExistsError) and path.exists():
            hint = "`attend config show` prints what is in force"
            raise ConfigError(f"{path} exists already", hint=hint) from None
        if not isinstance(error, FileExistsError):
            with contextlib.suppress(OSError):
                path.unlink()  # a part of it would be in the way next time
        hint = "without it every default is in force"
        raise AttendError(f"{path} cannot be written: {error.strerror}", hint=hint) from None


def effective(config: Config, sensors: Mapping[str, SensorConfig]) -> Table:
    """Return everything in force, defaults included, as plain tables."""
    plain: Table = msgspec.to_builtins(config)
    plain["sensors"] = {name: msgspec.to_builtins(table) for name, table in sensors.items()}
    return plain


def as_toml(table: Table, name: str = "") -> str:
    """Write tables as TOML."""
    plain = [f"{_key(k)} = {as_value(v)}" for k, v in table.items() if not isinstance(v, dict)]
    blocks = ["\n".join([*([f"[{name}]"] if name else []), *plain])] if plain else []
    for key, value in table.items():
        if isinstance(value, dict):
            blocks.append(as_toml(value, f"{name}.{_key(key)}" if name else _key(key)))
    return "\n\n".join(block for block in blocks if block)


def as_value(value: Any) -> str:  # noqa: ANN401 - whatever TOML holds
    """Write one value as TOML does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(as_value(inner) for inner in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {as_value(v)}" for k, v in value.items()) + "}"
    return str(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else as_value(key)


def _default(field: shapes.Field) -> Any:  # noqa: ANN401 - whatever the field holds
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default_factory())
    return "" if field.default is msgspec.NODEFAULT else msgspec.to_builtins(field.default)


def _meanings(struct: type[msgspec.Struct]) -> Mapping[str, str]:
    """Read what each field means from the docstrings of a struct and its bases."""
    meanings = dict.fromkeys(struct.__struct_fields__, "")
    for base in reversed(struct.__mro__):
        listed = (inspect.cleandoc(base.__doc__ or "")).partition("Attributes:\n")[2]
        for name, text in _ENTRY.findall(textwrap.dedent(listed.partition("\n\n")[0])):
            meanings[name] = " ".join(text.replace("``", "`").split()).removesuffix(".")
    return meanings


def _comment(text: str, mark: str = "# ") -> list[str]:
    return textwrap.wrap(text, 90, initial_indent=mark, subsequent_indent=mark)
