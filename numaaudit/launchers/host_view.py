"""The host as launchers see it: topology, GPUs, and the CPUs and memory that the control group and the caller's mask leave."""

from collections.abc import Iterable
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import InputError, UsageError
from numaaudit.launchers.prediction import NotKnownError
from numaaudit.model.gpus import Gpu
from numaaudit.model.host import Host
from numaaudit.model.kernel_cpus import Package
from numaaudit.model.locality import home_node
from numaaudit.model.sections.cpu_groups import CpuGroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology


class WhatIf(NamedTuple):
    """A cpuset that is not there: what the job's control group would permit. None: as it is."""

    cpus: CpuSet | None = None
    mems: NodeSet | None = None


AS_IT_IS = WhatIf()


class HostView(NamedTuple):
    """``gpus`` are those the job's container exposes, in the vendor tool's order. ``allowed_cpus`` are online.

    Every method raises NotKnownError where the evidence lacks the fact.
    """

    topology: Topology
    gpus: tuple[Gpu, ...]
    pci: PciFunctions
    groups: CpuGroups
    arch: str | None
    online: CpuSet
    allowed_cpus: CpuSet
    allowed_mems: NodeSet

    @property
    def is_constrained(self) -> bool:
        """Whether the caller's mask lacks an online CPU."""
        return self.allowed_cpus != self.online

    @property
    def cpu_nodes(self) -> list[int]:
        """Ids of the NUMA nodes with CPUs, ascending."""
        return list(self.topology.cpu_nodes)

    @property
    def has_second_numa_node(self) -> bool:
        """Whether there is a directory ``node1``, which several launchers take for NUMA."""
        return self.topology.numa_node(1) is not None

    # -- NUMA nodes and packages

    def cpus_of(self, numa_node: int) -> CpuSet:
        """The online CPUs of a NUMA node; none where there is no such node."""
        found = self.topology.numa_node(numa_node)
        if found is not None and found.cpus is None:
            raise NotKnownError(f"the CPUs of NUMA node {numa_node}")
        return found.cpus & self.online if found and found.cpus else CpuSet()

    def has_memory(self, numa_node: int) -> bool:
        """Whether a NUMA node is there and not known to lack memory."""
        found = self.topology.numa_node(numa_node)
        return found is not None and found.memory_bytes != 0

    def numa_node_of_cpu(self, cpu: int) -> int:
        numa_nodes = list(self.topology.numa_nodes_of(CpuSet((cpu,))))
        if not numa_nodes:
            raise NotKnownError(f"the NUMA node of CPU {cpu}")
        return numa_nodes[0]

    @property
    def packages(self) -> tuple[Package, ...]:
        if not self.topology.packages:
            raise NotKnownError("which CPUs form a package")
        return self.topology.packages

    def package_cpus(self, cpus: CpuSet) -> CpuSet:
        """All CPUs of the packages that hold these."""
        return CpuSet.union(package.cpus for package in self.packages if not package.cpus.isdisjoint(cpus))

    # -- cores

    @property
    def num_cores(self) -> int:
        """Cores with an online CPU, as ``psutil.cpu_count(logical=False)`` counts them."""
        if not self.topology.cores:
            raise NotKnownError("the number of cores")
        return self.topology.cores

    def cores_in(self, cpus: CpuSet) -> list[CpuSet]:
        """These CPUs by core, ascending by the core's lowest CPU."""
        cores = [core & cpus for core in sorted(self._siblings(), key=min) if not core.isdisjoint(cpus)]
        if sum(map(len, cores)) != len(cpus):
            raise NotKnownError("which CPUs are threads of one core")
        return cores

    def core_of(self, cpu: int) -> CpuSet:
        """The online CPUs of a CPU's core."""
        return next((core for core in self._siblings() if cpu in core), CpuSet((cpu,)))

    def _siblings(self) -> tuple[CpuSet, ...]:
        if self.topology.siblings:
            return self.topology.siblings
        if self.topology.threads_per_core == 1:
            return tuple(CpuSet((cpu,)) for cpu in self.online)
        raise NotKnownError("which CPUs are threads of one core")

    def caches_in(self, cpus: CpuSet) -> list[CpuSet]:
        """These CPUs by the last-level cache they share."""
        if not self.groups.last_level_caches:
            raise NotKnownError("which CPUs share a last-level cache")
        return [cache & cpus for cache in self.groups.last_level_caches if not cache.isdisjoint(cpus)]

    # -- GPUs

    def index_of(self, gpu: Gpu) -> int:
        """The GPU's number in the vendor's tool."""
        return self.gpus.index(gpu)

    def homes_of(self, gpu: Gpu | None) -> tuple[int, ...]:
        """The NUMA nodes with CPUs that serve a GPU: one, several where the source names several, none where not known."""
        found = home_node(gpu, self.topology) if gpu else Gap("absent", "", "no GPU")
        return () if isinstance(found, Gap) else tuple(numa_node.id for numa_node in found)

    def home_of(self, gpu: Gpu | None) -> int:
        """The NUMA node with CPUs that serves a GPU."""
        homes = self.homes_of(gpu)
        if len(homes) != 1:
            raise NotKnownError(f"the NUMA node of GPU {gpu.name}" if gpu else "the rank's GPU")
        return homes[0]

    def sysfs_node_of(self, gpu: Gpu | None) -> int:
        """The number in the file ``numa_node`` of a GPU: -1 where the firmware gives none."""
        if gpu is None:
            raise NotKnownError("the rank's GPU")
        function = self.pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
        if function and function.numa_node is None and function.numa_node_file is not None:
            return -1
        if gpu.numa_node is None:
            raise NotKnownError(f"the NUMA node of GPU {gpu.name}")
        return gpu.numa_node

    def nvml_cpus_of(self, gpu: Gpu | None) -> CpuSet:
        """NVML's CPU affinity of a GPU, which is the kernel's ``local_cpulist``: all online CPUs where ``numa_node`` is -1."""
        if self.sysfs_node_of(gpu) == -1:
            return (gpu.local_cpus if gpu and gpu.local_cpus else self.online) & self.online
        return self.cpus_of(self.home_of(gpu))


