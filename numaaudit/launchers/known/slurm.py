"""Slurm's task/affinity: CPUs by its own count of sockets and cores; GPUs may then be chosen by those CPUs.

Source: SchedMD/slurm 26.11.0rc1 @ 284c3b9, ``src/plugins/task/affinity``, ``src/interfaces/gres.c``, srun(1), gres.conf(5). Without
``--cpu-bind`` tasks are bound only if together they have as many CPUs as there are sockets, cores or threads. The second
level of the distribution is cyclic by default: consecutive tasks alternate between sockets. ``--gpu-bind=closest`` gives a task
the GPUs whose ``Cores=`` overlap its mask, ``--gres-flags=enforce-binding`` the job the cores of its GPUs only.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError, UsageError
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option, cpus_in
from numaaudit.launchers.prediction import (
    DEFAULT_POLICY,
    Binding,
    Launcher,
    Prediction,
    bind_to,
    for_each_rank,
    refused,
    same_for_all,
    unbound,
)
from numaaudit.launchers.slurm_layout import dealt, units_of, widened
from numaaudit.model.gpus import Gpu

LAUNCHER = Launcher(
    version="Slurm 26.11.0rc1",
    source="src/plugins/task/affinity/dist_tasks.c",
    options=(
        Option("cpu-bind", "auto", "--cpu-bind: auto, none, threads, cores, sockets, rank_ldom, map_cpu:, mask_cpu: or map_ldom:LIST"),
        Option("distribution", "cyclic", "-m, its second level", ("cyclic", "block", "fcyclic")),
        Option("cpus-per-task", "", "-c, by default every task's share of all threads"),
        Option("mem-bind", "none", "--mem-bind", ("none", "local", "rank")),
        Option("gpu-bind", "none", "--gpu-bind", ("none", "closest", "single:1")),
        Option("enforce-binding", "no", "--gres-flags=enforce-binding", ("no", "yes")),
    ),
)


_UNBOUND = "auto binding off: the tasks have no whole sockets, cores or threads, or --cpu-bind=none"


def predict(view: HostView, job: Job) -> Prediction:
    """In slurmstepd, before exec."""
    allocated = _allocated(view, job)
    kind, _, entries = job.text("cpu-bind").partition(":")
    masks = _listed(view, job, kind, entries.split(",")) if entries else _counted(view, job, kind, allocated)
    if masks is None:
        return Prediction(same_for_all(job, unbound(_UNBOUND, allocated)._replace(keeps=allocated)))
    bindings = for_each_rank(job, lambda rank: _task(view, job, allocated, masks[: rank + 1]))
    is_exact = kind in ("auto", "none", "threads") or bool(entries)
    return Prediction(bindings, confidence=Confidence.CERTAIN if is_exact else Confidence.LIKELY)


def _allocated(view: HostView, job: Job) -> CpuSet:
    if not job.is_on("enforce-binding"):
        return view.allowed_cpus
    cores = CpuSet()
    for gpu in job.visible_gpus:
        cores |= _gres_cores(view, gpu)
    return cores & view.allowed_cpus


def _gres_cores(view: HostView, gpu: Gpu) -> CpuSet:
    """``Cores=`` as AutoDetect fills it in: the socket of the GPU's CPUs."""
    return view.package_cpus(view.nvml_cpus_of(gpu))


def _counted(view: HostView, job: Job, kind: str, allocated: CpuSet) -> list[CpuSet] | None:
    """One mask a task; None where Slurm does not bind."""
    if kind == "none":
        return None
    if kind == "rank_ldom":
        return [view.cpus_of(rank % (max(view.cpu_nodes) + 1)) & allocated for rank in job.ranks]
    each = job.number("cpus-per-task", max(len(allocated) // max(job.num_ranks, 1), 1))
    unit = _automatic_unit(units_of(view, allocated), job.num_ranks * each) if kind == "auto" else kind
    if unit is None:
        return None
    if unit not in ("sockets", "cores", "threads"):
        raise UsageError(f"cpu-bind is not {kind!r}", "auto, none, threads, cores, sockets, rank_ldom, map_cpu:, mask_cpu:, map_ldom:")
    masks = dealt(view, allocated, job.num_ranks, each, job.text("distribution"))
    return [widened(view, mask, allocated, unit) for mask in masks]


def _automatic_unit(units: dict[str, int], wanted: int) -> str | None:
    return next((unit for unit in ("sockets", "cores", "threads") if units[unit] == wanted), None)


def _listed(view: HostView, job: Job, kind: str, entries: list[str]) -> list[CpuSet]:
    """Entry number task mod length."""
    masks = [_entry(view, kind, entry) for entry in entries]
    return [masks[rank % len(masks)] for rank in job.ranks]


def _entry(view: HostView, kind: str, entry: str) -> CpuSet:
    try:
        if kind in ("mask_cpu", "mask"):
            return CpuSet.from_mask(entry)
        if kind in ("map_cpu", "map"):
            return CpuSet((int(entry, 0),))
        if kind == "map_ldom":
            return view.cpus_of(int(entry, 0))
    except (ParseError, ValueError):
        raise UsageError(f"cpu-bind {kind} has no entry {entry!r}") from None
    raise UsageError(f"cpu-bind has no list {kind!r}", f"as in map_cpu:{cpus_in('0', 'example')}")


def _task(view: HostView, job: Job, allocated: CpuSet, masks: list[CpuSet]) -> Binding:
    """The last of the tasks with these masks."""
    mask, rank = masks[-1], len(masks) - 1
    policy = _policy(view, job, mask & allocated, rank)
    if mask.isdisjoint(allocated):
        return refused("error: the mask is outside the allocation", mask, policy)
    binding = Binding(mask & allocated, policy)
    return binding if job.text("gpu-bind") == "none" else _with_gpu(view, job, binding, masks)


def _policy(view: HostView, job: Job, cpus: CpuSet, rank: int) -> str:
    if job.text("mem-bind") == "local":
        return bind_to(view.topology.numa_nodes_of(cpus))
    return bind_to((rank % (max(view.cpu_nodes) + 1),)) if job.text("mem-bind") == "rank" else DEFAULT_POLICY


def _with_gpu(view: HostView, job: Job, binding: Binding, masks: list[CpuSet]) -> Binding:
    """``closest``: all GPUs whose cores overlap the mask. ``single``: of these, one task after another gets the next."""
    close = _close_gpus(view, job, masks[-1])
    if not close:
        return binding
    if job.text("gpu-bind") == "closest":
        names = ", ".join(str(view.index_of(gpu)) for gpu in close)
        return binding._replace(gpu=close[0]).noting(f"it sees GPUs {names} and uses the first unless it is told otherwise")
    before = sum(_close_gpus(view, job, mask) == close for mask in masks[:-1])
    return binding._replace(gpu=close[before % len(close)])


def _close_gpus(view: HostView, job: Job, mask: CpuSet) -> list[Gpu]:
    return [gpu for gpu in job.visible_gpus if not _gres_cores(view, gpu).isdisjoint(mask)] or list(job.visible_gpus)
