"""vllm-ascend, ``enable_cpu_binding``: after the warm-up, equal parts of the allowed CPU ids, or of those near the NPU.

Source: vllm-project/vllm-ascend @ 182b75e, ``vllm_ascend/cpu_binding.py``. ``global-slice`` (A3) cuts the sorted allowed ids by the
NPU's number among all; ``topo-affinity`` (A2, 310P) takes the CPUs near the NPU and those of the next NUMA node, shared by NPUs with
equal pools. Of a pool the first two serve interrupts, the last two the threads acl and release, those between all the others.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    Binding,
    Launcher,
    NotKnownError,
    Prediction,
    Stage,
    for_each_rank,
    same_for_all,
    unbound,
)

LAUNCHER = Launcher(
    version="vllm-ascend 182b75e",
    source="vllm_ascend/cpu_binding.py",
    options=(Option("mode", "global-slice", "by the generation of the NPU", ("global-slice", "topo-affinity")),),
)
FEWEST = 5  # CPUs of a pool: two for interrupts, one for the main threads, two for acl and release


def predict(view: HostView, job: Job) -> Prediction:
    """Late, and for all threads; pages are moved once, no policy is set."""
    return Prediction(_bindings(view, job), stage=Stage.AFTER_CUDA)


def _bindings(view: HostView, job: Job) -> tuple[Binding, ...]:
    if not any(gpu.vendor == "huawei" for gpu in view.gpus):
        return same_for_all(job, unbound("there is no Ascend NPU"))
    if view.arch not in (None, "aarch64"):
        return same_for_all(job, unbound("CPU binding skipped: non-ARM CPU detected."))
    pools = _slices(view) if job.text("mode") == "global-slice" else _near(view)
    return for_each_rank(job, lambda rank: _rank(view, job, pools, rank))


def _rank(view: HostView, job: Job, pools: list[list[int]], rank: int) -> Binding:
    npu = job.gpu_of(rank)
    if npu is None:
        raise NotKnownError("the rank's NPU")
    pool = pools[view.index_of(npu)]
    if len(pool) < FEWEST:
        return unbound(f"Insufficient CPUs for binding: {len(pool)}, {FEWEST} are needed. Skip binding cpu.")
    notes = f"thread acl on CPU {pool[-2]}, thread release on CPU {pool[-1]}, interrupts on CPUs {pool[0]} and {pool[1]}"
    return Binding(CpuSet(pool[2:-2]), notes=(notes, f"pages are moved to NUMA node {view.numa_node_of_cpu(pool[0])} once"))


def _slices(view: HostView) -> list[list[int]]:
    cpus = list(view.allowed_cpus)
    each, more = divmod(len(cpus), len(view.gpus))
    starts = [number * each + min(number, more) for number in range(len(view.gpus))]
    return [cpus[start : start + each + (number < more)] for number, start in enumerate(starts)]


def _near(view: HostView) -> list[list[int]]:
    """Equal pools are shared evenly; the last NPU of a pool takes the rest."""
    pools = [_pool(view, view.home_of(npu)) for npu in view.gpus]
    shares = []
    for number, pool in enumerate(pools):
        peers = [other for other, same in enumerate(pools) if same == pool]
        place, each = peers.index(number), len(pool) // len(peers)
        cpus = list(pool)
        shares.append(cpus[place * each :] if number == peers[-1] else cpus[place * each : (place + 1) * each])
    return shares


def _pool(view: HostView, numa_node: int) -> CpuSet:
    following = (numa_node + 1) % len(view.topology.numa_nodes)
    return (view.cpus_of(numa_node) | view.cpus_of(following)) & view.allowed_cpus
