"""``numastat``, ``numastat -p`` and ``numastat -m`` (numactl's numastat.c): three tables with one column per NUMA node.

The first counts pages allocated since boot (``nodeN`` columns); ``-n`` prints the same in MB. The others are in MB of 1024*1024
bytes, rounded to two digits or, with ``-c``, to whole ones. Narrow terminals get several tables with some of the columns each.
"""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.units import MIB
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import lines_of

COUNTERS = ("numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node")

_TITLE = r"[ \t]*Per-node (process memory usage|numastat info|system memory usage)[^\n]*?(?:for PID (\d{1,9})(?: \((.*)\))?)?[ \t]*:?"
_HEADER = r"(?i)[ \t]*(?:PID[ \t]+)?(?:node[ \t]?\d{1,4}[ \t]+)*node[ \t]?\d{1,4}(?:[ \t]+total)?[ \t]*"
_NODE = r"(?i)node[ \t]?(\d{1,4})"
_NUMBER = r"\d{1,18}(?:\.\d{1,6})?"
_PROCESS = r"(\d{1,9})(?: \(([^)]*)\)?)?"
_NO_PROCESS = r"[ \t]*Found no processes containing pattern"


class NodeCounters(NamedTuple):
    """Pages since boot; None for a line that is missing."""

    numa_node: int
    counters: dict[str, int]


class NodeMemory(NamedTuple):
    """``-m``: bytes of MemTotal and MemFree."""

    numa_node: int
    total_bytes: int | None
    free_bytes: int | None


class ProcessMemory(NamedTuple):
    """``-p``: bytes on each NUMA node; the name is cut by the tool."""

    pid: int
    name: str | None
    bytes_by_node: dict[int, int]


class Numastat(NamedTuple):
    """``no_process``: the pattern of ``-p`` matched none, and the tool printed the host's figures instead."""

    counters: tuple[NodeCounters, ...]
    memory: tuple[NodeMemory, ...]
    processes: tuple[ProcessMemory, ...]
    no_process: bool


class _Row(NamedTuple):
    section: str  # of the title above, "" without one
    pid: int | None  # of the title
    name: str | None
    label: str
    values: dict[int, str]


def parse(text: str) -> Numastat:
    """ParseError where there is no table with one column per NUMA node."""
    rows = _rows(text)
    if not rows:
        raise ParseError("no table with a column per NUMA node", 1)
    return Numastat(_counters(rows), _memory(rows), _processes(rows), any(map(re.compile(_NO_PROCESS).match, text.splitlines())))


def _rows(text: str) -> list[_Row]:
    rows: list[_Row] = []
    nodes: list[int] = []
    section, pid, name, width = "", None, None, 0
    titles, header = re.compile(_TITLE), re.compile(_HEADER)
    for line in lines_of(text):
        title = titles.fullmatch(line)
        if title:
            section, pid, name, nodes = title[1], int(title[2]) if title[2] else None, title[3], []
        elif header.fullmatch(line):
            nodes = [int(number) for number in re.findall(_NODE, line)]
            width = len(nodes) + ("total" in line.lower())
        elif nodes and (words := line.split()) and len(words) > width and all(re.fullmatch(_NUMBER, each) for each in words[-width:]):
            rows.append(_Row(section, pid, name, " ".join(words[:-width]), dict(zip(nodes, words[-width:]))))
    return rows


def _counters(rows: list[_Row]) -> tuple[NodeCounters, ...]:
    found: dict[int, dict[str, int]] = {}
    for row in rows:
        if not row.section and row.label in COUNTERS:
            for numa_node, value in row.values.items():
                if value.isdigit():
                    found.setdefault(numa_node, {}).setdefault(row.label, int(value))
    return tuple(NodeCounters(numa_node, counters) for numa_node, counters in found.items())


def _memory(rows: list[_Row]) -> tuple[NodeMemory, ...]:
    found: dict[str, dict[int, int]] = {"MemTotal": {}, "MemFree": {}}
    for row in rows:
        if row.section == "system memory usage" and row.label in found:
            found[row.label].update(_bytes(row))
    nodes = sorted({*found["MemTotal"], *found["MemFree"]})
    return tuple(NodeMemory(numa_node, found["MemTotal"].get(numa_node), found["MemFree"].get(numa_node)) for numa_node in nodes)


def _processes(rows: list[_Row]) -> tuple[ProcessMemory, ...]:
    """Of ``-p PID`` the Total row, of several processes one row each; the Total over all of them is no process's."""
    found: dict[int, ProcessMemory] = {}
    for row in rows:
        process = re.fullmatch(_PROCESS, row.label)
        if row.section != "process memory usage" or not (process or (row.label == "Total" and row.pid is not None)):
            continue
        pid, name = (int(process[1]), process[2]) if process else (row.pid or 0, row.name)
        found.setdefault(pid, ProcessMemory(pid, name, {})).bytes_by_node.update(_bytes(row))
    return tuple(found.values())


def _bytes(row: _Row) -> dict[int, int]:
    return {numa_node: round(float(value) * MIB) for numa_node, value in row.values.items()}


_COUNTER_LINE = rf"[ \t]*(?:{'|'.join(COUNTERS)})[ \t][^\n]*\n"

PARSER = Parser(
    parse,
    reads=(Command(("numastat",)), Command(("numastat", "-m"))),
    looks_like=(
        rf"^(?:{_NO_PROCESS}[^\n]*\n\s*)?[ \t]*Per-node (?:process memory usage|numastat info|system memory usage)"
        rf"|^[ \t]{{4,}}node\d+[^\n]*\n{_COUNTER_LINE}(?:{_COUNTER_LINE}|[ \t]*\n|[ \t]{{4,}}node\d[^\n]*\n)*"
    ),
)
