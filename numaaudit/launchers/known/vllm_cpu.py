"""vLLM's CPU backend, VLLM_CPU_OMP_THREADS_BIND: one thread a core of the r-th memory node, the last ones kept free.

Source: vLLM 0.33.0, ``vllm/utils/cpu_resource_utils.py``, ``vllm/utils/ompmultiprocessing.py``, ``v1/worker/cpu_worker.py``. x86 and s390x
keep the last thread of a core, POWER the ids whose rest by 8 is below 4, Arm and RISC-V all. On s390x books, else sockets, stand
for NUMA nodes. The list reaches OpenMP's threads through its environment; memory is bound to the NUMA node of the first CPU.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    DEFAULT_POLICY,
    Binding,
    Launcher,
    NotKnownError,
    Prediction,
    Reach,
    Stage,
    bind_to,
    refused,
    same_for_all,
    unbound,
)

LAUNCHER = Launcher(
    version="vLLM 0.33.0",
    source="vllm/utils/cpu_resource_utils.py",
    options=(
        Option("bind", "auto", "VLLM_CPU_OMP_THREADS_BIND: auto, nobind, or lists such as 0-3|4-7"),
        Option("reserved", "", "VLLM_CPU_NUM_OF_RESERVED_CPU"),
    ),
    serves_gpus=False,
)


def predict(view: HostView, job: Job) -> Prediction:
    """Before OpenMP's threads are started."""
    return Prediction(_bindings(view, job), Reach.NEW_THREADS, Stage.BEFORE_EXEC, Confidence.LIKELY)


def _bindings(view: HostView, job: Job) -> tuple[Binding, ...]:
    if job.text("bind") == "nobind":
        return same_for_all(job, unbound("VLLM_CPU_OMP_THREADS_BIND=nobind"))
    if job.text("bind") != "auto":
        given = job.lists("bind")
        return tuple(_bound(view, given[rank] if rank < len(given) else CpuSet()) for rank in job.ranks)
    groups = _groups(view)
    if len(groups) < job.num_ranks:
        return same_for_all(job, refused(f"AssertionError: {job.num_ranks} ranks for {len(groups)} memory nodes"))
    lists = [_threads(view, cpus) for cpus in groups[: job.num_ranks]]
    return tuple(_bound(view, CpuSet(kept)) for kept in _without_reserved(view, job, lists))


def _groups(view: HostView) -> list[CpuSet]:
    """The allowed CPUs of each memory node; on s390x of each book, else of each socket, where there are several."""
    if view.arch == "s390x" and len(view.groups.books) > 1:
        return [book & view.allowed_cpus for book in view.groups.books]
    if view.arch == "s390x" and len(view.topology.packages) > 1:
        return [package.cpus & view.allowed_cpus for package in view.packages]
    return [view.cpus_of(numa_node) & view.allowed_cpus for numa_node in view.allowed_mems]


def _threads(view: HostView, cpus: CpuSet) -> list[int]:
    if view.arch is None:
        raise NotKnownError("the architecture of the CPUs")
    if view.arch in ("x86_64", "i686", "s390x"):
        return [max(core) for core in view.cores_in(cpus)]
    return [cpu for cpu in cpus if cpu % 8 < 4] if view.arch.startswith("ppc64") else list(cpus)


def _without_reserved(view: HostView, job: Job, lists: list[list[int]]) -> list[list[int]]:
    """From the end of each list, what does not divide from the last rank backwards; nothing where it would leave none."""
    by_rank = view.arch != "s390x" and not (view.arch or "").startswith("ppc64")
    each, more = divmod(job.number("reserved", job.num_ranks if by_rank else 1), max(len(lists), 1))
    counts = [each + (rank >= len(lists) - more) for rank in range(len(lists))]
    if any(count >= len(cpus) for count, cpus in zip(counts, lists)):
        return lists
    return [cpus[: len(cpus) - count] for count, cpus in zip(counts, lists)]


def _bound(view: HostView, cpus: CpuSet) -> Binding:
    if not cpus:
        return refused("an empty list of CPUs: the memory node has none that is allowed")
    if cpus.isdisjoint(view.allowed_cpus):
        return Binding(view.allowed_cpus, notes=(f"OpenMP cannot pin to CPUs {cpus}: none is allowed",))
    numa_node = view.numa_node_of_cpu(min(cpus & view.allowed_cpus))
    return Binding(cpus, bind_to((numa_node,)) if numa_node in view.allowed_mems else DEFAULT_POLICY)
