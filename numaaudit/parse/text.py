"""What pasted text carries besides the output itself: colour codes, line ends, padded cells."""

import re

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError

# ECMA-48 control sequences and operating system commands. A copy through another encoding turns the escape byte into
# U+FFFD or "^[", and some terminals drop it altogether, which leaves "[4m".
_ESCAPES = re.compile("\x1b\\][^\x07\x1b]{0,256}(?:\x07|\x1b\\\\)|(?:\x1b|\ufffd|\\^\\[)\\[[0-?]{0,32}[ -/]{0,4}[@-~]")
_BARE_COLOURS = re.compile(r"\[\d[\d;]{0,14}m")
_UNKNOWN = frozenset(("", "-", "--", "n/a", "[n/a]", "na", "none", "not supported", "[not supported]", "unknown", "[unknown error]"))


def strip_ansi(text: str) -> str:
    """The text without terminal control sequences, whole or mangled."""
    if any(escape in text for escape in ("\x1b", "\ufffd[", "^[[")):
        text = _ESCAPES.sub("", text)
    return _BARE_COLOURS.sub("", text)


def lines_of(text: str) -> list[str]:
    """The lines without control sequences and line ends; entry 0 is line 1."""
    return strip_ansi(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def known(cell: str) -> str | None:
    """The cell's text; None where it is blank or says that the tool does not know (``N/A``, ``-``, ``[Not Supported]``)."""
    stripped = cell.strip(" \t\0")
    return None if stripped.lower() in _UNKNOWN else stripped


def cpus_or_none(cell: str | None) -> CpuSet | None:
    """A printed CPU list; None where the tool does not know or the list cannot be read."""
    text = known(cell) if cell is not None else None
    try:
        return None if text is None else CpuSet.parse(text)
    except ParseError:
        return None


def nodes_or_none(cell: str | None) -> NodeSet | None:
    """A printed list of NUMA nodes; None where the tool does not know or the list cannot be read."""
    text = known(cell) if cell is not None else None
    try:
        return None if text is None else NodeSet.parse(text)
    except ParseError:
        return None


def int_or_none(cell: str | None) -> int | None:
    """A non-negative decimal number of at most 18 digits; None for anything else."""
    text = cell.strip() if cell is not None else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
