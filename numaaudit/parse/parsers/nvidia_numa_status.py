"""``/proc/driver/nvidia/gpus/ADDRESS/numa_status`` (NVIDIA open-gpu-kernel-modules ``kernel-open/nvidia/nv-procfs.c``).

There only for GPUs whose memory can be a NUMA node of the kernel (Grace, POWER9).
"""

from typing import NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import decimal_or_none, numbered
from numaaudit.parse.parser import Parser


class NvidiaNumaStatus(NamedTuple):
    """Which NUMA node the memory of one GPU is."""

    numa_node: int | None  # Node; None: the driver has no number
    status: str  # disabled, offline, online_in_progress, online, online_failed, offline_in_progress, offline_failed
    size_bytes: int | None  # Size, hexadecimal without 0x


def parse(text: str) -> NvidiaNumaStatus:
    """Read ``Label: value`` lines; ParseError without Node and Status or for an impossible number."""
    values: dict[str, tuple[str, int]] = {}
    for number, line in numbered(text):
        label, _, value = line.partition(":")
        values[label.strip()] = (value.strip(), number)
    if "Node" not in values or "Status" not in values:
        raise ParseError("no Node or no Status")
    numa_node = decimal_or_none(*values["Node"])
    if numa_node is not None and numa_node > MAX_NUMA_NODE_ID:
        raise ParseError(f"no NUMA node: {numa_node}", values["Node"][1])
    return NvidiaNumaStatus(numa_node, values["Status"][0], _hexadecimal(*values["Size"]) if "Size" in values else None)


def _hexadecimal(text: str, line: int) -> int:
    if not 0 < len(text) <= 16 or set(text.lower()) - set("0123456789abcdef"):
        raise ParseError(f"not a hexadecimal number: {text:.40}", line)
    return int(text, 16)


PARSER = Parser(parse, reads=("proc/driver/nvidia/gpus/*/numa_status",))
