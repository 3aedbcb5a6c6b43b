"""Hugging Face accelerate, ``--enable_cpu_affinity``: NVML's CPUs of the GPU whose NVML number is the local rank.

Source: accelerate 1.15.0.dev0 @ 16cb6eb, ``utils/environment.py`` (set_numa_affinity), ``state.py``. CUDA_VISIBLE_DEVICES does not
renumber NVML, so a job on GPUs 4 to 7 gets the CPUs of GPUs 0 to 3. It runs after the process group is made; ROCm takes the
CPUs of the device's NUMA node, or leaves the mask where that is not known.
"""

from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job
from numaaudit.launchers.prediction import (
    Binding,
    Launcher,
    Prediction,
    Reach,
    Stage,
    for_each_rank,
    refused,
    unbound,
)

LAUNCHER = Launcher(version="accelerate 1.15.0.dev0", source="accelerate/utils/environment.py")


def predict(view: HostView, job: Job) -> Prediction:
    """By local rank."""
    return Prediction(for_each_rank(job, lambda rank: _rank(view, rank)), Reach.MAIN_THREAD, Stage.AFTER_CUDA)


def _rank(view: HostView, rank: int) -> Binding:
    if rank >= len(view.gpus):
        return refused(f"NVML has no device {rank}")
    gpu = view.gpus[rank]
    if gpu.vendor == "amd" and view.sysfs_node_of(gpu) < 0:
        return unbound("the GPU's numa_node is -1")
    cpus = view.nvml_cpus_of(gpu)
    if cpus.isdisjoint(view.allowed_cpus):
        return refused("OSError: [Errno 22] Invalid argument: the GPU's CPUs are outside the cpuset", cpus)
    return Binding(cpus)
