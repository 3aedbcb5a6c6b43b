"""PCI addresses: one type for the many spellings of one function.

sysfs prints ``0000:c1:00.0`` (kernel ``drivers/pci/probe.c``; the domain grows beyond four digits on hosts with VMD),
NVML and nvidia-smi ``00000000:C1:00.0``, lspci on a one-domain host ``c1:00.0``. KFD stores ``(bus << 8) | devfn``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from numaaudit.core.errors import ParseError

_ADDRESS = re.compile(r"(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


class PciAddress(NamedTuple):
    """A PCI function; orders by number and prints as sysfs does."""

    domain: int
    bus: int
    device: int
    function: int

    @classmethod
    def parse(cls, text: str) -> PciAddress:
        """Read any of the usual spellings; ParseError for anything else."""
        match = _ADDRESS.fullmatch(text.strip())
        if not match or int(match[3], 16) > 31:
            raise ParseError("not a PCI address: %.40r" % text)
        return cls(int(match[1] or "0", 16), int(match[2], 16), int(match[3], 16), int(match[4]))

    @classmethod
    def from_kfd(cls, domain: int, location_id: int) -> PciAddress:
        """KFD's ``domain`` and ``location_id`` (kernel ``drivers/gpu/drm/amd/amdkfd/kfd_topology.c``)."""
        return cls(domain, location_id >> 8 & 0xFF, location_id >> 3 & 0x1F, location_id & 7)

    def __str__(self) -> str:
        return "%04x:%02x:%02x.%x" % self

    @property
    def slot(self) -> str:
        """The device without its function: ``0000:c1:00``."""
        return "%04x:%02x:%02x" % self[:3]
