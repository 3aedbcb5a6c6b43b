"""TensorRT-LLM: NVML's CPUs for a worker that has all CPUs; for one that was bound before, no binding at all.

Source: NVIDIA/TensorRT-LLM, ``docs/.../configuring-cpu-affinity`` @ 08314e8, ``executor/base_worker.py`` @ 000bd1a, pull requests
9549, 12985 and 18701; the body of the helper was not read. TLLM_NUMA_AWARE_WORKER_AFFINITY unset: a constrained mask is widened
to every CPU, with a warning, an unconstrained one becomes NVML's. ``1``: always NVML's. Another value: left as it is.
"""

from numaaudit.core.confidence import Confidence
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.prediction import (
    Binding,
    Launcher,
    NotKnownError,
    Prediction,
    Reach,
    Stage,
    for_each_rank,
    refused,
    same_for_all,
    unbound,
)
from numaaudit.model.gpus import Gpu

LAUNCHER = Launcher(
    version="pull request 18701 (2026-09)",
    source="tensorrt_llm/executor/base_worker.py",
    options=(
        Option("numa-aware", "unset", "TLLM_NUMA_AWARE_WORKER_AFFINITY", ("unset", "1", "0")),
        Option("nvml-index", "visible", "logical before pull request 12985", ("visible", "logical")),
        Option("threads", "all", "main before pull request 18701", ("all", "main")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """After ``set_device``, when the threads of MPI and CUDA run."""
    reaches = Reach.ALL_THREADS if job.text("threads") == "all" else Reach.MAIN_THREAD
    return Prediction(_bindings(view, job), reaches, Stage.AFTER_CUDA, Confidence.LIKELY)


def _bindings(view: HostView, job: Job) -> tuple[Binding, ...]:
    if job.text("numa-aware") == "0":
        return same_for_all(job, unbound("TLLM_NUMA_AWARE_WORKER_AFFINITY=0"))
    if job.text("numa-aware") == "unset" and view.is_constrained:
        return same_for_all(job, unbound("the mask is constrained: it is widened to what the cpuset allows, with a warning", view.online))
    return for_each_rank(job, lambda rank: _worker(view, job, rank))


def _worker(view: HostView, job: Job, rank: int) -> Binding:
    cpus = view.nvml_cpus_of(_device(view, job, rank)) if view.has_second_numa_node else view.online
    if cpus.isdisjoint(view.allowed_cpus):
        return refused("the GPU's CPUs are outside the cpuset", cpus)
    return Binding(cpus)


def _device(view: HostView, job: Job, rank: int) -> Gpu:
    devices = job.visible_gpus if job.text("nvml-index") == "visible" else view.gpus
    if not job.visible_gpus:
        raise NotKnownError("the rank's GPU")
    return devices[rank % len(job.visible_gpus)]
