"""What tools print of CPUs, packages and NUMA nodes, each in one shape, for where the kernel's own files are not there."""

import math
import re
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

from numaaudit.bundle.tree import File
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_cpus import Package
from numaaudit.model.kernel_numa import Distances, NumaNode, kind_of
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.hwloc_xml import HwlocNumaNode, HwlocTopology
from numaaudit.parse.parsers.lscpu import Lscpu
from numaaudit.parse.parsers.lscpu_extended import LscpuCpu, LscpuExtended
from numaaudit.parse.parsers.nccl_xml import NcclTopology
from numaaudit.parse.parsers.numactl_hardware import DistanceMatrix, NumactlHardware, NumactlNode
from numaaudit.parse.parsers.numastat import Numastat
from numaaudit.parse.text import nodes_or_none

K = TypeVar("K", bound=Hashable)

# hwloc's subtypes of memory without CPUs of its own, beside which it prints the nearest ones.
_CPULESS = ("GPUMemory", "HBM", "MCDRAM", "NVM", "CXL-DRAM", "CXL-NVM", "SPM")


class Told(NamedTuple):
    """One source's word; None or empty is what it does not say. ``num_packages``: counted, also where their CPUs are not listed.

    ``is_complete``: it lists the CPUs of every NUMA node that has some.
    """

    source: str
    online: CpuSet | None = None
    present: CpuSet | None = None
    packages: tuple[Package, ...] = ()
    num_packages: int | None = None
    cores: int | None = None
    threads_per_core: int | None = None
    siblings: tuple[CpuSet, ...] = ()
    numa_nodes: tuple[NumaNode, ...] = ()
    distances: Distances | None = None
    is_complete: bool = False


def from_lscpu(found: Found[Lscpu]) -> Told:
    """Its NUMA nodes may list CPUs that are offline. Where kinds of core differ they are added up.

    On s390x books and drawers say how many sockets fit, not how many there are.
    """
    record, online = found.record, found.record.online
    return Told(
        "lscpu",
        online,
        None if online is None else online | (record.offline or CpuSet()),
        num_packages=_total([block.sockets for block in record.blocks]),
        cores=_total([_product(block.sockets, block.cores_per_socket) for block in record.blocks]),
        threads_per_core=record.threads_per_core,
        numa_nodes=tuple(
            NumaNode(each.id, _within(each.cpus, online), source="lscpu", file=found.file, line=_line(found.file, rf"NUMA\D*{each.id}\D"))
            for each in record.numa_nodes
        ),
        is_complete=record.numa_node_count == len(record.numa_nodes) and all(each.cpus is not None for each in record.numa_nodes),
    )


def from_lscpu_table(found: Found[LscpuExtended]) -> Told:
    """Its socket and core numbers are lscpu's own count, so that packages get no id; its NUMA nodes are the kernel's.

    Whether rows are missing cannot be seen from those that are there.
    """
    cpus = [cpu for cpu in found.record.cpus if cpu.online is not False]
    cores = _grouped(cpus, lambda cpu: None if cpu.core is None else (cpu.drawer, cpu.book, cpu.socket, cpu.core))
    sockets = _grouped(cpus, lambda cpu: None if cpu.socket is None else (cpu.drawer, cpu.book, cpu.socket))
    numa_nodes = _grouped(cpus, lambda cpu: cpu.numa_node)
    return Told(
        "lscpu",
        CpuSet(cpu.cpu for cpu in cpus),
        CpuSet(cpu.cpu for cpu in found.record.cpus),
        tuple(Package(None, group) for group in sockets.values()),
        len(sockets) or None,
        len(cores) or None,
        _even(cores.values()),
        tuple(cores.values()),
        tuple(NumaNode(number, group, source="lscpu", file=found.file, line=None) for number, group in sorted(numa_nodes.items())),
    )


def _grouped(cpus: Iterable[LscpuCpu], key_of: Callable[[LscpuCpu], K | None]) -> dict[K, CpuSet]:
    groups: dict[K, list[int]] = {}
    for cpu in cpus:
        key = key_of(cpu)
        if key is not None:
            groups.setdefault(key, []).append(cpu.cpu)
    return {key: CpuSet(group) for key, group in groups.items()}


