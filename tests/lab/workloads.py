"""What runs on each of the lab's hosts, as data. Every target's name says what is special about it."""

from __future__ import annotations

from typing import NamedTuple

from cpusets import Cpuset
from forks import NOBODY
from shapes import EIGHT_NUMA_NODES, INTERLEAVED_WITH_MEMORY_ONLY, TWO_PACKAGES_5_3, HostShape
from stand_ins import StandIn, stand_ins
from targets import Target, steps

MIB_TOUCHED = 320  # enough to matter when it is remote
MIB_INTERLEAVED = 480
MIB_NEAR, MIB_FAR = 800, 300  # together above the size up to which a process's pages are counted one by one
MIB_HUGE, MIB_HUGE_AT_HOME, MIB_THP = 280, 40, 64
HUGE_PAGE_MIB = 2
REFUSED_LOG = "/dev/shm/stand-ins/refused.log"

_AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


class Setting(NamedTuple):
    """A file of procfs or sysfs, and what is written to it."""

    path: str
    text: str


class Workload(NamedTuple):
    """``first`` is set before the targets start, ``last`` when they are ready."""

    targets: tuple[Target, ...]
    first: tuple[Setting, ...] = ()
    last: tuple[Setting, ...] = ()


def workload(shape: HostShape) -> Workload:
    return _WORKLOADS[shape]


def gpus_on(shape: HostShape, numa_node: int | None) -> list[StandIn]:
    return [gpu for gpu in stand_ins(shape) if gpu.numa_node == numa_node]


def rank(number: int, **more: str) -> dict[str, str]:
    """As torchrun sets it."""
    return {"RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": "16", "LOCAL_WORLD_SIZE": "16", **more}


def taskset(cpus: str) -> tuple[str, ...]:
    return ("taskset", "-c", cpus)


def touch(mib: int) -> str:
    return f"touch={mib}"


def _two_packages_5_3() -> Workload:
    near, far = gpus_on(TWO_PACKAGES_5_3, 0), gpus_on(TWO_PACKAGES_5_3, 1)
    (unplaced,) = gpus_on(TWO_PACKAGES_5_3, None)
    everything = tuple(stand_ins(TWO_PACKAGES_5_3))
    touches = steps(touch(MIB_TOUCHED))
    return Workload((
        Target("local", taskset("0-3"), (near[0],), rank(0)),
        Target("remote", taskset("8-15"), (near[1],), rank(1)),
        # CUDA opens all devices; the environment says which one is used.
        Target("bound", ("numactl", "--cpunodebind=1", "--membind=1"), everything, rank(2, CUDA_VISIBLE_DEVICES=far[0].gpu_uuid), touches),
        Target("moved", taskset("0-7"), (far[1],), rank(3), steps(touch(MIB_TOUCHED), "idle", "cpus=8-15", "bind=1")),
        # taskset asks for CPUs 0-3, the cpuset has only two of them.
        Target("clipped", taskset("0-3"), (near[2],), rank(4), cpuset=Cpuset("clipped", "1,3,5,7", "0")),
        Target("unplaced", taskset("4-7"), (unplaced,), rank(5)),
        Target("in-driver-table", taskset("8-15"), everything, rank(6), in_driver_table=far[2]),
        # One thread is older than mask and policy, the other one younger.
        Target("bound-late", (), (near[3],), rank(7), steps("busy", "cpus=0-7", "bind=0", "idle")),
        Target("main-only", (), (near[4],), rank(8), steps("busy", "cpus=0-7")),
        Target("shut-out", (), (near[0],), rank(9), cpuset=Cpuset("shut-out", "12-15", "1")),
    ))  # fmt: skip


def _interleaved_with_memory_only() -> Workload:
    near, far = gpus_on(INTERLEAVED_WITH_MEMORY_ONLY, 0), gpus_on(INTERLEAVED_WITH_MEMORY_ONLY, 1)
    refused = ("sh", "-c", f'numactl --membind=0 "$@" 2>{REFUSED_LOG} || exec "$@"', "sh")
    interleaves = steps(touch(MIB_INTERLEAVED))
    return Workload((
        Target("even-cpus", taskset("0,2,4,6"), (near[0],), rank(0)),
        Target("odd-cpus", taskset("1,3,5,7"), (near[1],), rank(1)),
        # What whoever takes CPU numbers for places would give the second half of the ranks.
        Target("second-half", taskset("8-15"), (far[0],), rank(2)),
        Target("on-memory-only", ("numactl", "--cpunodebind=1", "--membind=2"), (far[1],), rank(3), steps(touch(MIB_TOUCHED))),
        Target("shut-out", (), (far[0],), rank(4), cpuset=Cpuset("shut-out", "0,2", "0", version=1)),
        Target("without-local-memory", (), (far[1],), rank(5), cpuset=Cpuset("without-local-memory", "9,11", "0", version=1)),
        # The launcher goes on without the policy.
        Target("refused", refused, (far[0],), rank(6), cpuset=Cpuset("refused", "13,15", "1", version=1), log=REFUSED_LOG),
        Target("staging", ("numactl", "--cpunodebind=0", "--interleave=all"), (near[0],), rank(7), interleaves),
        Target("streaming", ("numactl", "--interleave=all"), program=interleaves),
        Target("large", taskset("9,11"), (far[0],), rank(8), steps("bind=0", touch(MIB_FAR), "unbind", touch(MIB_NEAR))),
    ))  # fmt: skip


def _eight_numa_nodes() -> Workload:
    """Rank N gets NUMA node N and GPU N, as if the board were wired in order."""
    ranks = tuple(
        Target(
            f"rank-{gpu.gpu_minor}",
            (*(_AS_NOBODY if gpu.gpu_minor == 1 else ()), "numactl", f"--cpunodebind={gpu.gpu_minor}", "--localalloc"),
            (gpu,),
            rank(gpu.gpu_minor),
        )
        for gpu in stand_ins(EIGHT_NUMA_NODES)
    )
    others = (
        # The pool is on NUMA node 2, whose CPUs are 4 and 5.
        Target("huge-far", taskset("8-9"), program=steps(f"huge={MIB_HUGE}")),
        Target("huge-at-home", taskset("4-5"), program=steps(f"huge={MIB_HUGE_AT_HOME}")),
        Target("thp", taskset("14-15"), program=steps(f"thp={MIB_THP}")),
        Target("doomed", taskset("0-1"), ends_while_collected=True),
    )
    first = (
        _pool(2, MIB_HUGE + MIB_HUGE_AT_HOME),
        Setting("/sys/kernel/mm/transparent_hugepage/enabled", "madvise"),
    )
    return Workload((*others, *ranks), first, last=(Setting("/proc/sys/kernel/numa_balancing", "1"),))


def _pool(numa_node: int, mib: int) -> Setting:
    folder = f"/sys/devices/system/node/node{numa_node}/hugepages/hugepages-{HUGE_PAGE_MIB << 10}kB"
    return Setting(f"{folder}/nr_hugepages", str(mib // HUGE_PAGE_MIB))


_WORKLOADS = {
    TWO_PACKAGES_5_3: _two_packages_5_3(),
    INTERLEAVED_WITH_MEMORY_ONLY: _interleaved_with_memory_only(),
    EIGHT_NUMA_NODES: _eight_numa_nodes(),
}
