"""DeepInfer (``deep_cluster``): contiguous slices of CPU ids, after a binding to the GPU's NUMA node that they replace.

Source: its authors' article on NUMA placement; the code was not read. ``bind_numa`` gives the worker the CPUs of the NUMA
node of its GPU and MPOL_BIND, before CUDA. ``bind_cpu`` then gives it ids g*q to (g+1)*q-1, where g is the physical number of
the GPU and q the number of cores divided by the number of GPUs in ``/proc/driver/nvidia/gpus``. The pool that builds shared
objects takes the first ids of that slice. NCCL's threads get what the worker's mask and the GPU's NUMA node have in common.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    Binding,
    Launcher,
    NotKnownError,
    Prediction,
    Reach,
    Stage,
    bind_to,
    for_each_rank,
    refused,
    unbound,
)

LAUNCHER = Launcher(
    version="article",
    source="article on deep_cluster's NUMA placement",
    options=(
        Option("threads", "worker", "whose CPUs", ("worker", "so-builder", "nccl")),
        Option("so-builder-cpus", "4", "DEEPINFER_SO_BUILDER_CPUS"),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """Slice by the number of the GPU."""
    bind = {"worker": _worker, "so-builder": _so_builder, "nccl": _nccl}[job.text("threads")]
    reaches = Reach.MAIN_THREAD if job.text("threads") == "worker" else Reach.NEW_THREADS
    return Prediction(for_each_rank(job, lambda rank: bind(view, job, rank)), reaches, Stage.AFTER_CUDA, Confidence.LIKELY)


def _worker(view: HostView, job: Job, rank: int) -> Binding:
    if not _has_number(job, rank):
        return refused("bind_cpu ends the worker: the visible device is named by a UUID, not by a number")
    cpus = _slice(view, job, rank)
    policy, note = _policy(view, job, rank)
    if not cpus:
        return Binding(view.online, policy, notes=("more GPUs than cores: an empty slice resets the mask to every CPU", note))
    if cpus.isdisjoint(view.allowed_cpus):
        return refused(f"bind_cpu ends the worker with ValueError: CPU number {min(cpus)} is not eligible", cpus, policy)
    return Binding(cpus, policy).noting(note)


def _so_builder(view: HostView, job: Job, rank: int) -> Binding:
    cpus, wanted = _slice(view, job, rank), job.number("so-builder-cpus", 4)
    if wanted > len(cpus):
        return refused(f"RuntimeError on first use: {wanted} CPUs wanted of a slice of {len(cpus)}", cpus)
    pool = CpuSet(list(cpus)[:wanted])
    if pool.isdisjoint(view.allowed_cpus):
        return refused(f"ValueError: CPU number {min(pool)} is not eligible", pool)
    return Binding(pool)


def _nccl(view: HostView, job: Job, rank: int) -> Binding:
    """NCCL (``graph/topo.cc``, ncclTopoGetCpuAffinity) ignores an empty result."""
    worker = _slice(view, job, rank) & view.allowed_cpus
    cpus = worker & view.cpus_of(view.home_of(job.gpu_of(rank)))
    if cpus:
        return Binding(cpus)
    return unbound("the worker has no CPU on its GPU's NUMA node: NCCL ignores the empty mask")._replace(keeps=worker)


def _slice(view: HostView, job: Job, rank: int) -> CpuSet:
    gpu = job.gpu_of(rank)
    if gpu is None:
        raise NotKnownError("the rank's GPU")
    quota, number = view.num_cores // len(view.gpus), view.index_of(gpu)
    return CpuSet(range(number * quota, (number + 1) * quota))


def _has_number(job: Job, rank: int) -> bool:
    words = (job.visible_devices or "").split(",")
    return not job.visible_devices or rank >= len(words) or words[rank].strip().isdigit()


def _policy(view: HostView, job: Job, rank: int) -> tuple[str | None, str]:
    """``bind_numa`` comes first; ``bind_cpu`` does not touch its policy."""
    try:
        numa_node = view.sysfs_node_of(job.gpu_of(rank))
    except NotKnownError:
        return None, ""
    if numa_node < 0:
        return "default", "bind_numa skips a GPU whose numa_node is -1, with a warning"
    if numa_node not in view.allowed_mems:
        return "default", f"MPOL_BIND to NUMA node {numa_node} is refused, without a warning"
    return bind_to((numa_node,)), ""
