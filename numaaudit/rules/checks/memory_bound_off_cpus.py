"""# memory-bound-off-cpus (NA303)

The memory of a process is bound to NUMA nodes that are not those of its CPUs, or to a part of them.

## What it checks

For each process under a strict policy (`bind`, that of its main thread: the first mapping shows it): the NUMA nodes of the
bind against those of the CPUs that its work may use: threads are weighed by their CPU time, and those with less than
`off_node_share` (0.25) of it in all do not count. Where threads are not known, the CPUs of the main thread stand for them.
CPUs are the mask, cut by the cpuset and by what is online. Pieces that a program binds itself are its own business. It fails
where at least `bound_mib` (256) MiB of anonymous memory, shared memory and huge pages are under that policy, and its NUMA
nodes

- have none of those CPUs, or the threads that may use some have less than that share of the time: every access crosses over.
  `medium`; `low` within one package; or
- are some of those with the CPUs, and not all: threads on the others have no memory of their own, and the channels of the bound
  ones carry everything. `low`.

A NUMA node without CPUs (high-bandwidth memory, CXL) counts as the one with CPUs that it is nearest to. Silent where the bind
is to the NUMA node of the rank's GPU: then CPUs are the question, see NA201 and NA202. Not applicable where one NUMA node has
all CPUs.

## Why it matters

The tools that set masks and the calls that bind memory take different arguments, and a mask that covers several NUMA nodes is
often bound to the first of them only: a socket of three sub-NUMA nodes then has a third of its bandwidth, and a strict bind
fills that third up while the others are empty.

## Evidence

`/proc/PID/numa_maps` (policy and bytes of each mapping), `/proc/PID/status` and `/proc/PID/task/*/{status,stat}`
(Cpus_allowed_list, CPU time), the NUMA nodes' `cpulist` and `distance`. Where numa_maps was not read whole, its first bytes
show the policy, and the memory found by `samples/pages-PID.json` counts as under it; a failure is then `likely`. Unknown where
numa_maps was refused, or no sample says whether so much is resident.

## How to fix

Bind memory to all NUMA nodes of the mask (`numactl -C CPUS -m NODES`, with both from `numactl --hardware`), or start one
process for each NUMA node. Interleaving over them (`--interleave`) spreads what all threads read.

## How to verify

The second column of `/proc/PID/numa_maps` names all NUMA nodes of `Cpus_allowed_list`, and `numastat -p PID` fills them evenly.

## False positives

Memory that is bound near a device which this process feeds, and whose CPUs are busy elsewhere.

## References

- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core import page_kinds
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.locality import home_of
from numaaudit.model.sampled import not_decided, sample_of, sampled
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import union, work_of
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import ANON, HUGETLB, SHM, NumaMaps
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps, missing_mask
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA303", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) may run on CPUs {cpus} of NUMA nodes {numa_nodes}, but {bound_mib} MiB of its memory are bound to NUMA nodes {mems}."
)
MESSAGES = {
    "part": "{who} (pid {pid}) may run on CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "but {bound_mib} MiB of its memory are bound to NUMA nodes {mems} only, a part of them.",
    "threads": "{who} (pid {pid}): threads with {percent} % of its CPU time may run on CPUs {cpus} of NUMA nodes {numa_nodes}, "
    "but {bound_mib} MiB of its memory are bound to NUMA nodes {mems}.",
}
FIX = "Bind the memory of {who_inside} to NUMA nodes {numa_nodes}, or its CPUs to NUMA nodes {mems}."


_KINDS = (page_kinds.ANON, page_kinds.PINNED, page_kinds.SHM, page_kinds.NAMED_SHM, page_kinds.HUGETLB)  # of numa_maps: ANON, SHM, HUGETLB


class Thresholds(NamedTuple):
    """What a policy may change."""

    bound_mib: int = 256
    off_node_share: float = 0.25


class _Bound(NamedTuple):
    """A strict policy, the bytes under it, and the NUMA nodes with CPUs that its own ones stand for."""

    policy: MemPolicy
    num_bytes: int
    numa_nodes: NodeSet


class _Where(NamedTuple):
    """CPUs that some of a process's work may use, and its share of the CPU time; None for the main thread's own mask.

    ``is_most``: no more than the threshold is left beside the bound memory.
    """

    cpus: CpuSet
    share: float | None = None
    is_measured: bool = True
    is_most: bool = True


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        yield _judge(process, name_of(process, ranks), topology, limits)


def _judge(process: Process, named: Naming, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(named.subject)
    cpus, maps = process.effective_cpus, process.maps
    if not cpus:
        return unknown(named.subject, missing_mask(process), related=named.related)
    if isinstance(maps, Gap):
        return unknown(named.subject, maps, related=named.related)
    num_bytes = _num_bytes(process, maps, limits)
    if isinstance(num_bytes, Gap):
        return unknown(named.subject, num_bytes, related=named.related)
    bound = _bound(maps.record, num_bytes, topology, limits)
    where = None if bound is None or _is_at_gpu(named, bound, topology) else _outside(process, cpus, bound, topology, limits)
    if bound is None or where is None:
        return ok(named.subject, related=named.related, evidence=process.evidence, cpus=cpus)
    return _failure(named, bound, maps, where, topology)


def _outside(process: Process, cpus: CpuSet, bound: _Bound, topology: Topology, limits: Thresholds) -> _Where | None:
    """Where work may be done that has none of the bound memory beside it; None where that is too little to count."""
    work, own = work_of(process), topology.cpus_of(bound.numa_nodes)
    outside = work.matching(lambda each: not topology.numa_nodes_of(each) <= bound.numa_nodes)
    is_outside = not topology.numa_nodes_of(cpus) <= bound.numa_nodes
    if not work.is_complete or not work.shares:
        return _Where(cpus) if is_outside else None
    if sum(share for _, share in outside) < limits.off_node_share:
        return None
    is_most = work.share(own.isdisjoint) >= 1 - limits.off_node_share
    if is_outside and not is_most:
        return _Where(cpus)
    there = work.matching(own.isdisjoint) if is_most else outside
    return _Where(union(there), sum(share for _, share in there), work.is_measured, is_most)


def _num_bytes(process: Process, maps: Found[NumaMaps], limits: Thresholds) -> int | Gap:
    """Memory under the policy of the main thread, if it is a strict one."""
    policy = maps.record.policy
    if maps.record.is_partial and (policy is None or policy.mode is None):
        return cut_maps(maps)
    if policy is None or policy.mode != "bind":
        return 0
    if maps.record.is_partial:
        return _sampled_bytes(process, maps, limits)
    totals = [total for total in maps.record.totals if total.policy == policy and total.kind in (ANON, HUGETLB, SHM)]
    return sum(amount for total in totals for _, amount in total.bytes_by_node)


def _sampled_bytes(process: Process, maps: Found[NumaMaps], limits: Thresholds) -> int | Gap:
    """All memory that counts, where its whole interval is on one side of the limit."""
    sample = sample_of(process)
    if sample is None:
        return cut_maps(maps)
    found = sampled(process, sample, _KINDS, lambda _: True)
    if isinstance(found, Gap):
        return found
    if found.exceeds(0, limits.bound_mib * MIB - 1) is None:
        return not_decided(process, sample, f"about {int(found.total_bytes.estimate) // MIB} MiB are bound, which does not decide")
    return int(found.total_bytes.estimate)


def _bound(maps: NumaMaps, num_bytes: int, topology: Topology, limits: Thresholds) -> _Bound | None:
    """None for another policy, for less than the threshold, or where it is not known what the bind is near to."""
    policy = maps.policy
    if policy is None or policy.mode != "bind" or not policy.numa_nodes:
        return None
    near = [_with_cpus(number, topology) for number in policy.numa_nodes]
    if num_bytes < limits.bound_mib * MIB or None in near:
        return None
    return _Bound(policy, num_bytes, NodeSet(number for number in near if number is not None))


def _with_cpus(number: int, topology: Topology) -> int | None:
    """The NUMA node itself if it has CPUs, else the nearest that has some."""
    near = topology.nearest_with_cpus(number)
    return near.id if near else None


def _is_at_gpu(named: Naming, bound: _Bound, topology: Topology) -> bool:
    home = home_of(named.rank, topology) if named.rank else None
    return home is not None and not isinstance(home, Gap) and home.numa_nodes <= bound.numa_nodes


def _failure(named: Naming, bound: _Bound, maps: Found[NumaMaps], where: _Where, topology: Topology) -> Judgement:
    cpus, numa_nodes = where.cpus, topology.numa_nodes_of(where.cpus)
    is_main = where.share is None or cpus == named.process.effective_cpus
    is_part = not numa_nodes.isdisjoint(bound.numa_nodes)
    near = topology.same_package(cpus, topology.cpus_of(bound.numa_nodes))
    return fail(
        named.subject,
        severity=Severity.LOW if is_part or near or not where.is_most else None,
        confidence=Confidence.CERTAIN if where.is_measured and not maps.record.is_partial else Confidence.LIKELY,
        message="threads" if not is_main else "part" if is_part else None,
        related=(*named.related, *(f"numa_node:{number}" for number in bound.policy.numa_nodes)),
        evidence=(*named.process.evidence, cite(maps.file, f" {bound.policy.text} ", f" {bound.policy.text}\n"), *_samples(named.process)),
        cpus=cpus,
        numa_nodes=numa_nodes,
        percent=None if is_main or where.share is None else int(100 * where.share),
        bound_mib=bound.num_bytes >> 20,
        mems=bound.policy.numa_nodes,
        **named.details,
    )


def _samples(process: Process) -> tuple[Evidence, ...]:
    sample = sample_of(process)
    return (Evidence(sample.file),) if sample else ()
