"""``/proc/PID/fdinfo/FD`` of an open GPU (Documentation/gpu/drm-usage-stats.rst): amdgpu, i915, xe, nouveau; not NVIDIA's driver."""

from typing import NamedTuple

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.core.units import KIB, MIB
from numaaudit.parse.fields import decimal, numbered
from numaaudit.parse.parser import Parser


class DrmFdinfo(NamedTuple):
    """One open file. ``driver`` None: not a GPU's."""

    driver: str | None  # drm-driver
    pci_address: PciAddress | None  # drm-pdev
    client_id: int | None  # drm-client-id: equal for duplicates of one open file
    engine_ns: int | None  # sum of drm-engine-*: time the GPU worked for it
    resident_bytes: int | None  # sum of drm-resident-*, else of drm-memory-*


_UNITS = {"": 1, "KiB": KIB, "MiB": MIB}


def parse(text: str) -> DrmFdinfo:
    """Read ``key: value`` lines; ParseError for an impossible value, or for a text that is no fdinfo."""
    values: dict[str, tuple[str, int]] = {}
    for number, line in numbered(text):
        key, _, value = line.partition(":")
        values[key] = (value.strip(), number)
    if "flags" not in values and "drm-driver" not in values:
        raise ParseError("no line of fdinfo")
    engines = [
        _time(*value) for key, value in values.items() if key.startswith("drm-engine-") and not key.startswith("drm-engine-capacity-")
    ]
    regions = _regions(values, "drm-resident-") or _regions(values, "drm-memory-")
    return DrmFdinfo(
        values["drm-driver"][0] if "drm-driver" in values else None,
        PciAddress.parse(values["drm-pdev"][0]) if "drm-pdev" in values else None,
        decimal(*values["drm-client-id"]) if "drm-client-id" in values else None,
        sum(engines) if engines else None,
        sum(regions) if regions else None,
    )


def _time(value: str, line: int) -> int:
    return decimal(value.removesuffix(" ns"), line)


def _regions(values: dict[str, tuple[str, int]], prefix: str) -> list[int]:
    return [_size(*value) for key, value in values.items() if key.startswith(prefix)]


def _size(value: str, line: int) -> int:
    number, _, unit = value.partition(" ")
    if unit not in _UNITS:
        raise ParseError(f"not a size: {value:.40}", line)
    return decimal(number, line) * _UNITS[unit]


PARSER = Parser(parse, reads=("proc/[0-9]*/fdinfo/[0-9]*",))
