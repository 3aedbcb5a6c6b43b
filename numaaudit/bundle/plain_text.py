"""Whether bytes are a text, and the same text as UTF-8: redaction can only read what it can decode."""

from __future__ import annotations

import codecs

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# what no text holds: C0 controls but for BS, TAB, LF, FF, CR and ESC; NUL ends some of the kernel's texts
_CONTROLS = bytes(set(range(32)) - {8, 9, 10, 12, 13, 27}) + b"\x7f"


def is_text(data: bytes) -> bool:
    """Whether at most one byte in a hundred is one that no text holds; NULs at the end do not count."""
    if data.startswith(_UTF16):
        return True
    text = data.rstrip(b"\0")
    return len(text) - len(text.translate(None, _CONTROLS)) <= len(text) // 100


def utf8(data: bytes) -> bytes:
    """Without byte order mark; what Windows tools save as UTF-16 as UTF-8."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "backslashreplace").encode("utf-8", "backslashreplace")
    return data[len(codecs.BOM_UTF8) :] if data.startswith(codecs.BOM_UTF8) else data
