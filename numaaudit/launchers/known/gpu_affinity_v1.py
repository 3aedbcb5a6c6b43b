"""NVIDIA's ``gpu_affinity.py``, first generation (Transformer-XL, FastPitch, GNMT, BART, TFT and others).

Source: NVIDIA/DeepLearningExamples @ 729963d. Masks are NVML's, by NVML number of the local rank: CUDA_VISIBLE_DEVICES is
ignored. Siblings are taken out, the cores shared out to GPUs with equal lists, the siblings put back. No look at the cpuset.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.gpu_shares import first_untaken, shared_out
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
)

MODES = ("socket", "single", "single_unique", "socket_unique_interleaved", "socket_unique_continuous")
LAUNCHER = Launcher(
    version="DeepLearningExamples 729963d, first generation",
    source="gpu_affinity.py",
    options=(Option("mode", "socket_unique_continuous", "--affinity", MODES),),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The calling thread's mask, when the script begins."""
    masks = _masks(view, job)
    given = _given(view, job.text("mode"), masks)
    return Prediction(for_each_rank(job, lambda rank: _rank(view, given, rank)), Reach.MAIN_THREAD, Stage.BEFORE_CUDA)


def _rank(view: HostView, given: list[CpuSet], rank: int) -> Binding:
    if rank >= len(given):
        return refused("IndexError: there is no core left for this GPU")
    if given[rank].isdisjoint(view.allowed_cpus):
        return refused("OSError: [Errno 22] Invalid argument: no CPU asked for is allowed", given[rank])
    return Binding(given[rank])


def _masks(view: HostView, job: Job) -> list[CpuSet]:
    if job.num_ranks > len(view.gpus):
        raise NotKnownError(f"NVML's device {len(view.gpus)}, which is not there")
    return [view.nvml_cpus_of(gpu) for gpu in view.gpus[: job.num_ranks]]


def _given(view: HostView, mode: str, masks: list[CpuSet]) -> list[CpuSet]:
    if mode == "socket":
        return masks
    if mode == "single":
        return [CpuSet((min(mask),)) for mask in masks]
    firsts = [_first_threads(view, mask) for mask in masks]
    if mode == "single_unique":
        return [CpuSet(part) for part in first_untaken(firsts)]
    return [_with_siblings(view, part) for part in shared_out(firsts, mode.endswith("interleaved"), balanced=False)]


def _first_threads(view: HostView, mask: CpuSet) -> tuple[int, ...]:
    return tuple(cpu for cpu in mask if cpu == min(view.core_of(cpu)))


def _with_siblings(view: HostView, firsts: tuple[int, ...]) -> CpuSet:
    """Each with the second number of its list of siblings."""
    return CpuSet(cpu for first in firsts for cpu in sorted(view.core_of(first))[:2])
