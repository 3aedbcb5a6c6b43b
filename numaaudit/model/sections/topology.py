"""CPUs, packages, NUMA nodes and their distances, as the kernel exports them or as tools print them.

Sources: ``/sys/devices/system/cpu`` (Documentation/admin-guide/cputopology.rst) and ``/sys/devices/system/node``
(Documentation/ABI/stable/sysfs-devices-node). Packages and NUMA nodes are independent of each other: neither contains the
other on every host. Ids have holes.
"""

from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.sources import trust
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import KernelCpus, Package
from numaaudit.model.kernel_numa import Distances, KernelNumaNodes, NumaNode
from numaaudit.model.pick import Conflict
from numaaudit.model.told import Told, from_hwloc, from_lscpu, from_lscpu_table, from_nccl, from_numactl, from_numastat
from numaaudit.model.told_together import conflicts_of, lacks_cpus, merge
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpuinfo import Cpuinfo
from numaaudit.parse.parsers.hwloc_xml import HwlocTopology
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.lscpu_extended import LscpuExtended
from numaaudit.parse.parsers.nccl_xml import NcclTopology
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo
from numaaudit.parse.parsers.numactl_hardware import NumactlHardware
from numaaudit.parse.parsers.numastat import Numastat


class Topology(NamedTuple):
    """``online`` None: no source says which CPUs there are. ``numa_nodes`` empty: the kernel exports none."""

    online: CpuSet | None
    present: CpuSet | None
    isolated: CpuSet | None
    packages: tuple[Package, ...]
    cores: int | None
    threads_per_core: int | None
    numa_nodes: tuple[NumaNode, ...]
    distances: Distances | None
    siblings: tuple[CpuSet, ...] = ()  # the CPUs of each core, where the kernel lists them
    gaps: tuple[Gap, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    num_packages: int | None = None  # also where only their number is known
    is_complete: bool = True  # every NUMA node that has CPUs is among numa_nodes

    def numa_node(self, number: int) -> NumaNode | None:
        return next((numa_node for numa_node in self.numa_nodes if numa_node.id == number), None)

    def numa_nodes_of(self, cpus: CpuSet) -> NodeSet:
        """The NUMA nodes that hold at least one of these CPUs."""
        return NodeSet(numa_node.id for numa_node in self.numa_nodes if numa_node.cpus is not None and not numa_node.cpus.isdisjoint(cpus))

    def cpus_of(self, numa_nodes: NodeSet) -> CpuSet:
        """All online CPUs of these NUMA nodes."""
        cpus = CpuSet()
        for numa_node in self.numa_nodes:
            if numa_node.id in numa_nodes and numa_node.cpus is not None:
                cpus |= numa_node.cpus
        return cpus

    def packages_of(self, cpus: CpuSet) -> tuple[Package, ...]:
        """The packages that hold at least one of these CPUs."""
        return tuple(package for package in self.packages if not package.cpus.isdisjoint(cpus))

    def cores_of(self, cpus: CpuSet) -> tuple[CpuSet, ...]:
        """The cores, each with all its online CPUs, that hold at least one of these CPUs; none where siblings are not known."""
        return tuple(core for core in self.siblings if not core.isdisjoint(cpus))

    def same_package(self, a: CpuSet, b: CpuSet) -> bool:
        """Whether all these CPUs lie in one and the same package; False where packages are not known."""
        return bool(a) and bool(b) and len(self.packages_of(a | b)) == 1

    def nearest_with_cpus(self, number: int) -> NumaNode | None:
        """The NUMA node itself if it has CPUs, else the one at the smallest distance; None where none is known or two are equally near."""
        own = self.numa_node(number)
        return own if own and own.cpus else self._nearest(number, [other for other in self.numa_nodes if other.cpus])

    def nearest_with_memory(self, number: int, but: NodeSet) -> NumaNode | None:
        """Likewise the NUMA node with memory, of those that are not in ``but``: itself if it has some."""
        return self._nearest(number, [other for other in self.numa_nodes if other.memory_bytes and other.id not in but])

    def with_nearest_memory(self, numa_nodes: NodeSet) -> NodeSet:
        """These NUMA nodes, and those without CPUs (CXL, high-bandwidth memory) that are not known to be nearer to others."""
        owners = ((each.id, self.nearest_with_cpus(each.id)) for each in self.numa_nodes)
        return NodeSet(number for number, owner in owners if owner is None or owner.id in numa_nodes)

    def overflow(self, num_bytes: int, numa_nodes: NodeSet) -> int:
        """What of so many bytes these NUMA nodes could not hold if they were empty; 0 where the size of one of them is not known."""
        sizes = [numa_node.memory_bytes for numa_node in self.numa_nodes if numa_node.id in numa_nodes]
        return 0 if not sizes or None in sizes else max(0, num_bytes - sum(size or 0 for size in sizes))

    def _nearest(self, number: int, others: list[NumaNode]) -> NumaNode | None:
        if not self.distances:
            return None
        pairs = [(distance, other) for other in others if (distance := self.distances.between(number, other.id)) is not None]
        pairs.sort(key=lambda pair: pair[0])
        if not pairs or (len(pairs) > 1 and pairs[0][0] == pairs[1][0]):
            return None
        return pairs[0][1]

    @property
    def cpu_nodes(self) -> NodeSet:
        """The NUMA nodes that are known to have CPUs."""
        return NodeSet(numa_node.id for numa_node in self.numa_nodes if numa_node.cpus)

    def only_numa_node(self) -> NumaNode | None:
        """The NUMA node of a host that has one; None where there are more, or the source does not list all."""
        return self.numa_nodes[0] if len(self.numa_nodes) == 1 and self.is_complete else None

    def has_several_cpu_nodes(self) -> bool:
        """Whether placement can matter at all: more than one NUMA node has CPUs."""
        return len(self.cpu_nodes) > 1

    def has_one_cpu_node(self) -> bool:
        """Whether placement cannot matter: of the NUMA nodes, whose CPUs are all known, one has CPUs."""
        are_known = self.is_complete and all(numa_node.cpus is not None for numa_node in self.numa_nodes)
        return bool(self.numa_nodes) and are_known and not self.has_several_cpu_nodes()


def join(
    tree: Tree,
    meminfos: tuple[Found[NumaNodeMeminfo], ...],
    cpuinfos: tuple[Found[Cpuinfo], ...],
    lscpus: tuple[Found[Lscpu], ...],
    tables: tuple[Found[LscpuExtended], ...],
    numactls: tuple[Found[NumactlHardware], ...],
    numastats: tuple[Found[Numastat], ...],
    hwlocs: tuple[Found[HwlocTopology], ...],
    nccls: tuple[Found[NcclTopology], ...],
) -> Topology:
    """The kernel's own files first; tools only for what those do not say, the more trusted ones before the others."""
    cpus = KernelCpus(tree, cpuinfos)
    numa = KernelNumaNodes(tree, meminfos, cpus.online)
    told = [_of_kernel(cpus, numa), *map(from_hwloc, hwlocs), *map(from_nccl, nccls), *map(from_numactl, numactls)]
    told += [*map(from_lscpu, lscpus), *map(from_numastat, numastats)]
    whole = [found for found in tables if not found.is_part and not lacks_cpus(from_lscpu_table(found), told)]
    cut = [Gap("cut", found.file.path, "lscpu's table lacks CPUs") for found in tables if found not in whole]
    told = sorted([*told, *map(from_lscpu_table, whole)], key=lambda each: trust(each.source))
    merged = merge(told)
    made = _topology(merged, cpus.isolated)
    return made._replace(gaps=(*cpus.gaps, *numa.gaps, *cut), conflicts=(*numa.conflicts, *conflicts_of(told, merged)))


def _topology(merged: Told, isolated: CpuSet | None) -> Topology:
    return Topology(
        merged.online,
        merged.present,
        isolated,
        merged.packages,
        merged.cores,
        merged.threads_per_core,
        merged.numa_nodes,
        merged.distances,
        merged.siblings,
        num_packages=merged.num_packages,
        is_complete=merged.is_complete,
    )


def _of_kernel(cpus: KernelCpus, numa: KernelNumaNodes) -> Told:
    packages = cpus.packages()
    cores, threads_per_core = cpus.cores(), cpus.threads_per_core()
    return Told(
        "sysfs",
        cpus.online,
        cpus.present,
        packages,
        len(packages) or None,
        cores,
        threads_per_core,
        cpus.siblings,
        numa.numa_nodes,
        numa.distances,
        bool(numa.numa_nodes),
    )


JOINER = Joiner(join)
