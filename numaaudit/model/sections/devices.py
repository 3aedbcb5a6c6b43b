"""GPUs, NICs and NVMe controllers: what hangs on which NUMA node, without any accelerator runtime."""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.gpus import Gpu, address_in, from_driver, from_kfd, from_listing, from_pci, from_query, from_topo, merged
from numaaudit.model.join import Joiner
from numaaudit.model.pick import Conflict, pick
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import FOLDER, PciFunction, PciFunctions
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_information import NvidiaInformation
from numaaudit.parse.parsers.nvidia_smi_list import NvidiaSmiList
from numaaudit.parse.parsers.nvidia_smi_query_gpu import NvidiaSmiQueryGpu
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo


class Nic(NamedTuple):
    """A network function. ``name`` is the RDMA device where there is one, else the interface, else the PCI address."""

    name: str
    netdev: str | None
    pci_address: PciAddress | None
    numa_node: int | None
    numa_node_source: str | None


class Nvme(NamedTuple):
    name: str
    pci_address: PciAddress | None
    numa_node: int | None
    numa_node_source: str | None


class DeviceLink(NamedTuple):
    """A path between two devices as the vendor's tool names it: ``NV18``, ``PIX``, ``SYS``."""

    a: str
    b: str
    level: str


class Devices(NamedTuple):
    gpus: tuple[Gpu, ...]
    nics: tuple[Nic, ...]
    nvmes: tuple[Nvme, ...]
    links: tuple[DeviceLink, ...]
    gaps: tuple[Gap, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    def gpu_named(self, name: str) -> Gpu | None:
        """By PCI address, UUID or ``#INDEX``."""
        return next((gpu for gpu in self.gpus if name in (str(gpu.pci_address), gpu.gpu_uuid, f"#{gpu.index}")), None)


def join(
    tree: Tree,
    pci: PciFunctions,
    topology: Topology,
    informations: tuple[Found[NvidiaInformation], ...],
    queries: tuple[Found[NvidiaSmiQueryGpu], ...],
    listings: tuple[Found[NvidiaSmiList], ...],
    kfd: Kfd,
    topos: tuple[Found[NvidiaSmiTopo], ...],
) -> Devices:
    """Merge every sighting of a GPU by address, UUID or index, then place each by the most trusted source."""
    sightings = [
        *from_pci(pci),
        *from_driver(tree, informations),
        *from_kfd(kfd),
        *from_query(queries),
        *from_listing(listings),
        *from_topo(topos),
    ]
    placed = [_placed(gpu, pci, topology, kfd, topos) for gpu in merged(sightings)]
    conflicts = [conflict for _, conflict in placed if conflict]
    gpus = tuple(gpu for gpu, _ in placed)
    gaps = tuple(gpu.gap for gpu in gpus if gpu.gap)
    links = tuple(DeviceLink(link.a, link.b, link.level) for found in topos[:1] for link in found.record.links)
    return Devices(gpus, _nics(tree, pci, topology), _nvmes(tree, pci, topology), links, gaps, tuple(conflicts))


# -- where they hang


def _placed(
    gpu: Gpu, pci: PciFunctions, topology: Topology, kfd: Kfd, topos: tuple[Found[NvidiaSmiTopo], ...]
) -> tuple[Gpu, Conflict | None]:
    function = pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
    affinity, listed, topo_cpus, topo_evidence = _topo_locality(gpu, topology, topos)
    candidates = [*_pci_candidates(function, pci, topology), (_kfd_locality(gpu, topology, kfd), "kfd"), (affinity, "nvidia-smi")]
    picked = pick(f"gpu:{gpu.name}", "numa_node", candidates)
    numa_node, source = picked.value, picked.source
    only = [numa_node.id for numa_node in topology.numa_nodes]
    if numa_node is None and listed is None and len(only) == 1:
        numa_node, source = only[0], "derived"
    gap = None
    if numa_node is None:
        gap = function.numa_node_gap if function else Gap("absent", f"{FOLDER}/{gpu.name}/numa_node", "no source names its NUMA node")
    local = function.local_cpus if function and function.local_cpus is not None else topo_cpus
    evidence = function.evidence if function and source in ("sysfs", None) else topo_evidence if source == "nvidia-smi" else ()
    return gpu._replace(
        numa_node=numa_node, numa_nodes=listed, numa_node_source=source, local_cpus=local, gap=gap, evidence=evidence
    ), picked.conflict


def _pci_candidates(function: PciFunction | None, pci: PciFunctions, topology: Topology) -> Iterator[tuple[int | None, str]]:
    """sysfs's own number; where it is -1, that of the nearest bridge that has one, then the CPUs said to be local."""
    if function is None:
        return
    yield function.numa_node, "sysfs"
    if function.numa_node is None:
        bridges = (pci.by_address.get(address) for address in reversed(function.upstream))
        yield next((bridge.numa_node for bridge in bridges if bridge and bridge.numa_node is not None), None), "derived"
        yield numa_node_of_cpus(function.local_cpus, topology), "local-cpus"


def numa_node_of_cpus(cpus: CpuSet | None, topology: Topology) -> int | None:
    """The one NUMA node whose CPUs these are; a set with CPUs of several (all of them, when the node is -1) names none."""
    if not cpus:
        return None
    matching = [numa_node.id for numa_node in topology.numa_nodes if numa_node.cpus and numa_node.cpus == cpus & (topology.online or cpus)]
    return matching[0] if len(matching) == 1 and topology.has_several_cpu_nodes() else None


def _kfd_locality(gpu: Gpu, topology: Topology, kfd: Kfd) -> int | None:
    """KFD numbers CPU nodes first, one per NUMA node with CPUs in order; the nearest is the CPU end of the best link."""
    own = [node for node in kfd.nodes if gpu.pci_address and node.pci_address and node.pci_address.slot == gpu.pci_address.slot]
    nearest = {node.nearest_cpu_node for node in own}
    numa_ids = [numa_node.id for numa_node in topology.numa_nodes if numa_node.cpus] or list(range(len(kfd.cpu_nodes)))
    if len(nearest) != 1 or len(numa_ids) != len(kfd.cpu_nodes):
        return None
    number = nearest.pop()
    return numa_ids[kfd.cpu_nodes.index(number)] if number in kfd.cpu_nodes else None


def _topo_locality(
    gpu: Gpu, topology: Topology, topos: tuple[Found[NvidiaSmiTopo], ...]
) -> tuple[int | None, NodeSet | None, CpuSet | None, tuple[Evidence, ...]]:
    """(the one NUMA node with CPUs that the table names, the printed list if it has several, CPUs, the row)."""
    for found in topos:
        for row in found.record.gpus:
            if row.index != gpu.index or gpu.vendor != "nvidia":
                continue
            printed = row.numa_affinity or NodeSet()
            with_cpus = [number for number in printed if not topology.numa_nodes or (own := topology.numa_node(number)) is None or own.cpus]
            one = with_cpus[0] if len(with_cpus) == 1 else None
            listed = printed if len(printed) > 1 and one is None else None
            return one, listed, row.cpu_affinity, (cite(found.file, f"GPU{row.index}\t"),)
    return None, None, None, ()


# -- NICs and NVMe


def _by_address(tree: Tree, folder: str) -> dict[PciAddress, str]:
    """PCI address to name for a class directory whose entries, or their ``device`` links, lead to the function."""
    names: dict[PciAddress, str] = {}
    for name in tree.names(folder):
        links = [tree.link(f"{folder}/{name}/device"), tree.link(f"{folder}/{name}"), tree.text(f"{folder}/{name}/address") or ""]
        address = next((found for link in links if isinstance(link, str) and (found := address_in(link))), None)
        if address:
            names.setdefault(address, name)
    return names


def _numa_node(function: PciFunction, topology: Topology) -> tuple[int | None, str | None]:
    if function.numa_node is not None:
        return function.numa_node, "sysfs"
    near = numa_node_of_cpus(function.local_cpus, topology)
    if near is not None:
        return near, "local-cpus"
    only = [numa_node.id for numa_node in topology.numa_nodes]
    return (only[0], "derived") if len(only) == 1 else (None, None)


def _nics(tree: Tree, pci: PciFunctions, topology: Topology) -> tuple[Nic, ...]:
    rdma, netdevs = _by_address(tree, "root/sys/class/infiniband"), _by_address(tree, "root/sys/class/net")
    nics = []
    for function in pci.of_class(0x02):
        address = function.address
        nics.append(
            Nic(rdma.get(address) or netdevs.get(address) or str(address), netdevs.get(address), address, *_numa_node(function, topology))
        )
    return tuple(nics)


def _nvmes(tree: Tree, pci: PciFunctions, topology: Topology) -> tuple[Nvme, ...]:
    names = _by_address(tree, "root/sys/class/nvme")
    return tuple(
        Nvme(names.get(function.address, str(function.address)), function.address, *_numa_node(function, topology))
        for function in pci.of_class(0x0108)
    )


JOINER = Joiner(join)
