"""How much memory each NUMA node has left, and which GPUs live in it.

Left is what is free and the page cache in use by nobody else: the kernel gives clean file pages back on demand
(Documentation/admin-guide/mm/concepts.rst, reclaim). Of reclaimable slab half is counted, as ``MemAvailable`` does at most
(kernel ``mm/show_mem.c``, ``si_mem_available``).
"""

from typing import NamedTuple

from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo


class NumaNodeMemory(NamedTuple):
    """Bytes of one NUMA node; None where the kernel does not print the line."""

    numa_node: int
    total_bytes: int
    free_bytes: int
    cache_bytes: int  # file pages, and half of the reclaimable slab
    anon_bytes: int | None
    evidence: tuple[Evidence, ...]

    @property
    def available_bytes(self) -> int:
        return self.free_bytes + self.cache_bytes


class Capacity(NamedTuple):
    """NUMA nodes that have memory, ascending."""

    numa_nodes: tuple[NumaNodeMemory, ...]

    def of(self, number: int) -> NumaNodeMemory | None:
        return next((each for each in self.numa_nodes if each.numa_node == number), None)


def join(meminfos: tuple[Found[NumaNodeMeminfo], ...]) -> Capacity:
    """The first reading of every NUMA node's meminfo that has a total and what is free."""
    read = [_memory(found) for found in meminfos if found.reading == 0]
    return Capacity(tuple(sorted((each for each in read if each), key=lambda each: each.numa_node)))


def _memory(found: Found[NumaNodeMeminfo]) -> NumaNodeMemory | None:
    record = found.record
    if not record.total_bytes or record.free_bytes is None:
        return None
    evidence = tuple(cite(found.file, f"{key}:") for key in ("MemTotal", "MemFree", "Inactive(file)") if f"{key}:" in found.file.text)
    return NumaNodeMemory(record.numa_node, record.total_bytes, record.free_bytes, _cache(record), record.anon_bytes, evidence)


def _cache(record: NumaNodeMeminfo) -> int:
    """File pages: by the lists that reclaim walks; on an excerpt without them by FilePages less shared memory, which has no file."""
    slab = (record.reclaimable_slab_bytes or 0) // 2
    if record.active_file_bytes is None and record.inactive_file_bytes is None:
        return max(0, (record.page_cache_bytes or 0) - (record.shmem_bytes or 0)) + slab
    return (record.active_file_bytes or 0) + (record.inactive_file_bytes or 0) + slab


JOINER = Joiner(join)
