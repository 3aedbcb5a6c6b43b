"""``numactl --hardware`` (numactl(8), numactl.c ``hardware()``): CPUs, memory and distances of the NUMA nodes.

Node numbers may have holes. A memory-only node has ``cpus:`` and nothing behind it. MB are 1024-based. Terminals break long
lines, also inside a number, and people cut the text short; what is missing is None.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID, CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.units import parse_bytes
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import lines_of

_NO_NUMA = re.compile(r"No NUMA (?:available|support available) on this system", re.IGNORECASE)
_FIELD = re.compile(r"[ \t]*node (\d{1,4}) (cpus|size|free):[ \t]*(.*)")
_NUMBERS = re.compile(r"[ \t]*(\d[\d \t]*)")
_TABLE_HEADER = re.compile(r"[ \t]*node[ \t]+(\d[\d \t]*)")
_TABLE_ROW = re.compile(r"[ \t]*(\d{1,4}):[ \t]*([\d \t]*)")


class NumactlNode(NamedTuple):
    """One NUMA node; sizes in bytes, rounded by the tool to MiB."""

    id: int
    cpus: CpuSet | None
    size_bytes: int | None
    free_bytes: int | None


class DistanceMatrix(NamedTuple):
    """SLIT distances: ``rows[i][j]`` from ``numa_nodes[i]`` to ``numa_nodes[j]``; None where the text is cut."""

    numa_nodes: tuple[int, ...]
    rows: tuple[tuple[int | None, ...], ...]


class NumactlHardware(NamedTuple):
    """``supported`` is False where the tool says that the kernel has no NUMA; ``distances`` is None without a table."""

    numa_nodes: tuple[NumactlNode, ...]
    distances: DistanceMatrix | None
    supported: bool = True


def parse(text: str) -> NumactlHardware:
    """ParseError where no NUMA node is described."""
    if _NO_NUMA.search(text):
        return NumactlHardware((), None, supported=False)
    lines = lines_of(text)
    nodes, distances = _numa_nodes(lines), _distances(lines)
    if not nodes and distances is None:
        raise ParseError("no NUMA node is described", 1)
    return NumactlHardware(nodes, distances)


def _numa_nodes(lines: list[str]) -> tuple[NumactlNode, ...]:
    fields: dict[int, dict[str, str]] = {}
    for number, line in enumerate(lines):
        match = _FIELD.fullmatch(line)
        if match:
            value = _unbroken([match[3], *_continuation(lines, number + 1)]) if match[2] == "cpus" else match[3]
            fields.setdefault(_checked(match[1], number), {}).setdefault(match[2], value)
    return tuple(
        NumactlNode(number, _cpus(known.get("cpus")), _size(known.get("size")), _size(known.get("free")))
        for number, known in fields.items()
    )


def _checked(number: str, line: int) -> int:
    if len(number) > 4 or int(number) > MAX_NUMA_NODE_ID:
        raise ParseError(f"NUMA node {number:.20} is above {MAX_NUMA_NODE_ID}", line + 1)
    return int(number)


def _continuation(lines: list[str], number: int) -> list[str]:
    """The lines of bare numbers from here on."""
    end = number
    while end < len(lines) and _NUMBERS.fullmatch(lines[end]):
        end += 1
    return lines[number:end]


def _unbroken(parts: list[str]) -> str:
    """Ascending numbers, joined where a terminal broke the line; at a break inside a number the halves belong together."""
    widest = max(len(part) for part in parts)
    joined = parts[0].split()
    for before, part in pairwise(parts):
        words = part.split()
        if joined and words and not part[0].isspace() and not before[-1:].isspace() and _is_split(joined, words, len(before) >= widest):
            joined[-1:] = [joined[-1] + words.pop(0)]
        joined += words
    return " ".join(joined)


def _is_split(joined: list[str], words: list[str], full: bool) -> bool:
    """Whether the last and the next word are halves of one number; ``full``: the line has no blank lost at its end."""
    around = [joined[-2] if len(joined) > 1 else "0", words[1] if len(words) > 1 else "999999999"]
    if not all(word.isascii() and word.isdigit() and len(word) <= 9 for word in (*around, joined[-1], words[0])):
        return False
    below, above = int(around[0]), int(around[1])
    apart = below < int(joined[-1]) < int(words[0]) < above
    whole = below < int(joined[-1] + words[0]) < above
    return whole and (full or not apart)


def _cpus(value: str | None) -> CpuSet | None:
    try:
        return None if value is None else CpuSet.parse(",".join(value.split()))
    except ParseError:
        return None


def _size(value: str | None) -> int | None:
    try:
        return None if value is None else parse_bytes(value)
    except ParseError:
        return None


def _distances(lines: list[str]) -> DistanceMatrix | None:
    for number, line in enumerate(lines):
        match = _TABLE_HEADER.fullmatch(line)
        if not match:
            continue
        more = _continuation(lines, number + 1)
        ids = [_checked(word, number) for word in _unbroken([match[1], *more]).split()]
        rows = _rows(lines, number + 1 + len(more), len(ids))
        if rows and len(set(ids)) == len(ids):
            return DistanceMatrix(tuple(ids), tuple(rows.get(numa_node, (None,) * len(ids)) for numa_node in ids))
    return None


def _rows(lines: list[str], number: int, width: int) -> dict[int, tuple[int | None, ...]]:
    rows: dict[int, tuple[int | None, ...]] = {}
    while number < len(lines) and (match := _TABLE_ROW.fullmatch(lines[number])):
        more = _continuation(lines, number + 1)
        cells = _row_cells([match[2], *more], width)
        rows.setdefault(_checked(match[1], number), tuple(cells + [None] * (width - len(cells))))
        number += 1 + len(more)
    return rows


def _row_cells(parts: list[str], width: int) -> list[int | None]:
    """The distances of a row, broken between or inside numbers; of a row that fits neither way, its first line."""
    readings = (" ".join(parts).split(), "".join(parts).split(), parts[0].split())
    words = next((words for words in readings if len(words) == width), readings[2])
    return [int(word) if len(word) <= 5 else None for word in words[:width]]


_BODY = r"[^\n]*\n(?:(?:node \d+ |[ \t]*\d)[^\n]*\n|[ \t]*\n)*(?:node distances:[^\n]*\n(?:node[ \t][^\n]*)?)?"

PARSER = Parser(
    parse,
    reads=(Command(("numactl", "--hardware")), Command(("numactl", "-H"))),
    looks_like=(
        rf"^[ \t]*(?:available: \d+ nodes? \(|node \d+ cpus:){_BODY}"
        rf"|^[ \t]*node[ \t]+\d[\d \t]*\n[ \t]*\d+:[ \t]+\d|^{_NO_NUMA.pattern}"
    ),
)
