"""NVIDIA's package ``gpu_affinity``: as the second script, by visible device, and with a scope.

Source: NVIDIA/gpu_affinity @ 5d5e28b, ``gpu_affinity/gpu_affinity.py``. CUDA_VISIBLE_DEVICES is mapped to NVML. Scope ``socket``
deals the cores of the package that no GPU's NUMA node owns, one by one, onto those that one does own, ascending: the GPUs on
the lowest NUMA nodes get them. Parts whose cores did not all get one lose what was dealt.
"""

from itertools import cycle

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.gpu_shares import are_equal_or_disjoint, cores_by_pairs, first_untaken, shared_out
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    Binding,
    Launcher,
    Prediction,
    Reach,
    Stage,
    for_each_rank,
    refused,
    same_for_all,
)

# a core of the GPU's NUMA node, with those that were dealt onto it behind it
Dealt = tuple[CpuSet, ...]

MODES = ("all", "single", "single_unique", "unique_interleaved", "unique_contiguous")
LAUNCHER = Launcher(
    version="gpu_affinity 5d5e28b",
    source="gpu_affinity/gpu_affinity.py",
    options=(
        Option("mode", "unique_contiguous", "Mode", MODES),
        Option("scope", "node", "Scope", ("node", "socket")),
        Option("multithreading", "all_logical", "Multithreading", ("all_logical", "single_logical")),
        Option("balanced", "yes", "equal numbers of cores for all", ("yes", "no")),
        Option("max-physical-cores", "", "the most cores of a process"),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The calling thread's mask, when the script calls it."""
    return Prediction(_bindings(view, job), Reach.MAIN_THREAD, Stage.BEFORE_CUDA)


def _bindings(view: HostView, job: Job) -> tuple[Binding, ...]:
    if job.num_ranks > len(job.visible_gpus):
        return same_for_all(job, refused("GPUAffinityError: fewer visible devices than processes"))
    own = [view.nvml_cpus_of(gpu) & view.allowed_cpus for gpu in job.visible_gpus[: job.num_ranks]]
    if not are_equal_or_disjoint(own):
        return same_for_all(job, refused("GPUAffinityError: Sets of cores should be either identical or disjoint"))
    cores = [_limited(job, part) for part in _parts(view, job, own)]
    return for_each_rank(job, lambda rank: _rank(job, cores, rank))


def _parts(view: HostView, job: Job, own: list[CpuSet]) -> list[list[CpuSet]]:
    """Each rank's cores, in the package's order."""
    by_socket, mode = job.text("scope") == "socket", job.text("mode")
    sockets = [view.package_cpus(mask) & view.allowed_cpus for mask in own] if by_socket else own
    if mode == "all":
        return [_own_first(view, socket, own) for socket in sockets]
    lists = _dealt(view, sockets, own)
    if mode == "single":
        parts = [each[:1] for each in lists]
    elif mode == "single_unique":
        parts = first_untaken(lists)
    else:
        parts = shared_out(lists, mode.endswith("interleaved"), job.is_on("balanced"))
    return [_flat(part, by_socket) for part in parts]


def _own_first(view: HostView, socket: CpuSet, own: list[CpuSet]) -> list[CpuSet]:
    owned = CpuSet(cpu for mask in own for cpu in mask)
    return sorted(cores_by_pairs(view, socket), key=lambda core: (core.isdisjoint(owned), min(core)))


def _dealt(view: HostView, sockets: list[CpuSet], own: list[CpuSet]) -> list[tuple[Dealt, ...]]:
    """For each rank its NUMA node's cores, each with what was dealt onto it."""
    dealt: dict[CpuSet, list[CpuSet]] = {}
    for socket in dict.fromkeys(sockets):
        owned = [core for mask, other in zip(own, sockets) if other == socket for core in cores_by_pairs(view, mask)]
        ordered = sorted(set(owned), key=min)
        spare = [core for core in cores_by_pairs(view, socket) if core not in ordered]
        dealt.update({core: [core] for core in ordered})
        for core, more in zip(cycle(ordered), spare):
            dealt[core].append(more)
    return [tuple(tuple(dealt[core]) for core in cores_by_pairs(view, mask)) for mask in own]


def _flat(part: tuple[Dealt, ...], by_socket: bool) -> list[CpuSet]:
    """Layer by layer as far as every core has one: what ends sooner ends all."""
    return [core for layer in zip(*part) for core in layer] if by_socket else [each[0] for each in part]


def _limited(job: Job, cores: list[CpuSet]) -> list[CpuSet]:
    most = 1 if job.text("mode").startswith("single") else job.number("max-physical-cores", len(cores))
    return cores[:most]


def _rank(job: Job, cores: list[list[CpuSet]], rank: int) -> Binding:
    if rank >= len(cores) or not cores[rank]:
        return refused("GPUAffinityError: no core is available for this GPU")
    all_threads = job.text("multithreading") == "all_logical"
    return Binding(CpuSet(cpu for core in cores[rank] for cpu in (core if all_threads else (min(core),))))
