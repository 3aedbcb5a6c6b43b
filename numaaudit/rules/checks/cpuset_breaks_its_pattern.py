"""# cpuset-breaks-its-pattern (NA604)

A cpuset takes the same CPUs of every NUMA node, except that one CPU stands where another was meant: a slip of the pen.

## What it checks

Each control group that asks for CPUs (`cpuset.cpus`) on at least `least_nodes` (3) NUMA nodes: for each of these, the positions
of its CPUs among the NUMA node's CPUs in order (the last three, the first eight, ...). It fails, as a note (`info`), where most
NUMA nodes have the same positions, and one or two differ by one CPU: one too many, one too few, or both. The CPU that
breaks the pattern is named, and the one that would complete it.

Silent where the positions are all alike, or differ by more: then no pattern was meant. Not applicable where no group asks for
CPUs of that many NUMA nodes.

## Why it matters

Lists of CPUs are typed by hand into compose files and units. With one digit lost the container has a CPU that belongs to
another one and lacks one of its own, tensor-parallel slices come out uneven, and nothing complains.

## Evidence

`cpuset.cpus` of each group above a process, `/sys/devices/system/node/node*/cpulist`.

## How to fix

Correct the list where it is kept (`cpuset:` in the compose file, `--cpuset-cpus`, `AllowedCPUs=`), or write it from
`numactl --hardware`.

## How to verify

`cat /sys/fs/cgroup/GROUP/cpuset.cpus` has as many CPUs of each NUMA node as of the others; the new bundle is silent, not unknown.

## False positives

A list that was made uneven on purpose, because one CPU serves something else. Unknown to the rule is what was meant, so it is a
note.

## References

- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
- https://docs.docker.com/engine/containers/resource_constraints/
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_numa import NUMA_NODES, NumaNode
from numaaudit.model.sections.cgroups import Cgroup, Cgroups
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import name_of

RULE = Rule("NA604", gate=Gate.PLACEMENT, category="scheduler-binding", severity=Severity.INFO, about_numbering=True)
MESSAGE = (
    "The cpuset of {group}, CPUs {cpus}, takes the same CPUs of every NUMA node but for {odd}: "
    "to fit the others it would have CPUs {missing} in place of CPUs {extra}."
)
FIX = "Check the list of {group} for a slip: CPUs {fitting} would be even."


class Thresholds(NamedTuple):
    """What a policy may change."""

    least_nodes: int = 3


Positions = frozenset[int]


class _Odd(NamedTuple):
    """NUMA nodes that do not follow the pattern, the CPUs that are too many there and those that are missing."""

    numa_nodes: tuple[NumaNode, ...]
    extra: CpuSet
    missing: CpuSet


def check(cgroups: Cgroups, topology: Topology, processes: Processes, ranks: Ranks, limits: Thresholds) -> Iterator[Judgement]:
    for group in cgroups.by_path.values():
        if group.cpus:
            users = [name_of(process, ranks).subject for process in processes.all if group in cgroups.chain(process.pid)]
            yield _judge(group, group.cpus, topology, tuple(users), limits)


def _judge(group: Cgroup, cpus: CpuSet, topology: Topology, users: tuple[str, ...], limits: Thresholds) -> Judgement:
    subject = f"cgroup:{group.path}"
    if any(numa_node.cpus is None for numa_node in topology.numa_nodes) or not topology.numa_nodes:
        return unknown(subject, Gap("absent", NUMA_NODES, "which CPUs its NUMA nodes have is not known"), related=users)
    taken = [numa_node for numa_node in topology.numa_nodes if numa_node.cpus and not numa_node.cpus.isdisjoint(cpus)]
    if len(taken) < limits.least_nodes:
        return not_applicable(subject)
    odd = _odd(taken, cpus, limits)
    if odd is None:
        return ok(subject, related=users, evidence=group.evidence, cpus=cpus)
    return fail(
        subject,
        confidence=Confidence.POSSIBLE,
        related=(*users, *(f"numa_node:{numa_node.id}" for numa_node in odd.numa_nodes)),
        evidence=(*group.evidence, *(line for numa_node in odd.numa_nodes for line in numa_node.evidence)),
        group=f"cgroup {group.path}",
        cpus=cpus,
        odd="NUMA node " + " and ".join(str(numa_node.id) for numa_node in odd.numa_nodes),
        extra=odd.extra or "none",
        missing=odd.missing or "none",
        fitting=cpus - odd.extra | odd.missing,
    )


def _odd(taken: list[NumaNode], cpus: CpuSet, limits: Thresholds) -> _Odd | None:
    """The one or two NUMA nodes that differ by one CPU from the positions that all others share; None where there is no such pattern."""
    positions = {numa_node.id: _positions(numa_node, cpus) for numa_node in taken}
    pattern, count = Counter(positions.values()).most_common(1)[0]
    odd = [numa_node for numa_node in taken if positions[numa_node.id] != pattern]
    if not 1 <= len(odd) <= 2 or count < limits.least_nodes - 1 or count <= len(odd):
        return None
    if any(len(positions[numa_node.id] - pattern) > 1 or len(pattern - positions[numa_node.id]) > 1 for numa_node in odd):
        return None
    extra = [_cpu_at(numa_node, position) for numa_node in odd for position in positions[numa_node.id] - pattern]
    missing = [_cpu_at(numa_node, position) for numa_node in odd for position in pattern - positions[numa_node.id]]
    return _Odd(tuple(odd), CpuSet(cpu for cpu in extra if cpu is not None), CpuSet(cpu for cpu in missing if cpu is not None))


def _positions(numa_node: NumaNode, cpus: CpuSet) -> Positions:
    """Where these CPUs are among those of the NUMA node, in order."""
    return frozenset(position for position, cpu in enumerate(numa_node.cpus or ()) if cpu in cpus)


def _cpu_at(numa_node: NumaNode, position: int) -> int | None:
    return next((cpu for at, cpu in enumerate(numa_node.cpus or ()) if at == position), None)
