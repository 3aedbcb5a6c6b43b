"""# rank-cpus-straddle-numa-nodes (NA202)

A rank may run on CPUs of its GPU's NUMA node and on CPUs of another one, and nothing keeps it local.

## What it checks

For each rank with a GPU whose NUMA node is known: the CPUs its threads may use (thread mask, cut by the cpuset and by what is
online). A thread straddles if some of them belong to the GPU's NUMA node and some to another. Threads weigh as in
rank-cpus-off-gpu-node (NA201). The rank fails

- when its main thread straddles, unless the threads that do used less than `idle_share` (0.05) of its CPU time: a wide main
  thread whose workers are bound locally is fine, and so are wide helpers that do nothing, or
- when threads with at least `straddling_share` (0.5) of its CPU time do.

Three sentences: the rank is not bound at all (all online CPUs), it has the whole of a cpuset that spans NUMA nodes, or its mask
crosses a border. `medium`; `info` where all those CPUs and the GPU share one package (a socket-wide mask under SNC or NPS is a
common choice). A rank none of whose CPUs is local is NA201's. Not applicable where one NUMA node has all CPUs.

## Why it matters

The scheduler may move the thread to the other package at any time, and what it touches first from there lies there for good.
Runs then differ from each other, which shows in the tail of latencies before it shows in a mean.

## Evidence

As in NA201, and `/sys/fs/cgroup/**/cpuset.cpus.effective`. `last_ran_off_percent` in the facts is one sample of where threads
last ran (field 39 of stat), weighed alike: a hint, no proof. Unknown when the GPU's NUMA node or a mask is not known.

## How to fix

Narrow the mask to the GPU's NUMA node before the rank starts (`numactl --cpunodebind=N --membind=N`, or the launcher's option).
Slices cut by CPU number need the real ranges: `lscpu -e=CPU,NODE,SOCKET`.

## How to verify

`taskset -acp PID` lists only CPUs of the GPU's NUMA node for every thread that works.

## False positives

A rank that needs more cores than one NUMA node has is wide on purpose. A rank that drives GPUs of several NUMA nodes is judged
by all of them together, and is silent.

## References

- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://docs.kernel.org/scheduler/sched-domains.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.model.locality import Home, home_of
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.processes import Process
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import Work, work_of
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask, missing_threads
from numaaudit.rules.wrong_cpus import wrong_cpus

RULE = Rule(
    "NA202",
    gate=Gate.PLACEMENT,
    category="rank-core-mismatch",
    severity=Severity.MEDIUM,
    decides=True,
    caused_by=("NA601", "NA602", "NA603", "NA702", "NA701", "NA204"),
)
MESSAGE = (
    "{who} (pid {pid}) may run on CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "but its GPU {gpu} hangs on NUMA node {gpu_numa_node}, whose CPUs are {local_cpus}."
)
MESSAGES = {
    "unbound": "{who} (pid {pid}) is not bound: it may run on every CPU of NUMA nodes {numa_nodes}, "
    "and nothing keeps it on NUMA node {gpu_numa_node}, where its GPU {gpu} hangs.",
    "whole-cpuset": "{who} (pid {pid}) has all CPUs of its cpuset, {cpus} of NUMA nodes {numa_nodes}, "
    "and nothing keeps it on NUMA node {gpu_numa_node}, where its GPU {gpu} hangs.",
    "threads": "{who} (pid {pid}): threads with {percent} % of its CPU time may run on CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "but its GPU {gpu} hangs on NUMA node {gpu_numa_node}, whose CPUs are {local_cpus}.",
}
FIX = "Restart {who_inside} bound to CPUs {local_cpus}, or a slice of them."


class Thresholds(NamedTuple):
    """What a policy may change."""

    straddling_share: float = 0.5
    idle_share: float = 0.05


def check(ranks: Ranks, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield _judge(rank, topology, cgroups, limits)


def _judge(rank: Rank, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    home, cpus = home_of(rank, topology), rank.process.effective_cpus
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    if not cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    work = work_of(rank.process)
    share = work.share(home.is_straddled_by)
    is_idle = work.is_complete and bool(work.shares) and share < limits.idle_share
    if share >= limits.straddling_share or (home.is_straddled_by(cpus) and not is_idle):
        return _failure(rank, topology, cgroups, home, work, limits)
    if not work.is_complete and not cpus.isdisjoint(home.cpus):
        return unknown(rank.subject, missing_threads(rank.process), related=rank.related)
    return ok(rank.subject, related=rank.related, evidence=rank.process.evidence + home.evidence, cpus=cpus)


def _failure(rank: Rank, topology: Topology, cgroups: Cgroups, home: Home, work: Work, limits: Thresholds) -> Judgement:
    return wrong_cpus(
        rank,
        topology,
        home,
        home.is_straddled_by,
        limits.idle_share,
        near=Severity.INFO,
        message=_message(rank.process, topology, cgroups),
        last_ran_off_percent=round(100 * _last_ran_off(work, home)),
    )


def _message(process: Process, topology: Topology, cgroups: Cgroups) -> str | None:
    """Which sentence: all online CPUs, all of a cpuset that has not all of them, or a mask of its own."""
    if process.effective_cpus == topology.online:
        return "unbound"
    return "whole-cpuset" if process.effective_cpus == cgroups.effective_cpus(process.pid) else None


def _last_ran_off(work: Work, home: Home) -> float:
    """The share of threads that were last seen on a CPU that is not local."""
    return sum(share for thread, share in work.shares if thread.last_cpu is not None and thread.last_cpu not in home.cpus)
