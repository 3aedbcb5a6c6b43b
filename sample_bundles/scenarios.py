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
    collected_at: str = "10:15"


def _slice(shape: HostShape, number: int) -> CpuSet:
    """The launchers' arithmetic that is under test here: equal slices of CPU numbers, whatever hangs where."""
    size = len(shape.cpus) // len(shape.gpus)
    return CpuSet(range(number * size, (number + 1) * size))


def _log(shape: HostShape) -> str:
    """What such a launcher says when it binds; the workers' lines come in no order."""
    order = [0, 2, 1, 3, 5, 4, 7, 6]
    lines = (f"INFO bind_cpu gpu_id: {number}, cpus: {list(_slice(shape, number))}.\n" for number in order)
    return "".join(f"2026-11-29 10:02:11.{407 + 61 * position} {line}" for position, line in enumerate(lines))


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


def container_cpuset() -> Sample:
    """The mask a rank asks for is cut by sched_setaffinity(2) to the cpuset, without a word (cpusets(7))."""
    shape = HostShape("gpu-reserved")
    given = CpuSet.parse("0-27,32-59")
    container = f"system.slice/docker-{'3f9a17c2' * 8}.scope"
    job = _sliced(shape)
    ranks = tuple(rank._replace(cpus=rank.cpus & given) for rank in job.ranks)
    cgroups = (Cgroup("system.slice"), Cgroup(container, given))
    return Sample(
        "A container's cpuset holds back the last four CPUs of each NUMA node: ranks 3 and 7 got half of their slices.",
        shape, job._replace(ranks=ranks, cgroups=cgroups, in_container=True),
    )  # fmt: skip


def numa_node_minus_1() -> Sample:
    """torchrun --numa-binding=node takes -1 for NUMA node 0 and starts each worker under numactl --physcpubind of its CPUs."""
    shape = HostShape("gpu-no-pxm", firmware_names_nodes=False)
    ranks = [Rank(number, shape.cpus_of_numa_node(0), 0, {0: _MIB}) for number in range(len(shape.gpus))]
    job = Job(tuple(ranks), _SERVICE, _TORCHRUN)
    return Sample("The firmware names no NUMA node for any PCI function, and the launcher took -1 for 0.", shape, job)


def interleaved_numbering() -> Sample:
    shape = HostShape("gpu-odd-even", numbering="interleaved")
    ranks = [Rank(number, _slice(shape, number), home, {0: _MIB // 2 + 120, 1: _MIB // 2 - 120}) for number, home in enumerate(shape.gpus)]
    job = Job(tuple(ranks), _SERVICE, _TORCHRUN, _log(shape))
    return Sample("CPU numbers alternate between the packages, so every equal slice lies on both.", shape, job)


def memory_before_policy() -> Sample:
    """Pages stay where they were touched (numa(7)); threads keep the policy that held when they were born (set_mempolicy(2))."""
    shape = HostShape("gpu-preload", cores_per_package=16, threads_per_core=2)
    ranks = [Rank(number, shape.cpus_of_numa_node(home), home, {0: _MIB - 300, home: 300} if home else {0: _MIB}, f"bind:{home}")
             for number, home in enumerate(shape.gpus)]  # fmt: skip
    job = Job(tuple(ranks), _SERVICE, _TORCHRUN, early_policy="default")
    return Sample("Weights were loaded on NUMA node 0 before each rank set its policy: ranks 4-7 work on remote memory.", shape, job)


def nps4() -> Sample:
    shape = HostShape(
        "gpu-nps4", numa_nodes_per_package=4, gpus=(0, 0, 2, 2, 4, 4, 6, 6), nics=(0, 2, 4, 6), nvmes=(1, 5), gib_per_numa_node=128
    )
    ranks = [Rank(number, _slice(shape, number), number, {number: _MIB}) for number in range(len(shape.gpus))]
    job = Job(tuple(ranks), _SERVICE, _TORCHRUN)
    return Sample("Two GPUs on every other one of eight NUMA nodes: odd ranks sit one off, in the same package.", shape, job)


_RUN = HostShape("gpu-change", cores_per_package=16, gpus=(0, 0, 1, 1), nics=(0, 1), nvmes=(0, 1), gib_per_numa_node=256)
_RUN_ARGV = (*_TORCHRUN[:-1], "4")


def _run(about: str, collected_at: str, start: int, cpus: tuple[CpuSet, ...], mib: tuple[dict[int, int], ...]) -> Sample:
    """The same job on the same host; ``start`` is the first PID, which grows with the time of the start."""
    ranks = tuple(
        Rank(number, cpus[number], home, mib[number], first_pid=start) for number, home in enumerate(_RUN.gpus)
    )  # fmt: skip
    job = Job(ranks, _SERVICE, _RUN_ARGV, num_threads=6, num_mappings=20, start_ticks=start * 1000)
    return Sample(about, _RUN, job, collected_at)


_ANYWHERE = (_RUN.online,) * 4
_AT_HOME = tuple(_RUN.cpus_of_numa_node(home) for home in _RUN.gpus)
_LOCAL_PAGES = tuple({home: _MIB} for home in _RUN.gpus)


def baseline() -> Sample:
    """Pages lie where the thread ran that touched them first (numa(7)): the loader ran on NUMA node 0."""
    return _run("No rank is bound; all loaded their weights on NUMA node 0.", "10:15", 4238, _ANYWHERE, ({0: _MIB - 200, 1: 200},) * 4)


def local() -> Sample:
    return _run("Restarted with each rank bound to the CPUs of its GPU's NUMA node.", "11:15", 6114, _AT_HOME, _LOCAL_PAGES)


def remote() -> Sample:
    cpus, pages = tuple(reversed(_AT_HOME)), tuple(reversed(_LOCAL_PAGES))
    return _run("Restarted with each rank bound to the other NUMA node, as a control.", "12:15", 8237, cpus, pages)


def rollback_not_restarted() -> Sample:
    """sched_setaffinity(2) moves threads at once and pages never."""
    return _run("The masks of the local run were widened again with taskset, without a restart.", "11:45", 6114, _ANYWHERE, _LOCAL_PAGES)


def _load(num_threads: int, num_mappings: int) -> Sample:
    """A healthy host of 256 CPUs with much to read."""
    shape = HostShape("gpu-load", cores_per_package=64, threads_per_core=2)
    ranks = [Rank(number, shape.cpus_of_numa_node(home), home, {home: 16 * _MIB}, f"bind:{home}") for number, home in enumerate(shape.gpus)]
    job = Job(tuple(ranks), _SERVICE, _TORCHRUN, num_threads=num_threads, num_mappings=num_mappings)
    return Sample(f"Eight ranks of {num_threads} threads and {num_mappings} mappings, all at home.", shape, job)


SAMPLES = {
    "healthy-4-4": healthy,
    "asymmetric-5-3": asymmetric,
    "container-cpuset": container_cpuset,
    "numa-node-minus-1": numa_node_minus_1,
    "interleaved-numbering": interleaved_numbering,
    "memory-before-policy": memory_before_policy,
    "nps4": nps4,
    "run-1-baseline": baseline,
    "run-2-local": local,
    "run-3-remote": remote,
    "run-4-rollback-not-restarted": rollback_not_restarted,
}
LOADS = {"R40": lambda: _load(40, 1_000), "R300": lambda: _load(300, 3_000)}
