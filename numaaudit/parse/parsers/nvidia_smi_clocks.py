"""``nvidia-smi -q -d PERFORMANCE,POWER,CLOCK``: what holds a GPU's clocks down, and how high they are.

The section is "Clocks Throttle Reasons" before driver 530 and "Clocks Event Reasons" since; driver 570 prints "Clocks Event Reasons
Counters" after it, with the same names and times in place of "Active". The reasons are those of NVML (nvmlClocksEventReasons).
"""

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parser import Command, Parser
from numaaudit.parse.text import int_or_none, lines_of

_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])[ \t]*")
_REASONS = ("Clocks Event Reasons", "Clocks Throttle Reasons")
_SECTION_INDENT = 4


class Reason(NamedTuple):
    """One that is active, as printed: ``SW Power Cap``."""

    name: str
    line: int


class GpuClocks(NamedTuple):
    """One GPU. ``reasons`` None: the driver does not tell (``N/A``). Clocks in MHz; None where it does not tell."""

    pci_address: PciAddress
    reasons: tuple[Reason, ...] | None
    sm_mhz: int | None
    max_sm_mhz: int | None


class NvidiaSmiClocks(NamedTuple):
    """In the driver's order."""

    gpus: tuple[GpuClocks, ...]


class _Item(NamedTuple):
    """``name : value`` below the heading of a section."""

    section: str
    name: str
    value: str
    line: int


def parse(text: str) -> NvidiaSmiClocks:
    """ParseError for a text without a GPU."""
    items: dict[PciAddress, list[_Item]] = {}
    own: list[_Item] = []
    section = ""
    for number, line in enumerate(lines_of(text), 1):
        gpu = _GPU.fullmatch(line)
        if gpu:
            own = items.setdefault(PciAddress.parse(gpu[1]), [])
        name, colon, value = line.partition(":")
        if len(line) - len(line.lstrip()) <= _SECTION_INDENT:
            section = name.strip()
        elif colon:
            own.append(_Item(section, name.strip(), value.strip(), number))
    if not items:
        raise ParseError("no GPU")
    return NvidiaSmiClocks(tuple(_gpu(address, found) for address, found in items.items()))


def _gpu(address: PciAddress, items: list[_Item]) -> GpuClocks:
    told = [item for item in items if item.section in _REASONS and item.value in ("Active", "Not Active")]
    active = tuple(Reason(item.name, item.line) for item in told if item.value == "Active")
    return GpuClocks(address, active if told else None, _mhz(items, "Clocks"), _mhz(items, "Max Clocks"))


def _mhz(items: list[_Item], section: str) -> int | None:
    found = next((item.value for item in items if (item.section, item.name) == (section, "SM")), None)
    return int_or_none(found.removesuffix(" MHz")) if found else None


PARSER = Parser(
    parse,
    reads=(Command(("nvidia-smi", "-q", "-d", "PERFORMANCE,POWER,CLOCK")),),
    looks_like=r"^=+NVSMI LOG=+[ \t]*(?:\n(?!=)[^\n]*){0,400}?\n[ ]{4}Clocks (?:Event|Throttle) Reasons[ \t]*(?:\n(?!=)[^\n]*)*",
)
