"""``/sys/devices/system/node/nodeN/meminfo`` (kernel ``drivers/base/node.c``, ``node_read_meminfo``).

Lines are ``Node 0 MemTotal:       734744 kB``. Memory that a driver took for itself is missing from all of them.
"""

import re
from typing import NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError
from numaaudit.parse.fields import hugepages, kib, numbered
from numaaudit.parse.parser import Parser


class NumaNodeMeminfo(NamedTuple):
    """Memory of one NUMA node; all 0 for one without memory. None: this kernel does not print the line."""

    numa_node: int
    total_bytes: int | None  # MemTotal
    free_bytes: int | None  # MemFree
    page_cache_bytes: int | None  # FilePages
    anon_bytes: int | None  # AnonPages
    shmem_bytes: int | None  # Shmem
    anon_huge_bytes: int | None  # AnonHugePages: transparent huge pages
    locked_bytes: int | None  # Mlocked
    hugepages_total: int | None  # HugePages_Total: pages of the default huge page size
    hugepages_free: int | None  # HugePages_Free
    hugepages_surplus: int | None  # HugePages_Surp
    active_file_bytes: int | None = None  # Active(file): page cache in use
    inactive_file_bytes: int | None = None  # Inactive(file): page cache that is given up first
    reclaimable_slab_bytes: int | None = None  # SReclaimable


_FIELDS = {
    "MemTotal": "total_bytes", "MemFree": "free_bytes", "FilePages": "page_cache_bytes", "AnonPages": "anon_bytes",
    "Shmem": "shmem_bytes", "AnonHugePages": "anon_huge_bytes", "Mlocked": "locked_bytes", "HugePages_Total": "hugepages_total",
    "HugePages_Free": "hugepages_free", "HugePages_Surp": "hugepages_surplus", "Active(file)": "active_file_bytes",
    "Inactive(file)": "inactive_file_bytes", "SReclaimable": "reclaimable_slab_bytes",
}  # fmt: skip
_LINE = re.compile(r"Node (\d{1,9}) ([\w()]{1,40}):(.*)", re.A)


def parse(text: str) -> NumaNodeMeminfo:
    """Read the known lines; ParseError for a line of another form, of a second NUMA node, or if there is none."""
    values: dict[str, int | None] = {}
    for number, line in numbered(text):
        match = _LINE.fullmatch(line)
        if not match or int(match[1]) > MAX_NUMA_NODE_ID:
            raise ParseError("not a line of a NUMA node's meminfo", number)
        if values.setdefault("numa_node", int(match[1])) != int(match[1]):
            raise ParseError("lines of several NUMA nodes", number)
        field = _FIELDS.get(match[2])
        if field:
            read = hugepages if field.startswith("hugepages_") else kib
            values[field] = read(match[3].strip(), number)
    if not values:
        raise ParseError("no line of a NUMA node's meminfo")
    return NumaNodeMeminfo(*map(values.get, NumaNodeMeminfo._fields))  # type: ignore[arg-type]  # numa_node is set


PARSER = Parser(parse, reads=("sys/devices/system/node/node[0-9]*/meminfo",), looks_like=r"^Node \d{1,9} MemTotal:[ \t]+\d+ kB")
