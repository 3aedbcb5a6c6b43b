"""Where each source puts a GPU: its NUMA node, and the CPUs that are local to it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.sources import trust
from numaaudit.model.evidence import Evidence, cite, cite_match
from numaaudit.model.gpus import Gpu
from numaaudit.model.pick import Conflict, pick
from numaaudit.model.sections.device_tables import DeviceTables
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import FOLDER, PciFunction, PciFunctions
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.hwloc_xml import HwlocTopology
from numaaudit.parse.parsers.nccl_xml import NcclTopology
from numaaudit.parse.parsers.npu_smi_topo import NpuSmiTopo
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo
from numaaudit.parse.parsers.rocm_smi_topo import RocmSmiTopo

UBCORE = "root/sys/class/ubcore"


class Place(NamedTuple):
    """One source's word. ``numa_nodes``: a list of several, as printed. ``gap``: why it says no more."""

    source: str
    numa_node: int | None = None
    numa_nodes: NodeSet | None = None
    cpus: CpuSet | None = None
    evidence: tuple[Evidence, ...] = ()
    gap: Gap | None = None
    confidence: Confidence = Confidence.CERTAIN


class Placed(NamedTuple):
    """A GPU with its place; ``gaps`` beside its own: what the sources could not say."""

    gpu: Gpu
    conflict: Conflict | None
    gaps: tuple[Gap, ...]


def placed(gpu: Gpu, tree: Tree, pci: PciFunctions, topology: Topology, kfd: Kfd, tables: DeviceTables) -> Placed:
    """The most trusted source's NUMA node; on a host that has one, that one."""
    function = pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
    places = [
        *_pci_places(function, pci, topology),
        _kfd_place(gpu, topology, kfd),
        *_table_places(gpu, topology, tables),
        *_ubcore_place(gpu, tree),
    ]
    places.sort(key=lambda place: trust(place.source))
    picked = pick(f"gpu:{gpu.name}", "numa_node", [(place.numa_node, place.source) for place in places])
    used = next((place for place in places if picked.source and (place.numa_node, place.source) == (picked.value, picked.source)), None)
    listed = next((place.numa_nodes for place in places if place.numa_nodes), None)
    only = topology.only_numa_node()
    if used is None and listed is None and only is not None:
        used = Place("derived", only.id, evidence=places[0].evidence if places else ())
    gaps = tuple(place.gap for place in places if place.gap)
    shown = used or next((place for place in places if place.evidence), None)
    made = gpu._replace(
        numa_node=used.numa_node if used else None,
        numa_nodes=None if used else listed,
        numa_node_source=used.source if used else None,
        numa_node_confidence=used.confidence if used else Confidence.CERTAIN,
        local_cpus=_local_cpus(places),
        gap=None if used else _gap(gpu, function, gaps),
        evidence=shown.evidence if shown else (),
    )
    return Placed(made, picked.conflict, gaps)


def _local_cpus(places: list[Place]) -> CpuSet | None:
    """Of the most trusted source; a list that a tool ended early only where there is no other."""
    listed = sorted((place for place in places if place.cpus is not None), key=lambda place: place.gap is not None)
    return listed[0].cpus if listed else None


def _gap(gpu: Gpu, function: PciFunction | None, gaps: tuple[Gap, ...]) -> Gap:
    own = function.numa_node_gap if function else None
    return own or next(iter(gaps), None) or Gap("absent", f"{FOLDER}/{gpu.name}/numa_node", "no source names its NUMA node")


# -- the kernel


def _pci_places(function: PciFunction | None, pci: PciFunctions, topology: Topology) -> Iterator[Place]:
    """sysfs's own number; where it is -1, that of the nearest bridge that has one, then the CPUs said to be local."""
    if function is None:
        return
    yield Place("sysfs", function.numa_node, None, function.local_cpus, function.evidence)
    if function.numa_node is None:
        bridges = (pci.by_address.get(address) for address in reversed(function.upstream))
        nearest = next((bridge for bridge in bridges if bridge and bridge.numa_node is not None), None)
        if nearest:
            yield Place("derived", nearest.numa_node, evidence=function.evidence + nearest.evidence)
        yield Place("local-cpus", numa_node_of_cpus(function.local_cpus, topology), evidence=function.evidence)


def numa_node_of_cpus(cpus: CpuSet | None, topology: Topology) -> int | None:
    """The one NUMA node whose CPUs these are; a set with CPUs of several (all of them, when the node is -1) names none."""
    if not cpus:
        return None
    matching = [numa_node.id for numa_node in topology.numa_nodes if numa_node.cpus and numa_node.cpus == cpus & (topology.online or cpus)]
    return matching[0] if len(matching) == 1 and topology.has_several_cpu_nodes() else None


def _kfd_place(gpu: Gpu, topology: Topology, kfd: Kfd) -> Place:
    """KFD numbers CPU nodes first, one per NUMA node with CPUs in order; the nearest is the CPU end of the best link."""
    own = [each for each in kfd.nodes if gpu.pci_address and each.pci_address and each.pci_address.slot == gpu.pci_address.slot]
    nearest = {each.nearest_cpu_node for each in own}
    numa_ids = [numa_node.id for numa_node in topology.numa_nodes if numa_node.cpus] or list(range(len(kfd.cpu_nodes)))
    if len(nearest) != 1 or len(numa_ids) != len(kfd.cpu_nodes):
        return Place("kfd")
    number = nearest.pop()
    return Place("kfd", numa_ids[kfd.cpu_nodes.index(number)] if number in kfd.cpu_nodes else None)


