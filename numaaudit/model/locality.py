"""What is local to a rank: the NUMA nodes that its GPUs hang on, as CPUs and as memory."""

from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.evidence import Evidence
from numaaudit.model.gpus import Gpu
from numaaudit.model.kernel_numa import NUMA_NODES, NumaNode
from numaaudit.model.sections.ranks import Rank
from numaaudit.model.sections.topology import Topology


class Home(NamedTuple):
    """The NUMA nodes with CPUs that are nearest to a rank's GPUs, and all CPUs of them (never none)."""

    numa_nodes: NodeSet
    cpus: CpuSet
    evidence: tuple[Evidence, ...]  # where the first GPU hangs, and which CPUs that NUMA node has

    def is_straddled_by(self, cpus: CpuSet) -> bool:
        """Whether some of these CPUs are local and some are not."""
        return not cpus.isdisjoint(self.cpus) and not cpus <= self.cpus


def home_of(rank: Rank, topology: Topology) -> Home | Gap:
    """Home of a rank; of one with several GPUs the NUMA nodes of all of them. A gap where any of it is not known."""
    return rank.gap or home_of_gpus(rank.gpus, topology)


def home_of_gpus(gpus: tuple[Gpu, ...], topology: Topology) -> Home | Gap:
    """Likewise of GPUs."""
    found = [home_node(gpu, topology) for gpu in gpus]
    missing = next((each for each in found if isinstance(each, Gap)), None)
    if missing or not found:
        return missing or Gap("absent", "", "its GPU is not known")
    numa_nodes = [numa_node for each in found if not isinstance(each, Gap) for numa_node in each]
    ids = NodeSet(numa_node.id for numa_node in numa_nodes)
    return Home(ids, topology.cpus_of(ids), gpus[0].evidence + numa_nodes[0].evidence)


def home_node(gpu: Gpu, topology: Topology) -> tuple[NumaNode, ...] | Gap:
    """The NUMA nodes whose CPUs serve a GPU: its own (several where the vendor's tool prints several); the nearest where that has none."""
    printed = [topology.numa_node(number) for number in gpu.numa_nodes or ()]
    with_cpus = tuple(numa_node for numa_node in printed if numa_node and numa_node.cpus)
    if names_every_node(gpu, topology):
        path = gpu.evidence[0].path if gpu.evidence else ""
        return Gap("ambiguous", path, f"it names every NUMA node of {topology.num_packages} packages for GPU {gpu.name}")
    if gpu.numa_node is None and with_cpus:
        return with_cpus
    if gpu.numa_node is None:
        return gpu.gap or Gap("absent", "", f"no source names the NUMA node of GPU {gpu.name}")
    if gpu.numa_node_confidence is Confidence.POSSIBLE:
        return Gap("ambiguous", gpu.evidence[0].path if gpu.evidence else "", f"its meaning for the NUMA node of GPU {gpu.name} is a guess")
    own = topology.numa_node(gpu.numa_node)
    if own is None or own.cpus is None:
        return Gap("absent", f"{NUMA_NODES}/node{gpu.numa_node}/cpulist", "no source lists the CPUs of this NUMA node")
    near = topology.nearest_with_cpus(own.id)
    return (near,) if near else Gap("ambiguous", f"{NUMA_NODES}/node{own.id}/distance", "no one NUMA node with CPUs is nearest to it")


def names_every_node(gpu: Gpu, topology: Topology) -> bool:
    """Whether what is printed of a GPU is no locality at all: every NUMA node that has CPUs, on a host of several packages."""
    is_wide = bool(gpu.numa_nodes) and len(topology.cpu_nodes) > 1 and topology.cpu_nodes <= (gpu.numa_nodes or NodeSet())
    return gpu.numa_node is None and is_wide and (topology.num_packages or 0) > 1
