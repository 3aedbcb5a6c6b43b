"""The comma-separated tables of ``nvidia-smi --query-...``: columns found by their header, units left to the reader.

A header cell is the property as asked for, with its unit in brackets: ``index``, ``pci.bus_id``, ``used_gpu_memory [MiB]``.
Nothing is quoted; a name that holds a comma spreads over several cells, which only one free-text column can take up.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.text import known, lines_of

_HEADER_CELL = re.compile(r"([a-z_][\w.]*)(?: \[([\w/%]{1,8})\])?")


class Row(NamedTuple):
    """Property to cell text (None: the tool does not know), the units of the header, and the line in the text."""

    cells: dict[str, str | None]
    units: dict[str, str]
    line: int


def read_table(text: str, wanted: Callable[[set[str]], bool], free_text: str) -> list[Row]:
    """The rows below the first header whose properties are ``wanted``; ParseError where there is no such header."""
    lines = lines_of(text)
    for number, line in enumerate(lines):
        if not line:
            continue
        matches = [_HEADER_CELL.fullmatch(cell.strip()) for cell in line.split(",")]
        names = [match[1] for match in matches if match]
        if len(names) == len(matches) and wanted(set(names)):
            units = {match[1]: match[2] for match in matches if match and match[2]}
            return _rows(lines, number + 1, names, units, free_text)
    raise ParseError("no header with the properties this table has", 1)


def _rows(lines: list[str], first: int, names: list[str], units: dict[str, str], free_text: str) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(lines[first:], first + 1):
        cells = _cells(line, names, free_text)
        if cells is None:
            break
        rows.append(Row({name: known(cell) for name, cell in zip(names, cells)}, units, number))
    return rows


def _cells(line: str, names: list[str], free_text: str) -> list[str] | None:
    cells = [cell.strip() for cell in line.split(",")]
    surplus = len(cells) - len(names)
    if surplus > 0 and free_text in names:
        at = names.index(free_text)
        cells[at : at + surplus + 1] = [", ".join(cells[at : at + surplus + 1])]
    return cells if len(cells) == len(names) and line.strip() else None
