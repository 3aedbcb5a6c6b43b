"""Memory of each NUMA node: allocation counters and huge pages.

The counters are allocations against policy since boot, never accesses (Documentation/admin-guide/numastat.rst).
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import int_at
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.node_numastat import NumaNodeNumastat
from numaaudit.parse.parsers.numastat import Numastat

NUMA_NODES = "root/sys/devices/system/node"


class HugePages(NamedTuple):
    """One pool of one NUMA node: pages of ``page_bytes``."""

    numa_node: int
    page_bytes: int
    total: int
    free: int


class Memory(NamedTuple):
    """``counters``: NUMA node to the kernel's counter names, in pages; ``hugepages`` only pools that have pages."""

    counters: dict[int, dict[str, int]]
    hugepages: tuple[HugePages, ...]


def join(tree: Tree, numastats: tuple[Found[NumaNodeNumastat], ...], tables: tuple[Found[Numastat], ...]) -> Memory:
    """Counters of the first reading; of ``numastat`` where the kernel's files are not there."""
    counters: dict[int, dict[str, int]] = {}
    for found in numastats:
        match = re.search(r"/node(\d+)/numastat$", found.file.path)
        if match and found.reading == 0:
            counters[int(match[1])] = found.record._asdict()
    if not counters:
        counters = {each.numa_node: each.counters for found in tables[:1] for each in found.record.counters}
    return Memory(counters, tuple(_hugepages(tree)))


def _hugepages(tree: Tree) -> list[HugePages]:
    pools = []
    for path in tree.glob(f"{NUMA_NODES}/node[0-9]*/hugepages/hugepages-*kB/nr_hugepages"):
        match = re.search(r"/node(\d+)/hugepages/hugepages-(\d{1,9})kB/", path)
        total, free = int_at(tree, path), int_at(tree, path.replace("nr_hugepages", "free_hugepages"))
        if match and total and free is not None:
            pools.append(HugePages(int(match[1]), int(match[2]) * 1024, total, free))
    return pools


JOINER = Joiner(join)
