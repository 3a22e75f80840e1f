"""Which rows of a transcript are what a person typed, and what that was."""

from pathlib import Path

import msgspec

from attendd.harness.rows import AnyRow, AttachmentRow, Origin, UserRow, parse, text
from attendd.harness.tail import MOST_AT_ONCE, Tail

_HUMAN = "human"
_BY_PEOPLE = frozenset({"typed", "queued", "sdk"})


class _Text(msgspec.Struct):
    text: str = ""


_decode = msgspec.json.Decoder(list[_Text]).decode


def is_person(origin: Origin | None) -> bool:
    """Tell whether a person is known to be behind something."""
    return origin is not None and origin.kind == _HUMAN


def typed_ahead(row: AnyRow) -> bool:
    """Tell whether a row is a prompt that a person typed while a tool ran."""
    added = row.attachment if isinstance(row, AttachmentRow) else None
    return added is not None and added.type == "queued_command" and is_person(added.origin)


def prompted(row: UserRow) -> bool:
    """Tell whether a row is a person's prompt; old clients don't say who is behind one."""
    if row.origin is not None:
        return is_person(row.origin)
    if row.prompt_source is not None:
        return row.prompt_source in _BY_PEOPLE
    if row.is_meta or row.is_compact_summary:
        return False
    said = text(row.message.content)
    return said is not None and not said.startswith("<")


def said(transcript: Path, most: int = MOST_AT_ONCE) -> list[str]:
    """Return a person's prompts near the end of a transcript; none if it is gone."""
    rows = [parse(line) for line in Tail(transcript, first_look=most).look().lines]
    return [words for row in rows for words in _words(row)]


def _words(row: object) -> list[str]:
    if isinstance(row, UserRow) and prompted(row) and not row.is_sidechain:
        return _texts(row.message.content)
    if isinstance(row, AttachmentRow) and typed_ahead(row) and not row.is_sidechain:
        return _texts(row.attachment.prompt)
    return []


def _texts(content: msgspec.Raw) -> list[str]:
    plain = text(content)
    if plain is not None:
        return [plain]
    try:
        return [each.text for each in _decode(content)]
    except (msgspec.MsgspecError, RecursionError):
        return []
