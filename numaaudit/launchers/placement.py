"""From what a rank is given to where it then runs: effective CPUs, and how they lie to its GPU."""

from enum import Enum
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job
from numaaudit.launchers.prediction import Binding, Outcome, Prediction
from numaaudit.model.gpus import Gpu


class Placement(str, Enum):
    """``near``: all CPUs in the GPU's package, but not all on its NUMA node. ``unknown``: the GPU's NUMA node, or the CPUs."""

    LOCAL = "local"
    NEAR = "near"
    STRADDLING = "straddling"
    REMOTE = "remote"
    UNKNOWN = "unknown"


class PlacedRank(NamedTuple):
    """One rank. ``effective_cpus`` None: it does not start, or its CPUs are not known. Sets are None where not known.

    ``numa_nodes`` and ``offnode_cpus`` are those of the effective CPUs, of the CPUs asked for where it does not start.
    """

    rank: int
    gpu: Gpu | None
    gpu_numa_node: int | None
    cpus: CpuSet | None
    effective_cpus: CpuSet | None
    numa_nodes: NodeSet | None
    offnode_cpus: CpuSet | None
    memory_policy: str | None
    placement: Placement
    outcome: Outcome
    notes: tuple[str, ...]


def place(view: HostView, job: Job, prediction: Prediction) -> tuple[PlacedRank, ...]:
    """Every rank of a prediction."""
    return tuple(_placed(view, rank, binding, job.gpu_of(rank)) for rank, binding in enumerate(prediction.bindings))


def _placed(view: HostView, rank: int, binding: Binding, gpu: Gpu | None) -> PlacedRank:
    gpu = binding.gpu or gpu
    effective = effective_cpus(view, binding)
    cpus = effective if effective is not None else binding.cpus
    homes = view.homes_of(gpu)
    home_cpus = view.topology.cpus_of(NodeSet(homes))
    reason = (binding.reason,) if binding.reason else ()
    return PlacedRank(
        rank,
        gpu,
        homes[0] if len(homes) == 1 else None,
        binding.cpus,
        effective,
        view.topology.numa_nodes_of(cpus) if cpus is not None else None,
        cpus - home_cpus if cpus is not None and homes else None,
        binding.policy,
        placement_of(view, cpus, homes),
        binding.outcome,
        reason + binding.notes + _cut(view, binding, effective),
    )


def effective_cpus(view: HostView, binding: Binding) -> CpuSet | None:
    """The kernel cuts a mask by cpuset and online without a word (``kernel/sched/syscalls.c``, __sched_setaffinity)."""
    if binding.outcome is Outcome.REFUSES:
        return None
    asked = binding.cpus
    if binding.outcome is Outcome.NO_EFFECT:
        asked = view.allowed_cpus if binding.keeps is None else binding.keeps
    return asked & view.allowed_cpus if asked is not None else None


def _cut(view: HostView, binding: Binding, effective: CpuSet | None) -> tuple[str, ...]:
    if binding.outcome is not Outcome.BINDS or effective is None or binding.cpus is None or effective == binding.cpus:
        return ()
    lost = binding.cpus - effective
    why = "offline" if lost.isdisjoint(view.online) else "not in the cpuset"
    return (f"CPUs {lost} are {why}: the kernel leaves them out without a word",)


def placement_of(view: HostView, cpus: CpuSet | None, homes: tuple[int, ...]) -> Placement:
    """How CPUs lie to a GPU; where it could hang on several NUMA nodes, what holds for each of them."""
    if not cpus or not homes:
        return Placement.UNKNOWN
    found = {_to_one(view, cpus, view.cpus_of(home)) for home in homes}
    return found.pop() if len(found) == 1 else Placement.UNKNOWN


def _to_one(view: HostView, cpus: CpuSet, home_cpus: CpuSet) -> Placement:
    if cpus <= home_cpus:
        return Placement.LOCAL
    if view.topology.same_package(cpus, home_cpus):
        return Placement.NEAR
    return Placement.REMOTE if cpus.isdisjoint(home_cpus) else Placement.STRADDLING
