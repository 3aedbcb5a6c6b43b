"""CPUs, packages, NUMA nodes and their distances, as the kernel exports them.

Sources: ``/sys/devices/system/cpu`` (Documentation/admin-guide/cputopology.rst) and ``/sys/devices/system/node``
(Documentation/ABI/stable/sysfs-devices-node). Packages and NUMA nodes are independent of each other: neither contains the
other on every host. Ids have holes.
"""

from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import KernelCpus, Package
from numaaudit.model.kernel_numa import Distances, KernelNumaNodes, NumaNode
from numaaudit.model.pick import Conflict
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpuinfo import Cpuinfo
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo
from numaaudit.parse.parsers.numactl_hardware import NumactlHardware


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

    def same_package(self, a: CpuSet, b: CpuSet) -> bool:
        """Whether all these CPUs lie in one and the same package; False where packages are not known."""
        return bool(a) and bool(b) and len(self.packages_of(a | b)) == 1

    def nearest_with_cpus(self, number: int) -> NumaNode | None:
        """The NUMA node with CPUs at the smallest distance; None where distances are not known or two are equally near."""
        return self._nearest(number, [other for other in self.numa_nodes if other.cpus])

    def nearest_with_memory(self, number: int, but: NodeSet) -> NumaNode | None:
        """Likewise the NUMA node with memory, of those that are not in ``but``: itself if it has some."""
        return self._nearest(number, [other for other in self.numa_nodes if other.memory_bytes and other.id not in but])

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

    def has_several_cpu_nodes(self) -> bool:
        """Whether placement can matter at all: more than one NUMA node has CPUs."""
        return len(self.cpu_nodes) > 1

    def has_one_cpu_node(self) -> bool:
        """Whether placement cannot matter: of the NUMA nodes, whose CPUs are all known, one has CPUs."""
        return (
            bool(self.numa_nodes) and not self.has_several_cpu_nodes() and all(numa_node.cpus is not None for numa_node in self.numa_nodes)
        )


def join(
    tree: Tree,
    meminfos: tuple[Found[NumaNodeMeminfo], ...],
    cpuinfos: tuple[Found[Cpuinfo], ...],
    lscpus: tuple[Found[Lscpu], ...],
    numactls: tuple[Found[NumactlHardware], ...],
) -> Topology:
    """The kernel's own files first; lscpu and numactl only for what those do not say."""
    cpus = KernelCpus(tree, cpuinfos)
    numa = KernelNumaNodes(tree, meminfos, cpus.online)
    gaps, conflicts = cpus.gaps + numa.gaps, tuple(numa.conflicts)
    topology = Topology(
        cpus.online,
        cpus.present,
        cpus.isolated,
        cpus.packages(),
        cpus.cores(),
        cpus.threads_per_core(),
        numa.numa_nodes,
        numa.distances,
        cpus.siblings,
        tuple(gaps),
        conflicts,
    )
    return _filled(topology, lscpus, numactls)


def _filled(topology: Topology, lscpus: tuple[Found[Lscpu], ...], numactls: tuple[Found[NumactlHardware], ...]) -> Topology:
    """Add from tool outputs what the kernel's files did not give."""
    for lscpu in lscpus:
        topology = _with_lscpu(topology, lscpu)
    for numactl in numactls:
        topology = _with_numactl(topology, numactl)
    return topology


def _with_lscpu(topology: Topology, found: Found[Lscpu]) -> Topology:
    record = found.record
    if topology.online is None:
        topology = topology._replace(online=record.online)
    if topology.cores is None and record.sockets and record.cores_per_socket:
        topology = topology._replace(cores=record.sockets * record.cores_per_socket, threads_per_core=record.threads_per_core)
    if not topology.numa_nodes and record.numa_nodes:
        numa_nodes = tuple(NumaNode(numa_node.id, numa_node.cpus, source="lscpu", file=found.file) for numa_node in record.numa_nodes)
        topology = topology._replace(numa_nodes=numa_nodes)
    return topology


def _with_numactl(topology: Topology, found: Found[NumactlHardware]) -> Topology:
    record = found.record
    known = {numa_node.id: numa_node for numa_node in topology.numa_nodes}
    if not known or any(numa_node.source != "sysfs" for numa_node in topology.numa_nodes):
        for numa_node in record.numa_nodes:
            before = known.get(numa_node.id)
            if before is None or before.memory_bytes is None:
                cpus = before.cpus if before and before.cpus is not None else numa_node.cpus
                known[numa_node.id] = NumaNode(numa_node.id, cpus, numa_node.size_bytes, numa_node.free_bytes, None, "numactl", found.file)
        topology = topology._replace(numa_nodes=tuple(known[number] for number in sorted(known)))
    if topology.distances is None and record.distances is not None:
        topology = topology._replace(distances=Distances(record.distances.numa_nodes, record.distances.rows))
    return topology


JOINER = Joiner(join)
