"""``npu-smi info -t topo`` (Huawei Ascend): links between NPUs and, on some models, the CPUs that are local to each.

Rows are called NPUn or Phy-IDn, and numbers may have holes. Newer models and NIC rows have no CPU Affinity cell.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import cpus_or_none, lines_of

_NPU = r"(?:NPU|Phy-ID)(\d{1,5})"
_HEADER = r"[ \t]*((?:NPU|Phy-ID)\d{1,5}(?:[ \t]+[A-Za-z][\w.-]*)*?)([ \t]+CPU[ \t]+Affinity)?[ \t]*"
_LEVEL = r"[A-Z][A-Z0-9_]{0,15}"


class NpuRow(NamedTuple):
    """One NPU; ``cpu_affinity`` is None where the table has no such cell."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    cpu_affinity: CpuSet | None


class NpuLink(NamedTuple):
    """The cell in row ``a`` and column ``b``, as printed; ``NA`` (unknown) is left out."""

    a: str
    b: str
    level: str


class NpuSmiTopo(NamedTuple):
    """``columns``: the devices of the header."""

    columns: tuple[str, ...]
    npus: tuple[NpuRow, ...]
    links: tuple[NpuLink, ...]


def parse(text: str) -> NpuSmiTopo:
    """The first matrix of the text; ParseError where there is none."""
    lines = lines_of(text)
    for number, line in enumerate(lines):
        header = re.fullmatch(_HEADER, line)
        rows = _rows(lines[number + 1 :], tuple(header[1].split())) if header else []
        if header and rows:
            npus = tuple(NpuRow(int(number), cpus_or_none(affinity)) for number, _, _, affinity in rows)
            return NpuSmiTopo(tuple(header[1].split()), npus, tuple(_links(rows, tuple(header[1].split()))))
    raise ParseError("no NPU columns followed by an NPU row", 1)


_Row = tuple[str, str, list[str], "str | None"]  # number, label, levels, CPU affinity


def _rows(lines: list[str], columns: tuple[str, ...]) -> list[_Row]:
    rows: list[_Row] = []
    for line in lines:
        label, *cells = line.split() or [""]
        match, levels = re.fullmatch(_NPU, label), cells[: len(columns)]
        if label not in columns or not levels or not all(re.fullmatch(_LEVEL, each) for each in levels):
            break
        if match and label not in [row[1] for row in rows]:
            rows.append((match[1], label, levels, cells[len(columns)] if len(cells) == len(columns) + 1 else None))
    return rows


def _links(rows: list[_Row], columns: tuple[str, ...]) -> list[NpuLink]:
    return [NpuLink(a, b, level) for _, a, levels, _ in rows for b, level in zip(columns, levels) if a != b and level != "NA"]


PARSER = Parser(
    parse,
    reads=(Command(("npu-smi", "info", "-t", "topo")),),
    looks_like=(
        r"^[ \t]*(?:NPU|Phy-ID)\d{1,5}[ \t]+(?:NPU|Phy-ID|NIC|CPU)[^\n]*\n[ \t]*(?:NPU|Phy-ID)\d{1,5}[ \t]+[A-Z]"
        r"|^[ \t]*(?:NPU|Phy-ID)\d{1,5}[ \t]*\n[ \t]*(?:NPU|Phy-ID)\d{1,5}[ \t]+X[ \t\r]*$"
    ),
)
