"""``rocm-smi --showtopo`` (rocm_smi_lib) and Hygon's ``hy-smi --showtopo``, which prints HCU where AMD prints GPU.

``Numa Affinity`` is the PCI function's ``numa_node`` in sysfs, -1 where the kernel does not know. ``Numa Node`` is KFD's number
of the nearest CPU node, which is no proof. Weights and hops compare only inside one report.
"""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none, lines_of

_DEVICE = r"(?:GPU|HCU|DCU)"
_SECTION = r"(Weight|Hops|Link Type|Link accessible) between|Numa Nodes"
_HEADER = rf"[ \t]+(?:{_DEVICE}\[?\d{{1,4}}\]?[ \t]*)+"
_LABEL = rf"{_DEVICE}\[?(\d{{1,4}})\]?"
_NUMA = rf"[ \t]*{_DEVICE}\[(\d{{1,4}})\]\s*:\s*(?:\(Topology\)\s*)?Numa (Node|Affinity):\s*(-?\d{{1,6}})\s*"
_END = r"End of (?:ROCm )?SMI Log"


class RocmGpu(NamedTuple):
    """A GPU by rocm-smi's index; None where the tool printed -1 or nothing."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    numa_node: int | None
    numa_affinity: int | None


class RocmLink(NamedTuple):
    """Two GPUs, named ``GPU0``; what a section that is missing would have said is None."""

    a: str
    b: str
    link_type: str | None
    weight: int | None
    hops: int | None


class RocmSmiTopo(NamedTuple):
    """GPUs in order of index; each ordered pair of different GPUs at most once. ``device``: what the tool calls them."""

    gpus: tuple[RocmGpu, ...]
    links: tuple[RocmLink, ...]
    device: str = "GPU"  # HCU or DCU in hy-smi


def parse(text: str) -> RocmSmiTopo:
    """ParseError where neither a table nor a NUMA line is found."""
    tables, numa = _read(lines_of(text))
    pairs = sorted({pair for cells in tables.values() for pair in cells})
    indices = sorted({index for pair in pairs for index in pair} | numa.keys())
    if not indices:
        raise ParseError("no table between GPUs and no NUMA line", 1)
    gpus = tuple(RocmGpu(index, numa.get(index, {}).get("Node"), numa.get(index, {}).get("Affinity")) for index in indices)
    label = re.search(_LABEL, text)
    return RocmSmiTopo(gpus, tuple(_link(pair, tables) for pair in pairs if pair[0] != pair[1]), label[0][:3] if label else "GPU")


_Cells = dict[tuple[int, int], str]


def _read(lines: list[str]) -> tuple[dict[str, _Cells], dict[int, dict[str, int | None]]]:
    tables: dict[str, _Cells] = {}
    numa: dict[int, dict[str, int | None]] = {}
    columns: list[int] = []
    section = ""
    titles, numa_lines, end, header = (re.compile(each) for each in (_SECTION, _NUMA, _END, _HEADER))
    for line in lines:
        title, numa_line = titles.search(line), numa_lines.fullmatch(line)
        if end.search(line) and (tables or numa):
            break
        if title:
            section, columns = title[1] or "", []
        elif numa_line:
            numa.setdefault(int(numa_line[1]), {}).setdefault(numa_line[2], int_or_none(numa_line[3]))
        elif header.fullmatch(line):
            columns = [int(number) for number in re.findall(_LABEL, line)]
        elif section:
            tables.setdefault(section, {}).update(_row(line, columns))
    return tables, numa


def _row(line: str, columns: list[int]) -> _Cells:
    label, *cells = line.split() or [""]
    match = re.fullmatch(_LABEL, label)
    return {(int(match[1]), column): cell for column, cell in zip(columns, cells)} if match else {}


def _link(pair: tuple[int, int], tables: dict[str, _Cells]) -> RocmLink:
    weight, hops = (int_or_none(tables.get(section, {}).get(pair)) for section in ("Weight", "Hops"))
    return RocmLink(f"GPU{pair[0]}", f"GPU{pair[1]}", tables.get("Link Type", {}).get(pair), weight, hops)


PARSER = Parser(
    parse,
    reads=(Command(("rocm-smi", "--showtopo")), Command(("hy-smi", "--showtopo"))),
    looks_like=(
        r"^=+ (?:ROCm )?System Management Interface =+[ \t\r]*\n(?:[^\n]*\n){0,4}?[^\n]*(?:between (?:two )?(?:GPU|HCU|DCU)s|Numa Nodes)"
        rf"(?:(?!{_END})[^\n]*\n)*"
        rf"|^=* ?(?:Weight|Hops|Link Type) between (?:two )?(?:GPU|HCU|DCU)s(?:(?!{_END})[^\n]*\n)*"
    ),
)
