"""Pasted text: known outputs are found by their content and cut out; what is none is a gap with its lines.

Around the outputs stand prompts, Markdown fences and headings; in front of each line a quotation mark, a timestamp or the name
of a container may stand. Nothing of it moves a line, so that evidence has the numbers of the text as it was pasted.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Found, Parser, Part
from numaaudit.parse.parsers.numa_maps import PARSER as NUMA_MAPS
from numaaudit.parse.text import strip_ansi

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_LEVEL = r"(?:DEBUG|INFO|WARN|WARNING|ERROR)"
# What stands before a line: a quotation mark, a timestamp, syslog's head, a container's name, a logger's head; at most three of them.
_PREFIX = (
    r"^(?:"
    r"(?:>[ ]?){1,8}"
    rf"|\[?\d{{4}}-\d\d-\d\d[T ]{_TIME}(?:Z|[+-]\d\d:?\d\d)?\]?[ ]"
    rf"|\[?{_TIME}\]?[ ]"
    rf"|[A-Z][a-z]{{2}} [ \d]\d {_TIME} [\w.-]{{1,64}} [\w./@-]{{1,64}}(?:\[\d{{1,9}}\])?:[ ]"
    r"|\[pod/[\w./-]{1,300}\][ ]"
    r"|[\w.-]{1,64}[ ]{0,32}\|[ ]"
    rf"|\([^()\n]{{1,60}}\) {_LEVEL} \d\d-\d\d {_TIME} \[?[\w./]{{1,80}}:\d{{1,5}}\] ?"
    rf"|\[{_LEVEL}\][ ]|{_LEVEL}:?[ ]"
    r"){1,3}"
)
_FENCE = r"[ \t]{0,12}(?:```|~~~)[^\n]*"
_PROMPT = (
    r"(?:\([\w.-]{1,40}\) )?"
    r"(?:\[?[\w.-]{1,64}@[\w.-]{1,64}[^\n$#%]{0,200}[$#%][ ]?|(?:[$%>+]|#{1,6})[ ]|\+{1,4}[ ]|sh-\d[\d.]{0,8}[$#][ ])([^\n]*)"
)
_BOUNDARY = re.compile(rf"(?:{_FENCE}|{_PROMPT})$")
# What belongs to no output and says nothing, and paragraphs that continue a table: legends, further columns of it.
_BLANK = re.compile(r"[\W_]*$")
_CONTINUES = re.compile(r"[ \t]*(?:(?:NIC )?Legend:|\S{1,8}[ \t]+= |NIC\d{1,4}:|(?:PID[ \t]+)?Node ?\d)", re.I)


class _Start(NamedTuple):
    """Where a format was found: its first line, and the last one that its expression took."""

    line: int
    last: int
    parser: Parser


class _Text:
    """A pasted file: its lines as they read (``shown``), and as they are without what stands before each (``lines``)."""

    def __init__(self, file: File) -> None:
        self.file = file
        shown = _readable(file.text)
        self.shown = shown.split("\n")
        self.lines = re.sub(_PREFIX, "", shown, flags=re.M).split("\n")

    def starts(self, parsers: Iterable[Parser]) -> list[_Start]:
        """The first parser that finds its format in a line has it.

        A numa_maps can have a million lines; the others are not searched for in it.
        """
        found: dict[int, _Start] = {}
        for start in _matches("\n".join(self.lines), NUMA_MAPS):
            found[start.line] = start
        rest = "\n".join(_blanked(self.lines, found.values()))
        for parser in parsers:
            for start in _matches(rest, parser):
                found.setdefault(start.line, start)
        return [found[line] for line in sorted(found)]

    def heard(self, logs: Iterable[Parser], starts: Iterable[_Start]) -> dict[Parser, set[int]]:
        """The parsers of logs that find something, and in which lines."""
        rest = "\n".join(_blanked(self.shown, [start for start in starts if start.parser is NUMA_MAPS]))
        matches = {parser: list(_matches(rest, parser)) for parser in logs}
        return {parser: {line for each in found for line in range(each.line, each.last + 1)} for parser, found in matches.items() if found}

    def piece(self, first: int, end: int) -> File:
        """Lines from ``first`` to before ``end`` as a file of their own, which knows where it begins."""
        return self._file("\n".join(self.lines[first:end]), first)

    def whole(self) -> File:
        return self._file("\n".join(self.shown), 0)

    def _file(self, text: str, first: int) -> File:
        data = text.encode("utf-8", "surrogateescape")
        return File(self.file.path, data, self.file.origin, self.file.first_line + first)


def _matches(text: str, parser: Parser) -> Iterator[_Start]:
    offsets: list[int] = []
    for match in parser.matches(text):
        offsets = offsets or [0, *(newline.end() for newline in re.finditer("\n", text))]
        yield _Start(bisect_right(offsets, match.start()) - 1, bisect_right(offsets, max(match.start(), match.end() - 1)) - 1, parser)


def _blanked(lines: list[str], starts: Iterable[_Start]) -> list[str]:
    """The lines with none where something was found."""
    left = list(lines)
    for start in starts:
        left[start.line : start.last + 1] = [""] * (start.last + 1 - start.line)
    return left


def _readable(text: str) -> str:
    """As a terminal would show it: without control sequences, of an overwritten line the last state."""
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(strip_ansi(line).rpartition("\r")[2] for line in lines) if _needs_reading(text) else text


def _needs_reading(text: str) -> bool:
    return any(sign in text for sign in ("\r", "\x1b", "\ufffd[", "^[[", "[4m", "[0m"))


def recognise(file: File, parsers: Iterable[Parser], strict: bool = True) -> Iterator[Part | Gap]:
    """Every known output of a text as a record, then what is unknown.

    ``strict``: what is not recognised is a gap with its lines; an unknown command's output is simply not ours to read.
    """
    text = _Text(file)
    logs = [parser for parser in parsers if "logs/*" in parser.reads]
    starts = text.starts(parser for parser in parsers if parser not in logs and parser is not NUMA_MAPS)
    known: set[int] = set()
    for start, end in _cut(text, starts):
        result = _parse(start.parser, text.piece(start.line, end), _command_above(text, start.line, known))
        known.update(_extent(text, start, end))
        yield result
    heard = text.heard(logs, starts)
    for parser in heard:
        yield _parse(parser, text.whole(), None)
    if strict:
        yield from _unknown(text, known, {line for lines in heard.values() for line in lines})


def _parse(parser: Parser, file: File, command: str | None) -> Part | Gap:
    """A ParseError becomes a gap that names the line."""
    try:
        return Part(parser.record, Found(parser.parse(file.text), file, command=command))
    except ParseError as error:
        where = f"line {error.line + file.first_line - 1}: " if error.line else ""
        return Gap("unparsable", file.path, where + error.reason)


def _cut(text: _Text, starts: list[_Start]) -> Iterator[tuple[_Start, int]]:
    """Each start and the line before which its text ends: at the next one, at a prompt, at a fence."""
    for start, following in pairwise([*starts, None]):
        if start is not None:
            limit = following.line if following else len(text.lines)
            yield start, next((line for line in range(start.last + 1, limit) if _BOUNDARY.match(text.lines[line])), limit)


def _command_above(text: _Text, line: int, known: set[int]) -> str | None:
    """The command of the nearest prompt above, if nothing but blank lines and fences stands between."""
    while line > 0 and line - 1 not in known:
        line -= 1
        match = _BOUNDARY.match(text.lines[line])
        if match and match[1]:
            return match[1].strip()
        if not match and not _BLANK.match(text.lines[line]):
            return None
    return None


def _extent(text: _Text, start: _Start, end: int) -> Iterator[int]:
    """The lines that are the output's: to the end of its paragraph, and further paragraphs that continue it."""
    yield from range(start.line, min(start.last + 1, end))
    belongs = bool(text.lines[start.last].strip())
    for line in range(start.last + 1, end):
        if not text.lines[line].strip():
            belongs = False
        elif belongs or _CONTINUES.match(text.lines[line]):
            belongs = True
            yield line


def _unknown(text: _Text, known: set[int], heard: set[int]) -> Iterator[Gap]:
    """Runs of lines that are no output's, no prompt and no decoration; one in which a launcher speaks is a log, and understood."""
    for run in _runs(text, known):
        if heard.isdisjoint(run):
            first, last = (text.file.first_line + line for line in (run[0], run[-1]))
            where = f"lines {first}-{last}" if last > first else f"line {first}"
            yield Gap("unrecognised", text.file.path, f"{where}: no known output")


def _runs(text: _Text, known: set[int]) -> Iterator[list[int]]:
    """A line that ends in a colon right above an output, a prompt or a fence is a heading."""
    run: list[int] = []
    for line, content in enumerate(text.lines):
        if line in known or _BOUNDARY.match(content):
            if run and text.lines[run[-1]].rstrip().endswith(":"):
                run.pop()
            if run:
                yield run
            run = []
        elif not _BLANK.match(content):
            run.append(line)
    if run:
        yield run
