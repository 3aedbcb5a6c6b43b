"""Where the memory lies that a rank's GPU is fed from: anonymous, pinned, shared and huge pages, by NUMA node.

From numa_maps (kernel ``fs/proc/task_mmu.c``), in bytes by each mapping's own page size. Left out are text, page cache and other
files, which belong to whoever read them first, and device mappings but the driver's own system memory (``/dev/nvidiactl``,
kernel-open/nvidia/nv-mmap.c). A segment of ``/dev/shm`` that several processes map was filled by any of them: left out too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.sections.processes import Process
from numaaudit.parse.parsers.numa_maps import ANON, DEVICE, HUGETLB, SHM, MappingTotal, mappings

_PINNED = "/dev/nvidiactl"
SEGMENTS = ("/dev/shm/", "/SYSV")  # shared memory with a name, as numa_maps prints it
_SPREAD = ("interleave", "weighted_interleave")


class Spread(NamedTuple):
    """Bytes by NUMA node under one policy."""

    policy: MemPolicy
    bytes_by_node: dict[int, int]

    def bytes_off(self, numa_nodes: NodeSet) -> int:
        """Bytes elsewhere. Of an interleaved part only what exceeds the share that its policy puts elsewhere."""
        total, off = sum(self.bytes_by_node.values()), sum(self.bytes_by_node.values())
        off -= sum(amount for number, amount in self.bytes_by_node.items() if number in numa_nodes)
        if self.policy.mode not in _SPREAD or not self.policy.numa_nodes:
            return off
        return max(0, off - total * len(self.policy.numa_nodes - numa_nodes) // len(self.policy.numa_nodes))


def policy_share(policy: MemPolicy, numa_nodes: NodeSet) -> float:
    """The share, from 0 to 1, that an interleave puts elsewhere; 0 for any other policy."""
    if policy.mode not in _SPREAD or not policy.numa_nodes:
        return 0.0
    return len(policy.numa_nodes - numa_nodes) / len(policy.numa_nodes)


def shared_names(processes: Iterable[Process]) -> frozenset[str]:
    """Named shared memory that more than one process maps."""
    names: Counter[str] = Counter()
    for process in processes:
        if not isinstance(process.maps, Gap):
            names.update({total.file for total in process.maps.record.totals if total.file and total.file.startswith(SEGMENTS)})
    return frozenset(name for name, count in names.items() if count > 1)


def counts(kind: str, file: str | None) -> bool:
    """Whether a mapping is of a kind that matters here."""
    return kind in (ANON, HUGETLB, SHM) or (kind == DEVICE and (file or "").startswith(_PINNED))


def spreads(totals: Iterable[MappingTotal], shared: frozenset[str], but: NodeSet) -> list[Spread]:
    """What counts, by policy, without the NUMA nodes in ``but`` (memory of GPUs)."""
    by_policy: dict[MemPolicy, defaultdict[int, int]] = {}
    for total in totals:
        if counts(total.kind, total.file) and total.file not in shared:
            sums = by_policy.setdefault(total.policy, defaultdict(int))
            for number, amount in total.bytes_by_node:
                if number not in but:
                    sums[number] += amount
    return [Spread(policy, dict(sums)) for policy, sums in by_policy.items()]


def has_unsized(totals: Iterable[MappingTotal]) -> bool:
    """Whether a mapping that counts has pages of unknown size (before Linux 4.0)."""
    return any(total.unsized_pages_by_node for total in totals if counts(total.kind, total.file))


def largest_off(file: File, numa_nodes: NodeSet, shared: frozenset[str], most: int = 2) -> tuple[Evidence, ...]:
    """The lines of the largest mappings that lie on these NUMA nodes."""
    found = sorted(_lines_on(file.text, numa_nodes, shared), key=lambda pair: (-pair[0], pair[1]))
    return tuple(cite_line(file, line) for _, line in found[:most])


def _lines_on(text: str, numa_nodes: NodeSet, shared: frozenset[str]) -> Iterator[tuple[int, int]]:
    """(bytes on these NUMA nodes, line)."""
    pattern = re.compile(rf"^[^\n]* N(?:{'|'.join(map(str, numa_nodes))})=[^\n]*$", re.M)
    line, at = 1, 0
    for match in pattern.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        for mapping in mappings(match[0]):
            if counts(mapping.kind, mapping.file) and mapping.file not in shared and mapping.page_bytes:
                yield sum(pages for number, pages in mapping.pages_by_node if number in numa_nodes) * mapping.page_bytes, line
