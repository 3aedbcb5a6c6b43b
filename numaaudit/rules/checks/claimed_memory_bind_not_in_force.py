"""# claimed-memory-bind-not-in-force (NA315)

A launcher's log says that it bound a rank's memory, and the rank runs under the kernel's default policy.

## What it checks

The last line of the named logs that says to which NUMA nodes a rank's memory was bound, against the policy of its main thread
(the first mapping in numa_maps shows it). It fails where that policy is `default`: `medium`, and `info` where at least
`local_share` (0.9) of the rank's anonymous memory, shared memory and huge pages lie on those NUMA nodes all the same. Any policy
of its own passes; on which NUMA nodes is for memory-bound-off-cpus (NA303) and memory-off-gpu-node (NA301) to say. Silent where
the cpuset gives the rank none of the NUMA nodes in the line: that is cpuset-cuts-affinity (NA601).

## Why it matters

"Bound" in a log is a claim. The call may have been made in the parent, in a thread that allocates nothing, after the memory was
touched, or refused without a word; the next start with less free memory, or with a thread that wakes up elsewhere, spreads it.

## Evidence

Logs that were named when the bundle was made (`--log`), `/proc/PID/numa_maps`, `/proc/PID/status` (Mems_allowed_list). Unknown
where numa_maps was refused. Linux 5.12 to 6.10 without a later fix print `bind` with the flag `balancing` (`numactl --balancing
--membind`) as `default`.

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
from numaaudit.model.evidence import cite_line
from numaaudit.model.resident import largest_off, shared_names, spreads
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.claim import BINDING
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

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


def check(claims: Claims, ranks: Ranks, processes: Processes, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    shared = shared_names(processes.all)
    for rank in ranks.all:
        made = next((made for made in reversed(claims.all) if made.rank == rank and _binds(made)), None)
        yield _judge(rank, made, shared, limits) if made and not topology.has_one_cpu_node() else not_applicable(rank.subject)


def _binds(made: MadeClaim) -> bool:
    """Slurm prints the mask of ``--mem-bind=none`` as well."""
    return made.claim.kind == BINDING and bool(made.claim.mems) and made.claim.role != "none"


def _judge(rank: Rank, made: MadeClaim, shared: frozenset[str], limits: Thresholds) -> Judgement:
    maps, claimed, allowed = rank.process.maps, made.claim.mems or NodeSet(), rank.process.allowed_mems
    if isinstance(maps, Gap):
        return unknown(rank.subject, maps, related=rank.related)
    if allowed and allowed.isdisjoint(claimed):
        return not_applicable(rank.subject)
    if rank.process.policy != "default":
        return ok(rank.subject, related=rank.related, evidence=(made.evidence, cite_line(maps.file, 1)), policy=rank.process.policy)
    return _failure(rank, made, maps, shared, limits)


def _failure(rank: Rank, made: MadeClaim, maps: Found[NumaMaps], shared: frozenset[str], limits: Thresholds) -> Judgement:
    claimed = made.claim.mems or NodeSet()
    parts = spreads(maps.record.totals, shared, NodeSet())
    total = sum(sum(part.bytes_by_node.values()) for part in parts)
    held = NodeSet(number for part in parts for number, amount in part.bytes_by_node.items() if amount)
    off = sum(part.bytes_off(claimed) for part in parts)
    by_luck = not maps.record.is_partial and total > 0 and total - off >= limits.local_share * total
    return fail(
        rank.subject,
        severity=Severity.INFO if by_luck else None,
        message="luck" if by_luck else None,
        related=(*rank.related, f"launcher:{made.claim.launcher}"),
        evidence=(made.evidence, cite_line(maps.file, 1), *(largest_off(maps.file, held - claimed, shared, 1) if off else ())),
        canonical=rank.canonical,
        launcher=made.claim.launcher,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        claimed=claimed,
        policy=rank.process.policy,
        off_mib=off >> 20,
        total_mib=total >> 20,
    )
