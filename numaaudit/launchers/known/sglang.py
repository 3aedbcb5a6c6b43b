"""SGLang: a wrapper by NUMA node (V2, on by default) or a call in the scheduler (V1), and an older slice of CPU ids.

Source: sglang 0.5.23, ``srt/utils/numa_utils.py``, ``srt/utils/common.py`` (gpu_proc_affinity), ``srt/managers/scheduler.py``.
V2 wraps the scheduler in numactl with the allowed CPUs of the NUMA node that NVML names, and MPOL_BIND, which degrades to
MPOL_PREFERRED and then to none where it is refused. SGLANG_SET_CPU_AFFINITY replaces the main thread's mask by ids s to s+q-1
and the same ids plus the number of cores: q is cores by tensor parallel size, s is q times the logical GPU. V1 runs after that.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    DEFAULT_POLICY,
    Binding,
    Launcher,
    Outcome,
    Prediction,
    Reach,
    Stage,
    bind_to,
    for_each_rank,
    prefer,
    refused,
    unbound,
)

LAUNCHER = Launcher(
    version="sglang 0.5.23",
    source="sglang/srt/utils/numa_utils.py",
    options=(
        Option("numa-bind", "v2", "SGLANG_AUTO_NUMA_BIND and SGLANG_NUMA_BIND_V2", ("v2", "v1", "off")),
        Option("set-cpu-affinity", "no", "SGLANG_SET_CPU_AFFINITY, which the ROCm image sets", ("no", "yes")),
        Option("numa-node", "", "--numa-node, such as '0 0 1 1'"),
        Option("tp", "", "--tp, by default the number of ranks"),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The wrapper; then the slice; then V1."""
    late = job.is_on("set-cpu-affinity") or job.text("numa-bind") == "v1"
    reaches, stage = (Reach.MAIN_THREAD, Stage.AFTER_CUDA) if late else (Reach.ALL_THREADS, Stage.BEFORE_EXEC)
    return Prediction(for_each_rank(job, lambda rank: _scheduler(view, job, rank)), reaches, stage)


def _scheduler(view: HostView, job: Job, rank: int) -> Binding:
    wrapper = _v2(view, job, rank) if job.text("numa-bind") == "v2" else unbound("numa binding is off")
    if not job.is_on("set-cpu-affinity"):
        return _v1(view, job, rank, None) if job.text("numa-bind") == "v1" else wrapper
    cpus = _slice(view, job, rank)
    if cpus.isdisjoint(view.allowed_cpus):
        return refused(f"ValueError: CPU number {min(cpus)} is not eligible", cpus, wrapper.policy)
    if job.text("numa-bind") == "v1":
        return _v1(view, job, rank, cpus)
    note = "threads of before keep the CPUs of the NUMA node" if wrapper.outcome is Outcome.BINDS else ""
    return Binding(cpus, wrapper.policy).noting(note)


def _slice(view: HostView, job: Job, rank: int) -> CpuSet:
    cores, parallel = view.num_cores, job.number("tp", job.num_ranks)
    if not 0 < parallel <= cores:
        raise UsageError(f"tp is 1 to {cores}, not {parallel}")
    quota = cores // parallel
    start = rank * quota % cores
    cpus = CpuSet(range(start, start + quota))
    return cpus if len(view.online) == cores else cpus | CpuSet(range(start + cores, start + quota + cores))


def _numa_node(view: HostView, job: Job, rank: int) -> int | None:
    """The one given, which is not checked; else NVML's, only where there is a ``node1``."""
    given = job.numbers("numa-node")
    if given is not None:
        return given[rank] if rank < len(given) else None
    return view.numa_node_of_cpu(min(view.nvml_cpus_of(job.gpu_of(rank)))) if view.has_second_numa_node else None


def _v2(view: HostView, job: Job, rank: int) -> Binding:
    numa_node = _numa_node(view, job, rank)
    if numa_node is None:
        return unbound("no NUMA node for this GPU")
    cpus = view.cpus_of(numa_node) & view.allowed_cpus
    if not cpus:
        return unbound(f"NUMA node {numa_node} has no CPU cores allowed by the current affinity: skipped with a warning")
    if numa_node in view.allowed_mems:
        return Binding(cpus, bind_to((numa_node,)))
    return Binding(cpus, DEFAULT_POLICY, notes=(f"memory of NUMA node {numa_node} is not allowed: CPUs only, with a warning",))


def _v1(view: HostView, job: Job, rank: int, mask: CpuSet | None) -> Binding:
    """``mask``: what the slice left, None where it is off."""
    numa_node = _numa_node(view, job, rank)
    current = view.allowed_cpus if mask is None else mask & view.allowed_cpus
    if numa_node is None:
        return unbound("no NUMA node for this GPU") if mask is None else Binding(mask)
    policy = prefer(numa_node) if numa_node in view.allowed_mems else DEFAULT_POLICY
    cpus = view.cpus_of(numa_node) & current
    if cpus:
        return Binding(cpus, policy)
    why = f"NUMA node {numa_node} has no CPU of the current mask: skipped with a warning"
    return unbound(why) if mask is None else Binding(mask, notes=(why,))
