"""NVIDIA's ``gpu_affinity.py``, second generation (ConvNets and others).

Source: NVIDIA/DeepLearningExamples @ 729963d, ``PyTorch/Classification/ConvNets/image_classification/gpu_affinity.py``. As the first,
but cut to the caller's mask, and balanced: every GPU gets as many cores as the one with the fewest, so a crowded NUMA node
leaves cores of the others idle. By NVML number of the local rank.
"""

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.gpu_shares import are_equal_or_disjoint, cores_by_pairs, first_untaken, shared_out
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
)

MODES = ("socket", "socket_single", "socket_single_unique", "socket_unique_interleaved", "socket_unique_contiguous")
LAUNCHER = Launcher(
    version="DeepLearningExamples 729963d, second generation",
    source="gpu_affinity.py",
    options=(
        Option("mode", "socket_unique_contiguous", "--gpu-affinity", MODES),
        Option("cores", "all_logical", "which threads of a core", ("all_logical", "single_logical")),
        Option("balanced", "yes", "equal numbers of cores for all", ("yes", "no")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """The calling thread's mask, when the script begins."""
    return Prediction(_bindings(view, job), Reach.MAIN_THREAD, Stage.BEFORE_CUDA)


def _bindings(view: HostView, job: Job) -> tuple[Binding, ...]:
    if job.num_ranks > len(view.gpus):
        raise NotKnownError(f"NVML's device {len(view.gpus)}, which is not there")
    masks = [view.nvml_cpus_of(gpu) & view.allowed_cpus for gpu in view.gpus[: job.num_ranks]]
    if not are_equal_or_disjoint(masks):
        return same_for_all(job, refused("RuntimeError: Sets of cores should be either identical or disjoint"))
    given = [_cpus(part, job.text("cores")) for part in _parts(job, [cores_by_pairs(view, mask) for mask in masks])]
    return for_each_rank(job, lambda rank: _rank(given, rank))


def _parts(job: Job, lists: list[tuple[CpuSet, ...]]) -> list[tuple[CpuSet, ...]]:
    mode = job.text("mode")
    if mode == "socket":
        return lists
    if mode == "socket_single":
        return [each[:1] for each in lists]
    if mode == "socket_single_unique":
        return first_untaken(lists)
    return shared_out(lists, mode.endswith("interleaved"), job.is_on("balanced"))


def _cpus(cores: tuple[CpuSet, ...], threads: str) -> CpuSet:
    return CpuSet(cpu for core in cores for cpu in (core if threads == "all_logical" else (min(core),)))


def _rank(given: list[CpuSet], rank: int) -> Binding:
    if rank >= len(given):
        return refused("IndexError: there is no core left for this GPU")
    return Binding(given[rank]) if given[rank] else refused("OSError: [Errno 22] Invalid argument: no core for this GPU")
