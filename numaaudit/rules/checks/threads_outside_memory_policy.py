"""# threads-outside-memory-policy (NA319)

Some threads of a process bind their memory, and others that do its work do not: the policy came too late, or to one thread only.

## What it checks

For each process whose threads do not all have the same memory policy: the policy with NUMA nodes (`bind`, `prefer`,
`interleave`) under which most CPU time is used, against its busy threads (at least `busy_part` (0.25) of the busiest thread's CPU
time) under the default policy. It fails `medium` where such a thread may run on CPUs of other NUMA nodes than the policy's: what
it touches first then lies wherever it ran. `info` where all of them are confined to the policy's NUMA nodes by their masks.

Silent about idle threads, and about threads with another policy of their own: pools that are bound each to its NUMA node.

## Why it matters

A memory policy belongs to a thread, and is inherited when a thread is created. Set after a runtime started its threads, or in a
thread that only sets it, it holds for part of the allocations; `/proc/PID/numa_maps` shows the main thread's only.

## Evidence

`/proc/PID/numa_maps` and `/proc/PID/task/*/numa_maps` (policy of the first mapping), `/proc/PID/task/*/{status,stat}`. A bundle
holds a thread's where it differs from the main thread's. Unknown where another thread's policy is known and the main thread's
is not.

## How to fix

Set the policy before the process starts: `numactl --membind=N` around it, Slurm's `--mem-bind`, `NUMAPolicy=` of a systemd
unit. In a program call `set_mempolicy` before any library starts threads, which means before CUDA, OpenMP and the like.

## How to verify

`head -qn1 /proc/PID/task/*/numa_maps | cut -d' ' -f2 | sort | uniq -c` prints one line.

## False positives

A busy thread that allocates nothing.

## References

- https://man7.org/linux/man-pages/man2/set_mempolicy.2.html
- https://man7.org/linux/man-pages/man5/numa_maps.5.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import work_of
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA319", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) has threads under the memory policy {policy}, but {num_threads} of its busy threads have the default one and "
    "may run on CPUs {cpus} of NUMA node {numa_nodes}."
)
FIX = "Restart {who_inside} with the memory policy set first, so that all threads inherit it."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.25


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads or ranks.by_pid(process.pid):
            yield _judge(name_of(process, ranks), topology, limits)


def _judge(named: Naming, topology: Topology, limits: Thresholds) -> Judgement:
    process = named.process
    known = {thread.policy for thread in process.threads if thread.policy}
    if topology.has_one_cpu_node() or not known - {process.policy}:
        return not_applicable(named.subject)
    if process.policy is None:
        gap = process.maps if isinstance(process.maps, Gap) else Gap("absent", f"root/proc/{process.pid}/numa_maps", "it names no policy")
        return unknown(named.subject, gap, related=named.related)
    policy = _main_policy(process)
    without = [thread for thread in work_of(process).busy(limits.busy_part) if _policy_of(thread, process) == "default"]
    if policy is None or not without:
        return ok(named.subject, related=named.related, policies=", ".join(sorted(known)))
    return _failure(named, policy, without, topology)


def _policy_of(thread: Thread, process: Process) -> str | None:
    """That of the main thread where its own was not kept."""
    return thread.policy or process.policy


def _main_policy(process: Process) -> MemPolicy | None:
    """The policy with NUMA nodes under which most CPU time is used."""
    shares: dict[str, float] = defaultdict(float)
    for thread, share in work_of(process).shares:
        shares[_policy_of(thread, process) or ""] += share
    named = [(share, text) for text, share in shares.items() if MemPolicy.parse(text).numa_nodes]
    return MemPolicy.parse(max(named)[1]) if named else None


def _failure(named: Naming, policy: MemPolicy, without: list[Thread], topology: Topology) -> Judgement:
    inside = topology.cpus_of(policy.numa_nodes)
    outside = [thread for thread in without if thread.effective_cpus and not thread.effective_cpus <= inside]
    told = outside or without
    cpus = told[0].effective_cpus
    return fail(
        named.subject,
        severity=None if outside else Severity.INFO,
        confidence=Confidence.LIKELY,
        related=(*named.related, *(f"tid:{thread.tid}" for thread in told)),
        evidence=(*_policy_lines(named.process), *told[0].evidence),
        policy=policy,
        num_threads=len(told),
        cpus=cpus,
        numa_nodes=topology.numa_nodes_of(cpus) if cpus else None,
        **named.details,
    )


def _policy_lines(process: Process) -> tuple[Evidence, ...]:
    return () if isinstance(process.maps, Gap) else (cite_line(process.maps.file, 1),)
