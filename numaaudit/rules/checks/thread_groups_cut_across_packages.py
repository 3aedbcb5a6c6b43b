"""# thread-groups-cut-across-packages (NA207)

Somebody divided the threads of a process into groups, one for each package, and each group has CPUs of several packages.

## What it checks

For each process that serves no GPU that is known: the masks of its busy threads (at least `busy_part` (0.25) of the busiest
thread's CPU time). Two or more masks that have no CPU in common, as many as the host has packages or NUMA nodes with CPUs, are
a division of the work. It fails where every one of them has CPUs of more than one package. `medium`, `likely`: who divides
into as many parts as there are packages means one for each.

Not applicable where one NUMA node, or one package, has all CPUs. Ranks with a GPU are NA202's.

## Why it matters

The division costs what it was made to save: each group is free to run on the far side, its memory lies on both, and the
scheduler can balance less than without masks. It comes from counting CPUs: 0-63 and 64-127 are two packages on a host where
siblings are neighbours, and half of each where a core's second thread is numbered N later.

## Evidence

`/proc/PID/task/*/status` (Cpus_allowed_list), `/proc/PID/task/*/stat`, `/sys/devices/system/node/node*/cpulist`,
`/sys/devices/system/cpu/cpu*/topology/physical_package_id`. Unknown where a tenth of the threads or more was not read.

## How to fix

Give the program the CPUs of each NUMA node as the kernel lists them (`lscpu -e=CPU,NODE,SOCKET`, `numactl --hardware`), or start
one process for each NUMA node under `numactl --cpunodebind=N --membind=N`, and leave its own NUMA option off.

## How to verify

`grep -h Cpus_allowed_list /proc/PID/task/*/status | sort | uniq -c` prints one list of CPUs for each NUMA node, as
`numactl --hardware` has them.

## False positives

Groups by another criterion (caches, fast and slow cores) that happen to be as many as packages.

## References

- https://docs.kernel.org/admin-guide/cputopology.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://man7.org/linux/man-pages/man1/lscpu.1.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import work_of
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA207", gate=Gate.PLACEMENT, category="rank-core-mismatch", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) has its busy threads in {num_groups} groups on CPUs {groups}, but each of them is spread over several packages: "
    "the NUMA nodes have CPUs {ranges}."
)
FIX = "Let {who_inside} group its threads by the CPUs of each NUMA node: {ranges}."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.25


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads and not ranks.by_pid(process.pid):
            yield _judge(process, name_of(process, ranks), topology, limits)


def _judge(process: Process, named: Naming, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node() or len(topology.packages) == 1:
        return not_applicable(named.subject)
    work = work_of(process)
    groups = _groups(work.busy(limits.busy_part))
    if len(groups) in (len(topology.packages), len(topology.cpu_nodes)) and _are_divided(groups, topology):
        return _failure(named, groups, topology)
    if not work.is_complete:
        return unknown(named.subject, missing_threads(process))
    return ok(named.subject, evidence=process.evidence, num_groups=len(groups))


def _groups(threads: list[Thread]) -> dict[CpuSet, Thread]:
    """Each mask that is not also a part of another one, with its first thread; a main thread that is wide holds no group together."""
    masks = {thread.effective_cpus: thread for thread in reversed(threads) if thread.effective_cpus}
    return {cpus: thread for cpus, thread in sorted(masks.items(), key=lambda pair: min(pair[0])) if not any(m < cpus for m in masks)}


def _are_divided(groups: dict[CpuSet, Thread], topology: Topology) -> bool:
    masks = list(groups)
    apart = all(a.isdisjoint(b) for number, a in enumerate(masks) for b in masks[:number])
    return len(masks) > 1 and apart and all(len(topology.packages_of(cpus)) > 1 for cpus in masks)


def _failure(named: Naming, groups: dict[CpuSet, Thread], topology: Topology) -> Judgement:
    numa_nodes = [numa_node for numa_node in topology.numa_nodes if numa_node.cpus]
    return fail(
        named.subject,
        confidence=Confidence.LIKELY,
        related=tuple(f"cpus:{cpus}" for cpus in groups),
        evidence=(*(line for thread in groups.values() for line in thread.evidence), *numa_nodes[0].evidence),
        num_groups=len(groups),
        groups=" and ".join(str(cpus) for cpus in groups),
        ranges="; ".join(f"{numa_node.id}: {numa_node.cpus}" for numa_node in numa_nodes),
        **named.details,
    )