def view_of(host: Host, what_if: WhatIf = AS_IT_IS, only_gpus: tuple[int, ...] | None = None) -> HostView:
    """The view of a model. ``only_gpus``: the container exposes these numbers only. InputError without a list of online CPUs."""
    topology = host.section(Topology)
    if not topology.online:
        raise InputError("the input does not say which CPUs are online", "add lscpu, /proc/cpuinfo or /sys/devices/system/cpu")
    allowed = topology.online if what_if.cpus is None else topology.online & what_if.cpus
    if not allowed:
        raise UsageError(f"no CPU of {what_if.cpus} is online: online are {topology.online}")
    return HostView(
        topology,
        _exposed(numbered(host.section(Devices).gpus), only_gpus),
        host.section(PciFunctions),
        host.section(CpuGroups),
        host.section(System).arch,
        topology.online,
        allowed,
        _memory_nodes(topology) if what_if.mems is None else _memory_nodes(topology) & what_if.mems,
    )


def numbered(gpus: Iterable[Gpu]) -> tuple[Gpu, ...]:
    """GPUs in the order of the vendor's tool: its own numbers where all have one, else by PCI address."""
    found = tuple(gpus)
    if all(gpu.index is not None for gpu in found):
        return tuple(sorted(found, key=lambda gpu: gpu.index or 0))
    return found


def _exposed(gpus: tuple[Gpu, ...], only: tuple[int, ...] | None) -> tuple[Gpu, ...]:
    if only is None:
        return gpus
    missing = [str(number) for number in only if number >= len(gpus)]
    if missing:
        raise UsageError(f"no GPU {', '.join(missing)}: the input has {len(gpus)} GPUs")
    return tuple(gpus[number] for number in sorted(set(only)))


def _memory_nodes(topology: Topology) -> NodeSet:
    """The NUMA nodes that are not known to lack memory."""
    return NodeSet(numa_node.id for numa_node in topology.numa_nodes if numa_node.memory_bytes != 0)