def _ubcore_place(gpu: Gpu, tree: Tree) -> Iterator[Place]:
    """The unified bus's number of an Ascend device, folded as DeepInfer folds it: pairs of numbers, alternating by device.

    What the number means is documented nowhere.
    """
    if gpu.vendor != "huawei" or gpu.index is None:
        return
    files = [file for name in tree.names(UBCORE) if isinstance(file := tree.get(f"{UBCORE}/{name}/device/numa"), File)]
    usable = [(int(text), file) for file in files if (text := file.text.strip(" \n\0")).isascii() and text.isdigit() and len(text) < 5]
    if gpu.index < len(usable):
        number, file = usable[gpu.index]
        yield Place("derived", number // 2 * 2 + gpu.index % 2, evidence=(cite(file),), confidence=Confidence.POSSIBLE)


# -- tools


def _table_places(gpu: Gpu, topology: Topology, tables: DeviceTables) -> Iterator[Place]:
    if gpu.vendor == "nvidia":
        yield from _in_topo(gpu, topology, tables.topos)
    elif gpu.vendor in ("amd", "hygon"):
        yield from _in_rocm(gpu, tables.rocm)
    elif gpu.vendor == "huawei":
        yield from _in_npu(gpu, topology, tables.npus)
    if gpu.pci_address:
        yield from _in_hwloc(gpu, topology, tables.hwlocs)
        yield from _in_nccl(gpu, tables.nccls)


def _in_topo(gpu: Gpu, topology: Topology, topos: tuple[Found[NvidiaSmiTopo], ...]) -> Iterator[Place]:
    """The one NUMA node with CPUs that the row names, else all it prints; the CPUs depend on the caller's cpuset."""
    for found in topos:
        for row in found.record.gpus:
            if row.index != gpu.index:
                continue
            printed = row.numa_affinity or NodeSet()
            one = only_with_cpus(printed, topology)
            gap = None
            if row.affinity_clipped:
                gap = Gap("cut", found.file.path, f"nvidia-smi ends the CPU list of GPU {row.index} early")
            elif row.affinity_unreadable:
                gap = Gap("unparsable", found.file.path, f"the affinity cells of GPU {row.index} cannot be told apart")
            evidence = (cite_match(found.file, rf"\bGPU{row.index}\b[ \t]+(?!GPU|NIC|CPU)[A-Z]"),)
            yield Place("nvidia-smi", one, printed if len(printed) > 1 and one is None else None, row.cpu_affinity, evidence, gap)
            return


def only_with_cpus(numbers: Iterable[int], topology: Topology) -> int | None:
    """The one of these NUMA nodes that has CPUs; one that is not known is taken to have some."""
    known = [(number, topology.numa_node(number)) for number in numbers]
    with_cpus = [number for number, own in known if own is None or own.cpus is None or own.cpus]
    return with_cpus[0] if len(with_cpus) == 1 else None


def _in_rocm(gpu: Gpu, topos: tuple[Found[RocmSmiTopo], ...]) -> Iterator[Place]:
    for found in topos:
        for row in found.record.gpus:
            if row.index == gpu.index:
                evidence = (cite_match(found.file, rf"\[{row.index}\]\s*:[^\n]*Numa Affinity"),)
                yield Place("rocm-smi", row.numa_affinity, evidence=evidence)


def _in_npu(gpu: Gpu, topology: Topology, topos: tuple[Found[NpuSmiTopo], ...]) -> Iterator[Place]:
    for found in topos:
        for row in found.record.npus:
            if row.index == gpu.index:
                evidence = (cite_match(found.file, rf"\b(?:NPU|Phy-ID){row.index}\b[ \t]+(?!NPU|Phy)[A-Z]"),)
                yield Place("npu-smi", numa_node_of_cpus(row.cpu_affinity, topology), None, row.cpu_affinity, evidence)


def _in_hwloc(gpu: Gpu, topology: Topology, hwlocs: tuple[Found[HwlocTopology], ...]) -> Iterator[Place]:
    for found in hwlocs:
        for device in found.record.pci_devices:
            if device.pci_address == gpu.pci_address:
                one = only_with_cpus(device.numa_nodes or (), topology)
                yield Place("hwloc-xml", one, None, device.cpus, (cite_match(found.file, rf"(?i)\b{gpu.pci_address}\b"),))


def _in_nccl(gpu: Gpu, nccls: tuple[Found[NcclTopology], ...]) -> Iterator[Place]:
    for found in nccls:
        for device in found.record.devices:
            if device.pci_address == gpu.pci_address:
                evidence = (cite_match(found.file, rf"(?i)\b{gpu.pci_address}\b"),)
                yield Place("nccl-xml", device.cpu.numa_node, None, device.cpu.cpus, evidence)
