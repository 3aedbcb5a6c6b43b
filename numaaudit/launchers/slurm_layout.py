"""Slurm's numbering of a host, and how its task plugin deals out CPUs to tasks.

Source: SchedMD/slurm 26.11.0rc1 @ 284c3b9, ``src/plugins/task/affinity/dist_tasks.c``. slurmd counts sockets, in them cores, in them
threads, and maps to the kernel's numbers at the end: how the kernel numbers CPUs does not matter.
"""

from collections.abc import Iterator

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.prediction import NotKnownError


def sockets_of(view: HostView, cpus: CpuSet) -> list[list[CpuSet]]:
    """These CPUs by socket and core."""
    sockets = [view.cores_in(package.cpus & cpus) for package in view.packages]
    return [cores for cores in sockets if cores]


def units_of(view: HostView, cpus: CpuSet) -> dict[str, int]:
    """How many sockets, cores and threads an allocation has."""
    sockets = sockets_of(view, cpus)
    return {"sockets": len(sockets), "cores": sum(map(len, sockets)), "threads": len(cpus)}


def dealt(view: HostView, cpus: CpuSet, num_tasks: int, cpus_per_task: int, distribution: str) -> list[CpuSet]:
    """``cpus_per_task`` CPUs for each task. NotKnownError for more than there are."""
    if num_tasks * cpus_per_task > len(cpus):
        raise NotKnownError(f"how {num_tasks} tasks with {cpus_per_task} CPUs fit on {len(cpus)} CPUs")
    if distribution == "block":
        order = [cpu for cores in sockets_of(view, cpus) for core in cores for cpu in core]
        return [CpuSet(order[task * cpus_per_task : (task + 1) * cpus_per_task]) for task in range(num_tasks)]
    sockets = [[cpu for core in cores for cpu in core] for cores in sockets_of(view, cpus)]
    return _by_cpu(sockets, num_tasks, cpus_per_task) if distribution == "fcyclic" else _by_task(sockets, num_tasks, cpus_per_task)


def _by_task(sockets: list[list[int]], num_tasks: int, cpus_per_task: int) -> list[CpuSet]:
    """Cyclic: a task's CPUs from one socket, the next task's from the next one."""
    tasks, turn = [], _turns(sockets)
    for _ in range(num_tasks):
        taken: list[int] = []
        while len(taken) < cpus_per_task:
            socket = next(turn)
            taken += [socket.pop(0) for _ in range(min(cpus_per_task - len(taken), len(socket)))]
        tasks.append(CpuSet(taken))
    return tasks


def _by_cpu(sockets: list[list[int]], num_tasks: int, cpus_per_task: int) -> list[CpuSet]:
    """Full cyclic: every single CPU from the next socket."""
    turn = _turns(sockets)
    return [CpuSet(next(turn).pop(0) for _ in range(cpus_per_task)) for _ in range(num_tasks)]


def _turns(sockets: list[list[int]]) -> Iterator[list[int]]:
    """Socket after socket, those without a free CPU left out, until none has one."""
    while any(sockets):
        for socket in sockets:
            if socket:
                yield socket


def widened(view: HostView, cpus: CpuSet, allocated: CpuSet, unit: str) -> CpuSet:
    """All allocated threads of the cores, or of the sockets, that these CPUs are of."""
    if unit == "sockets":
        return view.package_cpus(cpus) & allocated
    if unit == "cores":
        return CpuSet(other for cpu in cpus for other in view.core_of(cpu)) & allocated
    return cpus
