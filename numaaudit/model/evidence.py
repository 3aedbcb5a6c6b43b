"""Evidence: the line that proves a fact."""

import re
from functools import lru_cache
from typing import NamedTuple

from numaaudit.bundle.tree import File

MOST_CHARACTERS = 4096  # of a line: the kubelet writes its state in one of any length, and every pod cites it


class Evidence(NamedTuple):
    """A line of a file; ``line`` counts from 1 in the input and is None where the fact is a sum over the whole file.

    Of a long line ``text`` has the part around what is cited, with ``...`` where it was cut.
    """

    file: File
    line: int | None = None
    text: str = ""

    @property
    def path(self) -> str:
        return self.file.path


def cite(file: File, *needles: str) -> Evidence:
    """The first line that contains the first of ``needles`` that occurs; the first line of all for none; no line where none occurs."""
    text = file.text
    at = next((found for needle in needles if (found := text.find(needle)) >= 0), -1 if needles else 0)
    if at < 0:
        return Evidence(file)
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else None].rstrip("\r\0")
    return Evidence(file, file.first_line + text.count("\n", 0, start), _around(line, at - start))


def cite_line(file: File, line: int) -> Evidence:
    """Line number ``line`` of a text, counted from 1 in that text; no line where there is none of that number.

    Lines end at a newline, for parsers too: a log's progress bars have carriage returns, and other separators mean nothing to the kernel.
    """
    lines = _lines(file)
    if not 0 < line <= len(lines) - (not lines[-1]):
        return Evidence(file)
    return Evidence(file, file.first_line + line - 1, _around(lines[line - 1].rstrip("\r\0")))


@lru_cache(maxsize=1)
def _lines(file: File) -> list[str]:
    """Of the file that was asked last: a storm of errors in the kernel's log cites ten thousands of its lines."""
    return file.text.split("\n")


def cite_entry(file: File, name: str) -> Evidence:
    """The entry ``NAME=value`` of a NUL-separated file such as environ, which has no lines."""
    entry = next((entry for entry in file.text.split("\0") if entry.startswith(f"{name}=")), "")
    return Evidence(file, None, _around(entry))


def cite_link(path: str, target: str) -> Evidence:
    """A symbolic link as evidence: its target is its one line."""
    return Evidence(File(path, target.encode("utf-8", "surrogateescape"), path), 1, target)


def cite_match(file: File, pattern: str) -> Evidence:
    """The first line in which an expression matches; no line where it does nowhere."""
    match = re.search(pattern, file.text)
    return cite_line(file, file.text.count("\n", 0, match.start()) + 1) if match else Evidence(file)


def _around(line: str, at: int = 0) -> str:
    """What is shown of a line."""
    if len(line) <= MOST_CHARACTERS:
        return line
    start = max(0, min(at - MOST_CHARACTERS // 2, len(line) - MOST_CHARACTERS))
    end = start + MOST_CHARACTERS
    return ("..." if start else "") + line[start:end] + ("..." if end < len(line) else "")
