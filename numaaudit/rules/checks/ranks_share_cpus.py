"""# ranks-share-cpus (NA208)

Two ranks were bound to the same CPUs, or to siblings of the same cores, while other CPUs belong to no rank.

## What it checks

For each rank with a GPU and a mask of its own (not all online CPUs, not all of its cpuset): the other ranks with masks of their
own that drive other GPUs. It fails where their cores (CPUs with all their siblings) meet, and on the NUMA nodes of the rank's
mask the CPUs that its cpuset holds and no rank's mask touches are as many as those that they share, or more. `low`.

Ranks that share whole NUMA nodes are a choice, and silent: then nothing is left over there. Not applicable for a rank without a
mask of its own, or alone on the host.

## Why it matters

Slices that repeat (counted by the visible GPUs, or by ranks of one half of the host) put two ranks on the same cores and leave
others idle: both are slower than their neighbours, and every collective waits for the slowest.

## Evidence

`/proc/PID/status` (Cpus_allowed_list), the cgroup's effective cpuset, `/sys/devices/system/cpu/cpu*/topology/core_cpus_list`.
Unknown where the mask of a rank is not known.

## How to fix

Give each rank cores of its own: the launcher's count of ranks per host, or an explicit list for each.

## How to verify

`taskset -pc` of each rank: no two lists meet, also not by siblings (`lscpu -e=CPU,CORE`).

## False positives

Cores that are left free for interrupts or another service on purpose, with ranks that share the others on purpose.

## References

- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://docs.kernel.org/admin-guide/cputopology.html
"""

from collections.abc import Iterator

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("NA208", gate=Gate.PLACEMENT, category="oversubscription", severity=Severity.LOW, caused_by=("NA701", "NA201"))
MESSAGE = (
    "{who} (pid {pid}) is bound to CPUs {cpus} and shares cores (CPUs {shared}) with {others}, "
    "but CPUs {unused} of the same NUMA nodes belong to no rank."
)
FIX = "Give {who_inside} and {others} cores of their own, as many ranks as the host has, not a part of them."


def check(ranks: Ranks, topology: Topology, cgroups: Cgroups) -> Iterator[Judgement]:
    bound = [(rank, _cores(rank, topology)) for rank in ranks.all if rank.gpus and _is_bound(rank, topology, cgroups)]
    taken = CpuSet(cpu for _, cores in bound for cpu in cores)
    for rank in ranks.all:
        others = [(other, cores) for other, cores in bound if other is not rank and other.gpus != rank.gpus]
        yield _judge(rank, others, taken, topology, cgroups)


def _is_bound(rank: Rank, topology: Topology, cgroups: Cgroups) -> bool:
    cpus = rank.process.effective_cpus
    return bool(cpus) and cpus not in (topology.online, cgroups.effective_cpus(rank.process.pid))


def _cores(rank: Rank, topology: Topology) -> CpuSet:
    """The CPUs of a rank and their siblings."""
    cpus = rank.process.effective_cpus or CpuSet()
    for core in topology.cores_of(cpus):
        cpus |= core
    return cpus


def _around(rank: Rank, topology: Topology, cgroups: Cgroups) -> CpuSet:
    """All CPUs of the rank's NUMA nodes that its cpuset holds."""
    cpus = topology.cpus_of(topology.numa_nodes_of(rank.process.effective_cpus or CpuSet()))
    limit = cgroups.effective_cpus(rank.process.pid)
    return cpus & limit if limit else cpus


def _judge(rank: Rank, others: list[tuple[Rank, CpuSet]], taken: CpuSet, topology: Topology, cgroups: Cgroups) -> Judgement:
    if not rank.process.effective_cpus:
        return unknown(rank.subject, missing_mask(rank.process), related=rank.related)
    if not rank.gpus or not others or not _is_bound(rank, topology, cgroups):
        return not_applicable(rank.subject)
    cores = _cores(rank, topology)
    sharing = [other for other, theirs in others if not theirs.isdisjoint(cores)]
    shared = CpuSet(cpu for _, theirs in others for cpu in theirs & cores)
    unused = _around(rank, topology, cgroups) - taken
    if not shared or len(unused) < len(shared):
        return ok(rank.subject, related=rank.related, evidence=rank.process.evidence, cpus=rank.process.effective_cpus)
    return fail(
        rank.subject,
        related=(*rank.related, *(other.subject for other in sharing)),
        evidence=(*rank.process.evidence, *sharing[0].process.evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        cpus=rank.process.effective_cpus,
        shared=shared,
        others=", ".join(other.title_inside for other in sharing),
        unused=unused,
    )
