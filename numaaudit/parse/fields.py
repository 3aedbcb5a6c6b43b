"""Strict readers of the values that kernel texts are made of."""

from collections.abc import Iterator

from numaaudit.core.errors import ParseError

_MAX_DIGITS = 20  # of an unsigned 64-bit counter


def decimal(text: str, line: int | None = None) -> int:
    """A number of decimal digits and nothing else (``int`` also takes ``1_0``, ``+1`` and foreign digits)."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ParseError(f"not a number: {text:.40}", line)
    return int(text)


def decimal_or_none(text: str, line: int | None = None) -> int | None:
    """A number of decimal digits; -1, the kernel's "unknown", is None."""
    return None if text == "-1" else decimal(text, line)


def kib(text: str, line: int | None = None) -> int:
    """Bytes of ``734744 kB``. The kernel's kB is 1024 bytes."""
    number, _, unit = text.strip().partition(" ")
    if unit.strip() != "kB":
        raise ParseError(f"not a size in kB: {text:.40}", line)
    return decimal(number, line) << 10


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line) of the lines that hold more than blanks and NUL bytes, stripped of both."""
    stripped = (line.strip(" \t\r\0") for line in text.split("\n"))
    yield from ((number, line) for number, line in enumerate(stripped, 1) if line)


def hugepages(text: str, line: int | None = None) -> int | None:
    """A count of huge pages. None where a unit follows: a size is no count (seen in hand-made trees)."""
    return None if text.endswith("kB") else decimal(text, line)
