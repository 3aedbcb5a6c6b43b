"""# claimed-memory-bind-not-in-force (NA315)

A launcher's log says that it bound a rank's memory, and the rank runs under the kernel's default policy.

## What it checks

The last line of the named logs that says to which NUMA nodes a rank's memory was bound, against the policy of its main thread
(the first mapping in numa_maps shows it). It fails where that policy is `default`: `medium`, and `info` where at least
`local_share` (0.9) of the rank's anonymous memory, shared memory and huge pages lie on those NUMA nodes all the same. Where
numa_maps was not read whole, that is asked of `samples/pages-PID.json`: its whole 95 % interval has to be on one side. Any policy
of its own passes; on which NUMA nodes is for memory-bound-off-cpus (NA303) and memory-off-gpu-node (NA301) to say. Silent where
the cpuset gives the rank none of the NUMA nodes in the line: that is cpuset-cuts-affinity (NA601).

## Why it matters

"Bound" in a log is a claim. The call may have been made in the parent, in a thread that allocates nothing, after the memory was
touched, or refused without a word; the next start with less free memory, or with a thread that wakes up elsewhere, spreads it.

## Evidence

Logs that were named when the bundle was made (`--log`), `/proc/PID/numa_maps`, `/proc/PID/status` (Mems_allowed_list). Unknown
where numa_maps was refused, or not read whole and no sample says whether it is a note only. Linux 5.12 to 6.10 without a later fix
print `bind` with the flag `balancing` (`numactl --balancing --membind`) as `default`.

## How to fix

Set the policy before the process starts (`numactl --membind=N` around it, Slurm's `--mem-bind`), or in its main thread before
it allocates. Look in the log for a refused call: memory-policy-refused (NA310).

## How to verify

The second column of `/proc/PID/numa_maps` shows `bind:N` or `prefer:N`.

## False positives

A log of an earlier start. A launcher that means first touch on bound CPUs when it says that memory is bound.

## References

- https://man7.org/linux/man-pages/man5/numa_maps.5.html
- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.resident import largest_off, shared_names, spreads
from numaaudit.model.sampled import counted_kinds, not_decided, percent, sample_of, sampled
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.claim import BINDING
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps

RULE = Rule("NA315", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM, experimental=True, caused_by=("NA310",))
MESSAGE = (
    "{launcher} says that it bound the memory of {who_inside} to NUMA node {claimed}, but (pid {pid}) its policy is {policy}, and "
    "{off_mib} of its {total_mib} MiB lie elsewhere."
)
MESSAGES = {
    "luck": "{launcher} says that it bound the memory of {who_inside} to NUMA node {claimed}, but (pid {pid}) its policy is "
    "{policy}: its {total_mib} MiB lie there without being bound."
}
FIX = "Start {who_inside} under numactl --membind={claimed}, and look for a refused call in the log."


class Thresholds(NamedTuple):
    """What a policy may change."""

    local_share: float = 0.9


class _Pages(NamedTuple):
    """Where the rank's memory is: ``is_there``, on the NUMA nodes that the log names, or not."""

    is_there: bool
    off_mib: int
    total_mib: int
    evidence: tuple[Evidence, ...]
    confidence: Confidence = Confidence.CERTAIN


class _Around(NamedTuple):
    """What is known of the host."""

    processes: Processes
    shared: frozenset[str]
    limits: Thresholds


def check(claims: Claims, ranks: Ranks, processes: Processes, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    around = _Around(processes, shared_names(processes.all), limits)
    for rank in ranks.all:
        made = next((made for made in reversed(claims.all) if made.rank == rank and _binds(made)), None)
        yield _judge(rank, made, around) if made and not topology.has_one_cpu_node() else not_applicable(rank.subject)


def _binds(made: MadeClaim) -> bool:
    """Slurm prints the mask of ``--mem-bind=none`` as well."""
    return made.claim.kind == BINDING and bool(made.claim.mems) and made.claim.role != "none"


def _judge(rank: Rank, made: MadeClaim, around: _Around) -> Judgement:
    maps, claimed, allowed = rank.process.maps, made.claim.mems or NodeSet(), rank.process.allowed_mems
    if isinstance(maps, Gap):
        return unknown(rank.subject, maps, related=rank.related)
    if allowed and allowed.isdisjoint(claimed):
        return not_applicable(rank.subject)
    if rank.process.policy != "default":
        return ok(rank.subject, related=rank.related, evidence=(made.evidence, cite_line(maps.file, 1)), policy=rank.process.policy)
    pages = _sampled_pages(rank, maps, claimed, around) if maps.record.is_partial else _pages(maps, claimed, around)
    if isinstance(pages, Gap):
        return unknown(rank.subject, pages, related=rank.related)
    return _failure(rank, made, maps, pages)


def _pages(maps: Found[NumaMaps], claimed: NodeSet, around: _Around) -> _Pages:
    parts = spreads(maps.record.totals, around.shared, NodeSet())
    total = sum(sum(part.bytes_by_node.values()) for part in parts)
    held = NodeSet(number for part in parts for number, amount in part.bytes_by_node.items() if amount)
    off = sum(part.bytes_off(claimed) for part in parts)
    is_there = total > 0 and total - off >= around.limits.local_share * total
    return _Pages(is_there, off >> 20, total >> 20, largest_off(maps.file, held - claimed, around.shared, 1) if off else ())


def _sampled_pages(rank: Rank, maps: Found[NumaMaps], claimed: NodeSet, around: _Around) -> _Pages | Gap:
    """By what the sample's interval leaves no doubt about."""
    sample = sample_of(rank.process)
    if sample is None:
        return cut_maps(maps)
    kinds = counted_kinds(rank.process, around.processes.all)
    off = sampled(rank.process, sample, kinds, lambda number: number not in claimed)
    if isinstance(off, Gap):
        return off
    is_off = off.exceeds(1 - around.limits.local_share, 0)
    if is_off is None:
        return not_decided(rank.process, sample, f"{percent(off.share)} % of its memory lie elsewhere, which does not decide")
    sizes = (int(off.num_bytes.estimate) >> 20, int(off.total_bytes.estimate) >> 20)
    return _Pages(not is_off, *sizes, (Evidence(sample.file),), Confidence.LIKELY)


def _failure(rank: Rank, made: MadeClaim, maps: Found[NumaMaps], pages: _Pages) -> Judgement:
    return fail(
        rank.subject,
        severity=Severity.INFO if pages.is_there else None,
        confidence=pages.confidence,
        message="luck" if pages.is_there else None,
        related=(*rank.related, f"launcher:{made.claim.launcher}"),
        evidence=(made.evidence, cite_line(maps.file, 1), *pages.evidence),
        canonical=rank.canonical,
        launcher=made.claim.launcher,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        claimed=made.claim.mems or NodeSet(),
        policy=rank.process.policy,
        off_mib=pages.off_mib,
        total_mib=pages.total_mib,
    )
