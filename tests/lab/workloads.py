"""What runs on each of the lab's hosts, as data. Every target's name says what is special about it."""

from __future__ import annotations

from shapes import EIGHT_NUMA_NODES, INTERLEAVED_WITH_MEMORY_ONLY, TWO_PACKAGES_5_3, HostShape
from stand_ins import StandIn, stand_ins
from targets import HOLD_MEMORY, Cpuset, Target

MIB_TOUCHED = 320  # enough to matter when it is remote


def workload(shape: HostShape) -> tuple[Target, ...]:
    return _WORKLOADS[shape]


def gpus_on(shape: HostShape, numa_node: int | None) -> list[StandIn]:
    return [gpu for gpu in stand_ins(shape) if gpu.numa_node == numa_node]


def rank(number: int, **more: str) -> dict[str, str]:
    """As torchrun sets it."""
    return {"RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "8", **more}


def taskset(cpus: str) -> tuple[str, ...]:
    return ("taskset", "-c", cpus)


def _two_packages_5_3() -> tuple[Target, ...]:
    near, far = gpus_on(TWO_PACKAGES_5_3, 0), gpus_on(TWO_PACKAGES_5_3, 1)
    (unplaced,) = gpus_on(TWO_PACKAGES_5_3, None)
    everything = tuple(stand_ins(TWO_PACKAGES_5_3))
    touch = (*HOLD_MEMORY, str(MIB_TOUCHED))
    return (
        Target("local", taskset("0-3"), (near[0],), rank(0)),
        Target("remote", taskset("8-15"), (near[1],), rank(1)),
        # CUDA opens all devices; the environment says which one is used.
        Target("bound", ("numactl", "--cpunodebind=1", "--membind=1"), everything, rank(2, CUDA_VISIBLE_DEVICES=far[0].gpu_uuid), touch),
        Target("moved", taskset("0-7"), (far[1],), rank(3), (*touch, "--then", "1", *map(str, range(8, 16)))),
        # taskset asks for CPUs 0-3, the cpuset has only two of them.
        Target("clipped", taskset("0-3"), (near[2],), rank(4), cpuset=Cpuset("clipped", "1,3,5,7", "0")),
        Target("unplaced", taskset("4-7"), (unplaced,), rank(5)),
        Target("in-driver-table", taskset("8-15"), everything, rank(6), in_driver_table=far[2]),
    )


def _interleaved_with_memory_only() -> tuple[Target, ...]:
    near, far = gpus_on(INTERLEAVED_WITH_MEMORY_ONLY, 0), gpus_on(INTERLEAVED_WITH_MEMORY_ONLY, 1)
    return (
        Target("even-cpus", taskset("0,2,4,6"), (near[0],), rank(0)),
        Target("odd-cpus", taskset("1,3,5,7"), (near[1],), rank(1)),
        # What whoever takes CPU numbers for places would give the second half of the ranks.
        Target("second-half", taskset("8-15"), (far[0],), rank(2)),
        Target("on-memory-only", ("numactl", "--cpunodebind=1", "--membind=2"), (far[1],), rank(3), (*HOLD_MEMORY, str(MIB_TOUCHED))),
    )


def _eight_numa_nodes() -> tuple[Target, ...]:
    """Rank N gets NUMA node N and GPU N, as if the board were wired in order."""
    return tuple(
        Target(f"rank-{gpu.gpu_minor}", ("numactl", f"--cpunodebind={gpu.gpu_minor}", "--localalloc"), (gpu,), rank(gpu.gpu_minor))
        for gpu in stand_ins(EIGHT_NUMA_NODES)
    )


_WORKLOADS = {
    TWO_PACKAGES_5_3: _two_packages_5_3(),
    INTERLEAVED_WITH_MEMORY_ONLY: _interleaved_with_memory_only(),
    EIGHT_NUMA_NODES: _eight_numa_nodes(),
}
