"""Writes JSON without the json module: plain ASCII, and nothing in it that begins a tag."""

_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_STEP = "  "
_LAST_OF_ONE = 0xFFFF


def document(value: object, indent: str = "") -> str:
    """Write a value: texts, numbers, truth values, ``None``, and lists and dicts of such."""
    deeper = indent + _STEP
    if isinstance(value, dict):
        items = [f"{quoted(str(key))}: {document(each, deeper)}" for key, each in value.items()]
        return _within("{}", items, indent)
    if isinstance(value, (list, tuple)):
        return _within("[]", [document(each, deeper) for each in value], indent)
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def quoted(text: str) -> str:
    """Write a text; a ``<`` goes as its number, since a model may be shown what we print."""
    return '"' + "".join(map(_char, text)) + '"'


def _char(char: str) -> str:
    if char in _ESCAPED:
        return _ESCAPED[char]
    if " " <= char <= "~" and char != "<":
        return char
    code = ord(char)
    if code > _LAST_OF_ONE:
        code -= _LAST_OF_ONE + 1
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def _within(brackets: str, items: list[str], indent: str) -> str:
    if not items:
        return brackets
    inner = f",\n{indent}{_STEP}".join(items)
    return f"{brackets[0]}\n{indent}{_STEP}{inner}\n{indent}{brackets[1]}"
