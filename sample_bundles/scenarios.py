"""The samples: one host shape and one job each."""

from typing import NamedTuple

from host_shape import HostShape
from process_files import Cgroup, Job, Rank

from numaaudit.core.cpuset import CpuSet

_TORCHRUN = ("/usr/bin/python3.11", "-u", "-m", "inference.worker", "--tensor-parallel-size", "8")
_SERVICE = (Cgroup("system.slice"), Cgroup("system.slice/inference.service"))
_MIB = 3584


class Sample(NamedTuple):
    """``about`` says in a sentence what is so on this host."""

    about: str
    shape: HostShape
    job: Job


def _slice(shape: HostShape, number: int) -> CpuSet:
    """The launchers' arithmetic that is under test here: equal slices of CPU numbers, whatever hangs where."""
    size = len(shape.cpus) // len(shape.gpus)
    return CpuSet(range(number * size, (number + 1) * size))


def _log(shape: HostShape) -> str:
    """What such a launcher says when it binds; the workers' lines come in no order."""
    order = [0, 2, 1, 3, 5, 4, 7, 6]
    lines = [f"2026-11-29 10:02:1{number % 4}.{407 + 61 * number} INFO bind_cpu gpu_id: {number}, cpus: {list(_slice(shape, number))}." for number in order]
    return "\n".join(lines) + "\n"


def _sliced(shape: HostShape) -> Job:
    """Slices of CPU numbers; memory bound to the GPU's NUMA node."""
    ranks = [Rank(number, _slice(shape, number), home, {home: _MIB}, f"bind:{home}") for number, home in enumerate(shape.gpus)]
    return Job(tuple(ranks), _SERVICE, _TORCHRUN, _log(shape))


def healthy() -> Sample:
    shape = HostShape("gpu-4-4")
    return Sample("Four GPUs on each NUMA node: equal slices of CPU numbers happen to be right.", shape, _sliced(shape))


def asymmetric() -> Sample:
    shape = HostShape("gpu-5-3", gpus=(0, 0, 0, 0, 0, 1, 1, 1))
    return Sample("Five GPUs on NUMA node 0 and three on node 1: equal slices put rank 4 on the wrong one.", shape, _sliced(shape))


SAMPLES = {
    "healthy-4-4": healthy,
    "asymmetric-5-3": asymmetric,
}
LOADS = {}