def from_numactl(found: Found[NumactlHardware]) -> Told:
    """Also NUMA nodes that only the first line or the table of distances names, where the rest was cut. MB are rounded by the tool."""
    record, file = found.record, found.file
    described = {each.id: each for each in record.numa_nodes}
    first = re.search(r"^[ \t]*available: \d+ nodes? \(([\d,-]{1,4000})\)", file.text, re.M)
    named = [*described, *(record.distances.numa_nodes if record.distances else ()), *(nodes_or_none(first[1]) or () if first else ())]
    return Told(
        "numactl",
        numa_nodes=tuple(_numactl_node(number, described.get(number), file) for number in sorted(set(named))),
        distances=_distances(record.distances),
        is_complete=first is not None and all(each.cpus is not None for each in described.values()) and set(named) == set(described),
    )


def _numactl_node(number: int, each: NumactlNode | None, file: File) -> NumaNode:
    if each is None:
        return NumaNode(number, None, source="numactl", file=file, line=None)
    kind = kind_of(each.cpus, each.size_bytes)
    return NumaNode(number, each.cpus, each.size_bytes, each.free_bytes, kind, "numactl", file, _line(file, rf"node {number} cpus"))


def from_numastat(found: Found[Numastat]) -> Told:
    """Which NUMA nodes there are, and of ``numastat -m`` their memory; never their CPUs."""
    memory = {each.numa_node: (each.total_bytes, each.free_bytes) for each in found.record.memory}
    numbers = sorted({*memory, *(each.numa_node for each in found.record.counters)})
    sizes = [(number, *memory.get(number, (None, None))) for number in numbers]
    return Told(
        "numastat",
        numa_nodes=tuple(NumaNode(number, None, total, free, None, "numastat", found.file, None) for number, total, free in sizes),
    )


# -- topologies in XML


def from_hwloc(found: Found[HwlocTopology]) -> Told:
    """CPUs that were offline, or not allowed to the writer of the file, are among the present ones only."""
    record = found.record
    return Told(
        "hwloc-xml",
        record.cpus,
        record.complete_cpus,
        tuple(Package(package.id, package.cpus) for package in record.packages),
        len(record.packages) or None,
        len(record.cores) or None,
        _even(core.cpus for core in record.cores),
        tuple(core.cpus for core in record.cores),
        _hwloc_numa_nodes(found),
        _distances(record.distances),
        is_complete=True,
    )


def _hwloc_numa_nodes(found: Found[HwlocTopology]) -> tuple[NumaNode, ...]:
    """hwloc prints the nearest CPUs for memory that has none; they belong to the first NUMA node that is ordinary memory."""
    owned = CpuSet()
    made = {}
    for each in sorted(found.record.numa_nodes, key=lambda each: (each.subtype in _CPULESS, len(each.cpus or ()), each.id)):
        cpus = CpuSet() if each.subtype in _CPULESS else each.cpus
        if cpus and cpus <= owned:
            cpus = CpuSet()
        owned |= cpus or CpuSet()
        made[each.id] = _hwloc_numa_node(each, cpus, found.file)
    return tuple(made[number] for number in sorted(made))


def _hwloc_numa_node(each: HwlocNumaNode, cpus: CpuSet | None, file: File) -> NumaNode:
    kind = "gpu-memory" if each.subtype == "GPUMemory" else kind_of(cpus, each.memory_bytes)
    line = _line(file, rf'type="NUMANode"[^\n]* os_index="{each.id}"')
    return NumaNode(each.id, cpus, each.memory_bytes, None, kind, "hwloc-xml", file, line)


def from_nccl(found: Found[NcclTopology]) -> Told:
    """Only the NUMA nodes of the job's devices."""
    numa_nodes = {
        each.numa_node: NumaNode(
            each.numa_node, each.cpus, source="nccl-xml", file=found.file, line=_line(found.file, rf'numaid="{each.numa_node}"')
        )
        for each in reversed(found.record.cpus)
        if each.numa_node is not None
    }
    return Told("nccl-xml", numa_nodes=tuple(numa_nodes[number] for number in sorted(numa_nodes)))


# -- small things


def _line(file: File, pattern: str) -> int | None:
    """The number of the first line with a match, counted from 1 in the text; None where there is none."""
    match = re.search(pattern, file.text)
    return file.text.count("\n", 0, match.start()) + 1 if match else None


def _distances(table: DistanceMatrix | None) -> Distances | None:
    return Distances(table.numa_nodes, table.rows) if table else None


def _within(cpus: CpuSet | None, online: CpuSet | None) -> CpuSet | None:
    return cpus if cpus is None or online is None else cpus & online


def _even(groups: Iterable[CpuSet]) -> int | None:
    """The size of all groups, where it is one."""
    sizes = {len(group) for group in groups}
    return sizes.pop() if len(sizes) == 1 else None


def _total(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None


def _product(*numbers: int | None) -> int | None:
    known = [number for number in numbers if number is not None]
    return math.prod(known) if len(known) == len(numbers) else None
