"""# asymmetric-or-permuted-slots (NA102)

The GPUs are spread unevenly or out of order over the NUMA nodes, or CPU numbers alternate between them.

## What it checks

Three facts about a board with several GPUs on a host with several NUMA nodes, the first that holds is named: the NUMA nodes
that have GPUs have unlike numbers of them, or the packages do (5 + 3); in the order of the vendor tool's index, or of PCI
addresses where there is none, the GPUs' NUMA nodes do not ascend; the CPUs of one NUMA node are not a few ranges but alternate
with those of another (0,2,4,... and 1,3,5,...). `info` while nobody is hurt: such boards are ordinary. `medium` when bound ranks
run off their GPU's NUMA node or across its border on such a board, with these ranks in `related` (`low` where all of them stay
within one package). What each rank does is said by NA201 and NA202. The verdict depends on how the kernel and the tool number
things: that is what it is about.

## Why it matters

Launchers cut equal, contiguous slices of CPU numbers and hand them out by rank: right for 4 + 4 GPUs in order with contiguous
numbering, and wrong for some ranks of every other board, with the same line of success in the log.

## Evidence

`/sys/bus/pci/devices/*/numa_node`, `nvidia-smi` for the index, `/sys/devices/system/node/node*/cpulist`,
`/proc/PID/status` of the ranks. Unknown when the NUMA node of a GPU is not known; in a container, which may not be shown all
GPUs, a board can be called uneven but never even.

## How to fix

Map ranks to CPUs by each GPU's own NUMA node, never by counting: the launcher's NUMA option, `numactl --cpunodebind` per rank,
or an explicit list. `numaaudit plan` writes one.

## How to verify

NA201 and NA202 are silent for all ranks. The board stays as it is, and so does the note.

## False positives

None known as a note. With `medium`, a rank may be off its NUMA node for another reason than the slots: see its own finding.

## References

- https://docs.kernel.org/admin-guide/cputopology.html
- https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, IdSet
from numaaudit.model.evidence import Evidence
from numaaudit.model.gpus import Gpu
from numaaudit.model.kernel_numa import NumaNode
from numaaudit.model.locality import home_node, home_of
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule(
    "NA102",
    gate=Gate.PLACEMENT,
    category="asymmetric-slots",
    severity=Severity.MEDIUM,
    about_numbering=True,
    caused_by=("NA701", "NA201", "NA202"),
)
MESSAGE = "The GPUs are spread unevenly: in order they hang on NUMA nodes {order}. Equal slices of CPUs fit no such board."
MESSAGES = {
    "permuted": "The GPUs are out of order: one after the other they hang on NUMA nodes {order}. Slices by rank number miss.",
    "interleaved": "CPU numbers alternate between NUMA nodes {numa_nodes}: slices of CPU numbers cross the border.",
    "uneven-hurt": "The GPUs are spread unevenly: in order they hang on NUMA nodes {order}, and {ranks} may run on CPUs {cpus}, "
    "which are not all local.",
    "permuted-hurt": "The GPUs are out of order: one after the other they hang on NUMA nodes {order}, and {ranks} may run on CPUs {cpus}, "
    "which are not all local.",
    "interleaved-hurt": "CPU numbers alternate between NUMA nodes {numa_nodes}, and {ranks} may run on CPUs {cpus}, "
    "which are not all local.",
}
FIX = "Map each rank to the CPUs of its own GPU's NUMA node, not to a counted slice of CPU numbers."

MOST_RUNS = 2  # ranges of CPU numbers that a NUMA node has for each thread of a core where numbering is contiguous, or nearly


class _Slot(NamedTuple):
    gpu: Gpu
    numa_node: NumaNode


def check(devices: Devices, topology: Topology, ranks: Ranks, cgroups: Cgroups, system: System) -> Iterator[Judgement]:
    yield _judge(devices, topology, ranks, cgroups, system)


def _judge(devices: Devices, topology: Topology, ranks: Ranks, cgroups: Cgroups, system: System) -> Judgement:
    if len(devices.gpus) < 2 or topology.has_one_cpu_node():
        return not_applicable("host")
    slots = []
    for gpu in sorted(devices.gpus, key=_order):
        found = home_node(gpu, topology)
        if isinstance(found, Gap):
            return unknown("host", found)
        slots.append(_Slot(gpu, found[0]))
    trait = _trait(slots, topology)
    if trait:
        return _failure(trait, slots, topology, [rank for rank in ranks.all if _is_hurt(rank, topology, cgroups)])
    if system.view in ("container", "sandbox"):
        return unknown("host", Gap("absent", "", f"collected in a {system.view}, which may not be shown every GPU"))
    return ok("host", evidence=_evidence(slots), order=[slot.numa_node.id for slot in slots])


def _order(gpu: Gpu) -> tuple[object, ...]:
    return (gpu.index is None, gpu.index or 0, gpu.pci_address or ())


def _trait(slots: list[_Slot], topology: Topology) -> str | None:
    order = [slot.numa_node.id for slot in slots]
    in_packages = [sum(not package.cpus.isdisjoint(slot.numa_node.cpus or CpuSet()) for slot in slots) for package in topology.packages]
    if len(set(Counter(order).values())) > 1 or len(set(in_packages)) > 1:
        return "uneven"
    if order != sorted(order):
        return "permuted"
    most = MOST_RUNS * (topology.threads_per_core or 1)
    return "interleaved" if any(len(list((slot.numa_node.cpus or CpuSet()).runs())) > most for slot in slots) else None


def _is_hurt(rank: Rank, topology: Topology, cgroups: Cgroups) -> bool:
    """Whether somebody bound it, and not to its home."""
    home, cpus = home_of(rank, topology), rank.process.effective_cpus
    if isinstance(home, Gap) or not cpus or cpus <= home.cpus:
        return False
    return cpus not in (topology.online, cgroups.effective_cpus(rank.process.pid))


def _failure(trait: str, slots: list[_Slot], topology: Topology, hurt: list[Rank]) -> Judgement:
    return fail(
        "host",
        severity=_severity(topology, hurt),
        confidence=Confidence.LIKELY if hurt else Confidence.CERTAIN,
        message=f"{trait}-hurt" if hurt else None if trait == "uneven" else trait,
        related=(*(rank.subject for rank in hurt), *(f"gpu:{slot.gpu.name}" for slot in slots)),
        evidence=_evidence(slots),
        trait=trait,
        order=", ".join(str(slot.numa_node.id) for slot in slots),
        numa_nodes=topology.cpu_nodes,
        ranks=_names(hurt),
        cpus=_cpus(hurt),
    )


def _names(ranks: list[Rank]) -> str:
    """``ranks 0-3,5``, or one by one where some have no number."""
    numbers = [rank.number for rank in ranks if rank.number is not None and rank.number <= IdSet.limit]
    if len(ranks) > 1 and len(numbers) == len(ranks) and all(rank.subject.startswith("rank:") for rank in ranks):
        return f"ranks {IdSet(numbers)}"
    return ", ".join(rank.title_inside for rank in ranks)


def _cpus(ranks: list[Rank]) -> CpuSet:
    cpus = CpuSet()
    for rank in ranks:
        cpus |= rank.process.effective_cpus or CpuSet()
    return cpus


def _severity(topology: Topology, hurt: list[Rank]) -> Severity | None:
    """A note while nobody is hurt, and no more than low (crossing: a note) where everybody stays within one package."""
    if not hurt:
        return Severity.INFO
    far = [rank for rank in hurt if not _is_near(rank, topology)]
    if far:
        return None
    homes = [(rank, home) for rank in hurt if not isinstance(home := home_of(rank, topology), Gap)]
    is_off = any((rank.process.effective_cpus or CpuSet()).isdisjoint(home.cpus) for rank, home in homes)
    return Severity.LOW if is_off else Severity.INFO


def _is_near(rank: Rank, topology: Topology) -> bool:
    home = home_of(rank, topology)
    return not isinstance(home, Gap) and topology.same_package(rank.process.effective_cpus or CpuSet(), home.cpus)


def _evidence(slots: list[_Slot]) -> tuple[Evidence, ...]:
    """Where the first GPU of each NUMA node hangs."""
    first: dict[int, _Slot] = {}
    for slot in slots:
        first.setdefault(slot.numa_node.id, slot)
    return tuple(line for slot in first.values() for line in (*slot.gpu.evidence[:1], *slot.numa_node.evidence))
