"""``lscpu -e``, ``lscpu --extended=CPU,NODE,...`` and ``lscpu -p``: one row per logical CPU (util-linux lscpu(1)).

Columns are found by the header. An offline CPU, or a kernel without the fact, has ``-`` (-e) or nothing (-p) in a cell.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_CPU_ID
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none, known, lines_of

_COLUMNS = r"CPU|NODE|SOCKET|CORE|BOOK|DRAWER|CLUSTER|ONLINE"
_TABLE_HEADER = re.compile(rf"[ \t]*(?:{_COLUMNS})(?:[ \t]+[A-Za-z][\w:]*)*[ \t]*")
_PARSABLE_HEADER = re.compile(r"#[ \t]*((?:CPU|Core|Socket|Node|Book|Drawer|Online)(?:,\w*)*)[ \t]*", re.IGNORECASE)
# yes and no as lscpu translates them; -p prints Y and N
_ONLINE = dict.fromkeys("yes y 是 はい oui да ja sí si sim".split(), True) | dict.fromkeys("no n 否 いいえ non нет nein não".split(), False)


class LscpuCpu(NamedTuple):
    """One logical CPU; None is what the tool does not know or was not asked."""

    cpu: int
    numa_node: int | None
    socket: int | None
    core: int | None
    book: int | None
    drawer: int | None
    online: bool | None


class LscpuExtended(NamedTuple):
    """``columns`` in upper case, as asked for."""

    columns: tuple[str, ...]
    cpus: tuple[LscpuCpu, ...]


def parse(text: str) -> LscpuExtended:
    """ParseError without a header that names CPU, or without rows below it."""
    lines = lines_of(text)
    for number, line in enumerate(lines):
        columns, separator = _header(line) if line else ((), None)
        if "CPU" not in columns:
            continue
        rows = _rows(lines[number + 1 :], columns, separator)
        if not rows:
            raise ParseError("the header is followed by no CPU", number + 1)
        return LscpuExtended(columns, rows)
    raise ParseError("no header with a CPU column", 1)


def _header(line: str) -> tuple[tuple[str, ...], str | None]:
    """Column names and what separates cells: None for blanks."""
    if _TABLE_HEADER.fullmatch(line):
        return tuple(line.upper().split()), None
    match = _PARSABLE_HEADER.fullmatch(line)
    return (tuple(match[1].upper().split(",")), ",") if match else ((), None)


def _rows(lines: list[str], columns: tuple[str, ...], separator: str | None) -> tuple[LscpuCpu, ...]:
    if separator is None and "MODELNAME" in columns:  # its cells hold blanks; nothing right of it can be counted off
        columns = columns[: columns.index("MODELNAME")]
    found: dict[int, LscpuCpu] = {}
    for line in lines:
        cells = dict(zip(columns, line.split(separator)))
        cpu = int_or_none(cells.get("CPU"))
        if cpu is None or cpu > MAX_CPU_ID:
            break
        found.setdefault(cpu, _cpu(cpu, cells))
    return tuple(found.values())


def _cpu(cpu: int, cells: dict[str, str]) -> LscpuCpu:
    numa_node, socket, core, book, drawer = (int_or_none(cells.get(name)) for name in ("NODE", "SOCKET", "CORE", "BOOK", "DRAWER"))
    online = known(cells.get("ONLINE", ""))
    return LscpuCpu(cpu, numa_node, socket, core, book, drawer, _ONLINE.get(online.lower()) if online else None)


PARSER = Parser(
    parse,
    reads=(Command(("lscpu", "-e")), Command(("lscpu", "--extended=CPU,NODE,SOCKET,CORE,ONLINE")), Command(("lscpu", "-p"))),
    looks_like=(
        rf"^[ \t]*(?:{_COLUMNS})[ \t]+(?:{_COLUMNS}|L1d\S*|MAXMHZ)\b[^\n]*\n[ \t]*[\d-]+[ \t]"
        r"|^(?:#[^\n]*\n){0,8}?#[ \t]*(?:CPU|Core|Socket|Node),[^\n]*\n(?=[\d,])"
    ),
)
