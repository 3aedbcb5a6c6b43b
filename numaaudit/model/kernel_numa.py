"""NUMA nodes as ``/sys/devices/system/node`` lists them (Documentation/ABI/stable/sysfs-devices-node). Ids have holes."""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.kernel_cpus import list_at, mask_at
from numaaudit.model.pick import Conflict
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo

NUMA_NODES = "root/sys/devices/system/node"


class NumaNode(NamedTuple):
    """A NUMA node. ``cpus`` is None where no source lists them; sizes in bytes, None where no file says.

    ``kind``: cpu, memory-only, cpu-only, gpu-memory or empty; None where the memory is not known. ``line`` of ``file``, from 1.
    """

    id: int
    cpus: CpuSet | None
    memory_bytes: int | None = None
    free_bytes: int | None = None
    kind: str | None = None
    source: str = "sysfs"
    file: File | None = None
    line: int | None = 1

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The line that lists its CPUs; no line where they are spread over several."""
        return (cite_line(self.file, self.line or 0),) if self.file else ()


class Distances(NamedTuple):
    """The firmware's relative distances (ACPI SLIT): 10 is local, no unit.

    ``matrix[i][j]`` is from ``nodes[i]`` to ``nodes[j]``, None where a text is cut.
    """

    nodes: tuple[int, ...]
    matrix: tuple[tuple[int | None, ...], ...]

    def between(self, a: int, b: int) -> int | None:
        """The distance from one NUMA node to another; None if one of them is not in the table."""
        if a not in self.nodes or b not in self.nodes:
            return None
        return self.matrix[self.nodes.index(a)][self.nodes.index(b)]


def kind_of(cpus: CpuSet | None, memory_bytes: int | None) -> str | None:
    """What a NUMA node is by what it has; None where one of the two is not known."""
    if memory_bytes is None or cpus is None:
        return None
    if cpus:
        return "cpu" if memory_bytes else "cpu-only"
    return "memory-only" if memory_bytes else "empty"


class KernelNumaNodes:
    """What /sys/devices/system/node says."""

    def __init__(self, tree: Tree, meminfos: tuple[Found[NumaNodeMeminfo], ...], online: CpuSet | None) -> None:
        self.gaps: list[Gap] = []
        self.conflicts: list[Conflict] = []
        self._tree = tree
        self._online = online
        self._memory = {found.record.numa_node: found for found in meminfos if found.reading == 0}
        numbers = [int(name[4:]) for name in tree.names(NUMA_NODES) if re.fullmatch(r"node\d{1,4}", name)]
        if not numbers:
            reason = "the kernel exports no NUMA nodes" if tree.names("root/sys/devices/system") else "not in the input"
            self.gaps.append(Gap("absent", NUMA_NODES, reason))
        self.numa_nodes = tuple(self._numa_node(number) for number in numbers)
        self.distances = self._distances(numbers)

    def _numa_node(self, number: int) -> NumaNode:
        cpus, file = self._cpus(number)
        found = self._memory.get(number)
        memory = found.record.total_bytes if found else None
        if found is None:
            self.gaps.append(self._gap(f"{NUMA_NODES}/node{number}/meminfo"))
        return NumaNode(number, cpus, memory, found.record.free_bytes if found else None, kind_of(cpus, memory), file=file)

    def _gap(self, path: str) -> Gap:
        result = self._tree.get(path)
        return result if isinstance(result, Gap) else Gap("unparsable", path, "not what the kernel prints there")

    def _cpus(self, number: int) -> tuple[CpuSet | None, File | None]:
        folder = f"{NUMA_NODES}/node{number}"
        listed, mask = list_at(self._tree, f"{folder}/cpulist"), mask_at(self._tree, f"{folder}/cpumap")
        if listed is not None and mask is not None and listed != mask:
            values = ((str(listed), "cpulist"), (str(mask), "cpumap"))
            self.conflicts.append(Conflict(f"numa_node:{number}", "cpus", values))
        cpus = listed if listed is not None else mask
        if cpus is None:
            links = [int(name[3:]) for name in self._tree.names(folder) if re.fullmatch(r"cpu\d{1,5}", name)]
            self.gaps.append(self._gap(f"{folder}/cpulist"))
            cpus = CpuSet(links) if links else None
        if cpus is not None and self._online is not None:
            cpus &= self._online
        file = self._tree.get(f"{folder}/cpulist" if listed is not None else f"{folder}/cpumap")
        return cpus, None if isinstance(file, Gap) else file

    def _distances(self, numbers: list[int]) -> Distances | None:
        """``nodeN/distance`` has one number per online NUMA node in ascending order of id, not per possible id."""
        rows: dict[int, tuple[int, ...]] = {}
        for number in numbers:
            text = self._tree.text(f"{NUMA_NODES}/node{number}/distance")
            if text is None or not re.fullmatch(r"[\d\s]+", text):
                self.gaps.append(self._gap(f"{NUMA_NODES}/node{number}/distance"))
                return None
            rows[number] = tuple(map(int, text.split()))
        if not rows:
            return None
        if any(len(row) != len(numbers) for row in rows.values()):
            self.gaps.append(Gap("unparsable", f"{NUMA_NODES}/node{numbers[0]}/distance", "not one distance for each NUMA node"))
            return None
        return Distances(tuple(numbers), tuple(rows[number] for number in numbers))
