"""``npu-smi info -m`` (Huawei Ascend): which logical or physical id belongs to which chip of which NPU.

Columns differ between releases (``Chip Logic ID`` or ``Chip Phy-ID``, sometimes ``Slot ID``) and are found by the header. The
rows of the management controller (``Mcu``) have ``-`` for a logical id.
"""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none, known, lines_of

_GAP = r"[ \t]{2,}|\t"


class NpuChip(NamedTuple):
    """One chip; None is what the release does not print."""

    npu_id: int
    chip_id: int
    logic_id: int | None
    phy_id: int | None
    chip_name: str | None


class NpuSmiMap(NamedTuple):
    """Chips in the tool's order."""

    chips: tuple[NpuChip, ...]


def parse(text: str) -> NpuSmiMap:
    """ParseError without the header or without a chip below it."""
    columns: list[str] = []
    chips: list[NpuChip] = []
    for line in lines_of(text):
        cells = re.split(_GAP, line.strip())
        if "NPU ID" in cells and "Chip ID" in cells and not columns:
            columns = cells
        elif columns:
            chip = _chip(dict(zip(columns, cells)))
            if chip is None and line.strip():
                break
            chips += [chip] if chip else []
    if not chips:
        raise ParseError("no chip below a header with NPU ID and Chip ID", 1)
    return NpuSmiMap(tuple(chips))


def _chip(cells: dict[str, str]) -> NpuChip | None:
    npu_id, chip_id = int_or_none(cells.get("NPU ID")), int_or_none(cells.get("Chip ID"))
    if npu_id is None or chip_id is None:
        return None
    logic_id, phy_id = int_or_none(cells.get("Chip Logic ID")), int_or_none(cells.get("Chip Phy-ID"))
    return NpuChip(npu_id, chip_id, logic_id, phy_id, known(cells.get("Chip Name", "")))


PARSER = Parser(
    parse,
    reads=(Command(("npu-smi", "info", "-m")),),
    looks_like=r"^[ \t]*NPU ID[ \t]+(?:Slot ID[ \t]+)?Chip ID\b[^\n]*\n",
)
