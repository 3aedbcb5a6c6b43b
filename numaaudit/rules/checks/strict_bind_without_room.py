"""# strict-bind-without-room (NA304)

Memory is strictly bound to NUMA nodes that have nothing left, while others do: the next allocation ends in the OOM killer.

## What it checks

Two things. In the named logs, kills of the kernel's OOM killer under `CONSTRAINT_MEMORY_POLICY` or `CONSTRAINT_CPUSET`: the memory
that was wanted had to come from the NUMA nodes of a policy, or of a cpuset (`cpuset.mems`). `high`, and `medium` for a cpuset,
whose memory may be all that was granted; said of the process if it is in the evidence, else of the first of those NUMA nodes.

And each process under a strict policy (`bind`, that of its main thread) whose NUMA nodes together have less than `room_share`
(0.02) of their memory available: what is free, page cache, and half of the reclaimable slab. It fails where another NUMA node
that the process may use has at least `other_room_share` (0.2) of its own available. `low`: whether it wants more is not known.

Page cache counts as room, since the kernel gives clean pages back on demand; a NUMA node with 2 GiB free and 300 GiB of cache is
healthy. Not applicable to a process without a strict policy, or where one NUMA node has all memory.

## Why it matters

A strict policy never spills over. `set_mempolicy` succeeds, `malloc` succeeds, and at some touch of a page the kernel first
reclaims, then kills, and the program sees no error to report. Checkpoints are compared with the host's memory, not with the
NUMA node's.

## Evidence

The kernel's log (`oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=N`, `mems_allowed=N`; name it when collecting),
`/proc/PID/numa_maps`, `/sys/devices/system/node/node*/meminfo`, `/proc/PID/status` (Mems_allowed_list). Unknown where numa_maps or
the meminfo of a bound NUMA node was not read. One reading shows what was left, not how fast it goes.

## How to fix

Use `--preferred=N` or `--preferred-many` in place of `--membind=N`: local while there is room, and then the next nearest. Or
bind to more NUMA nodes, interleave what does not fit one, or load fewer copies. Empty the NUMA node of others first
(`numastat -m`, `numastat -p`).

## How to verify

`numastat -m` shows room on the bound NUMA nodes at the workload's peak; `dmesg | grep constraint=` stays empty.

## False positives

A process that has allocated all it ever will may live on a full NUMA node.

## References

- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
- https://man7.org/linux/man-pages/man8/numactl.8.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import Evidence, cite, cite_line
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.sections.capacity import Capacity, NumaNodeMemory
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.kernel_log import CONSTRAINT_CPUSET, CONSTRAINT_MEMORY_POLICY, KernelLog, OomKill
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA304", gate=Gate.PLACEMENT, category="node-memory", severity=Severity.HIGH)
MESSAGE = (
    "The kernel killed {victim}: it was confined by its {by} to NUMA nodes {numa_nodes}, which had no more, "
    "and {others_mib} MiB are free on NUMA nodes {others}."
)
MESSAGES = {
    "alone": "The kernel killed {victim}: it was confined by its {by} to NUMA nodes {numa_nodes}, which had no more.",
    "full": "{who} (pid {pid}) is strictly bound to NUMA nodes {numa_nodes} with {room_mib} MiB left, "
    "but {others_mib} MiB are left on NUMA nodes {others}.",
}
FIX = "Let {victim} prefer NUMA nodes {numa_nodes} (numactl --preferred) where it is bound to them, or give it more of them."


class Thresholds(NamedTuple):
    """What a policy may change."""

    room_share: float = 0.02
    other_room_share: float = 0.2


_BY = {CONSTRAINT_MEMORY_POLICY: "memory policy", CONSTRAINT_CPUSET: "cpuset"}


def check(
    processes: Processes, ranks: Ranks, topology: Topology, capacity: Capacity, logs: tuple[Found[KernelLog], ...], limits: Thresholds
) -> Iterator[Judgement]:
    killed = [_killed(kill, found, processes, ranks, capacity) for found in logs for kill in found.record.oom_kills if _is_confined(kill)]
    told = {judgement.subject: judgement for judgement in killed}
    yield from told.values()
    for process in processes.all:
        named = name_of(process, ranks)
        if named.subject not in told:
            yield not_applicable(named.subject) if len(topology.numa_nodes) == 1 else _judge(named, capacity, limits)


def _is_confined(kill: OomKill) -> bool:
    return kill.constraint in _BY and bool(kill.numa_nodes)


def _killed(kill: OomKill, found: Found[KernelLog], processes: Processes, ranks: Ranks, capacity: Capacity) -> Judgement:
    numa_nodes = kill.numa_nodes or NodeSet()
    owners = [process for process in processes.by_any_pid(kill.pid) if process.comm == kill.comm] if kill.pid is not None else []
    subject = name_of(owners[0], ranks).subject if len(owners) == 1 else f"numa_node:{min(numa_nodes)}"
    victim = f"process {kill.comm or 'of this host'}" + (f" (pid {kill.pid})" if kill.pid is not None else "")
    room = tuple(line for number in numa_nodes if (memory := capacity.of(number)) for line in memory.evidence[:2])
    others = [memory for memory in capacity.numa_nodes if memory.numa_node not in numa_nodes]
    return fail(
        subject,
        severity=Severity.MEDIUM if kill.constraint == CONSTRAINT_CPUSET else None,
        message=None if others else "alone",
        related=tuple(f"numa_node:{number}" for number in numa_nodes),
        evidence=(cite_line(found.file, kill.line), *room),
        victim=victim,
        by=_BY[kill.constraint],
        pid=kill.pid,
        numa_nodes=numa_nodes,
        **_elsewhere(others),
    )


def _elsewhere(others: list[NumaNodeMemory]) -> dict[str, object]:
    return {
        "others": NodeSet(memory.numa_node for memory in others),
        "others_mib": sum(memory.available_bytes for memory in others) >> 20,
    }


def _judge(named: Naming, capacity: Capacity, limits: Thresholds) -> Judgement:
    process = named.process
    if isinstance(process.maps, Gap):
        return unknown(named.subject, process.maps, related=named.related)
    policy = process.maps.record.policy
    if policy is None or policy.mode != "bind" or not policy.numa_nodes:
        return not_applicable(named.subject)
    bound = [memory for number in policy.numa_nodes if (memory := capacity.of(number))]
    if len(bound) < len(policy.numa_nodes):
        gap = Gap("absent", f"{NUMA_NODES}/node{min(policy.numa_nodes)}/meminfo", "what it has left is not known")
        return unknown(named.subject, gap, related=named.related)
    roomy = [memory for memory in capacity.numa_nodes if _is_roomy(memory, process, limits) and memory.numa_node not in policy.numa_nodes]
    if not _is_full(bound, limits) or not roomy:
        return ok(named.subject, related=named.related, evidence=_evidence(process.maps, bound), room_mib=_room(bound) >> 20)
    return fail(
        named.subject,
        severity=Severity.LOW,
        message="full",
        related=(*named.related, *(f"numa_node:{number}" for number in policy.numa_nodes)),
        evidence=_evidence(process.maps, bound),
        victim=named.details["who_inside"],
        numa_nodes=policy.numa_nodes,
        room_mib=_room(bound) >> 20,
        **_elsewhere(roomy),
        **named.details,
    )


def _is_full(bound: list[NumaNodeMemory], limits: Thresholds) -> bool:
    return _room(bound) < limits.room_share * sum(memory.total_bytes for memory in bound)


def _is_roomy(memory: NumaNodeMemory, process: Process, limits: Thresholds) -> bool:
    allowed = process.allowed_mems
    return memory.available_bytes >= limits.other_room_share * memory.total_bytes and (allowed is None or memory.numa_node in allowed)


def _room(bound: list[NumaNodeMemory]) -> int:
    return sum(memory.available_bytes for memory in bound)


def _evidence(maps: Found[NumaMaps], bound: list[NumaNodeMemory]) -> tuple[Evidence, ...]:
    policy = maps.record.policy
    return (*((cite(maps.file, f" {policy.text} "),) if policy else ()), *(line for memory in bound for line in memory.evidence))
