"""Says where bytes of the user's are no UTF-8, the one encoding that attend and TOML have."""

import codecs

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def flaw(data: bytes) -> tuple[str, str]:
    """Say what keeps bytes from being UTF-8 text, and what to do; two empty texts: nothing.

    Lines and the bytes in them are counted from 1.
    """
    if data.startswith(_UTF_16):
        return "not UTF-8 but UTF-16", "write it as UTF-8: iconv -f utf-16 -t utf-8"
    if data.startswith(codecs.BOM_UTF8):
        return "it begins with a byte order mark", "write it as UTF-8 without one"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, byte = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        at = f"line {line}, byte {byte} (0x{data[error.start]:02x})"
        hint = "write it as UTF-8; from Latin-1, iconv -f latin1 -t utf-8 does so"
        return f"not UTF-8: {at}", hint
    return "", ""
