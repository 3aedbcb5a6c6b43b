"""# pinned-threads-collide (NA210)

Busy threads of two processes are pinned one by one to the same CPUs, while other CPUs that they could have are free of them.

## What it checks

For each process: the CPUs on which one of its busy threads (at least `busy_part` (0.25) of the busiest thread's CPU time) is
pinned alone, against those of each other process. It fails with `medium` where at least `least_shared` (4) CPUs are in both, and
at least as many CPUs that the process's cpuset holds have no pinned thread at all. Silent where each process has CPUs of its
own, or there are no others to take; at most `likely` where the CPU times are totals since the threads began.

## Why it matters

Two compute threads that may run on one CPU only take turns on it: both processes get half the speed, and every barrier waits for
the slower one. Workers that all compute their CPUs from the same visible NUMA node, as if each were the only one, end so.

## Evidence

`/proc/PID/task/*/status` and `stat` of both processes, the cpusets and what is online. Unknown where a tenth of the threads or
more are not known.

## How to fix

Give each worker its own list: vLLM's `VLLM_CPU_OMP_THREADS_BIND=0-31|32-63`, `GOMP_CPU_AFFINITY`, a cpuset or `numactl -C` for
each process; or let only one of the layers bind.

## How to verify

`ps -L -o pid,tid,psr,comm -p PID1,PID2`: no CPU comes for both.

## False positives

Two instances that never work at the same time, such as an active and a standby one.

## References

- https://github.com/vllm-project/vllm/issues/47328
- https://gcc.gnu.org/onlinedocs/libgomp/GOMP_005fCPU_005fAFFINITY.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import Evidence
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import Work, work_of
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.gaps import missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA210", gate=Gate.PLACEMENT, category="oversubscription", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) and {other} (pid {other_pid}) both pin busy threads to CPUs {shared}, one thread each, while CPUs {free} have none."
)
FIX = "Give {who_inside} and {other} CPUs of their own, each out of what both may use."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.25
    least_shared: int = 4


class _Pinned(NamedTuple):
    """A process, its busy threads that may use one CPU only, and those CPUs."""

    process: Process
    work: Work
    threads: tuple[Thread, ...]
    cpus: CpuSet


def check(processes: Processes, ranks: Ranks, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Iterator[Judgement]:
    pinned = [_pinned(process, limits) for process in processes.all if process.threads or ranks.by_pid(process.pid)]
    taken = CpuSet(cpu for each in pinned for cpu in each.cpus)
    for each in pinned:
        free = _allowed(each.process, topology, cgroups) - taken
        yield _judge(each, [other for other in pinned if other is not each], free, ranks, limits)


def _allowed(process: Process, topology: Topology, cgroups: Cgroups) -> CpuSet:
    """What its cpuset holds and is online; nothing where neither is known."""
    online, limit = topology.online or CpuSet(), cgroups.effective_cpus(process.pid)
    return online if limit is None else online & limit


def _pinned(process: Process, limits: Thresholds) -> _Pinned:
    work = work_of(process)
    threads = tuple(each for each in work.busy(limits.busy_part) if each.effective_cpus and len(each.effective_cpus) == 1)
    return _Pinned(process, work, threads, CpuSet(cpu for each in threads for cpu in each.effective_cpus or ()))


def _judge(own: _Pinned, others: list[_Pinned], free: CpuSet, ranks: Ranks, limits: Thresholds) -> Judgement:
    named = name_of(own.process, ranks)
    other = max(others, key=lambda each: len(each.cpus & own.cpus), default=None)
    shared = other.cpus & own.cpus if other else CpuSet()
    if other and len(shared) >= limits.least_shared and len(free) >= len(shared):
        return _failure(named, own, other, shared, free, ranks)
    if not own.work.is_complete:
        return unknown(named.subject, missing_threads(own.process), related=named.related)
    return ok(named.subject, related=named.related, evidence=own.process.evidence, cpus=own.cpus)


def _failure(named: Naming, own: _Pinned, other: _Pinned, shared: CpuSet, free: CpuSet, ranks: Ranks) -> Judgement:
    theirs = name_of(other.process, ranks)
    return fail(
        named.subject,
        confidence=Confidence.CERTAIN if own.work.is_measured and other.work.is_measured else Confidence.LIKELY,
        related=(*named.related, theirs.subject, f"cpus:{shared}"),
        evidence=_mask_on(own, shared) + _mask_on(other, shared),
        shared=shared,
        free=free,
        other=theirs.title[0].lower() + theirs.title[1:],
        other_pid=other.process.pid,
        **named.details,
    )


def _mask_on(pinned: _Pinned, cpus: CpuSet) -> tuple[Evidence, ...]:
    """The mask of one thread on these CPUs."""
    return next((each.evidence for each in pinned.threads if each.effective_cpus and each.effective_cpus <= cpus), ())
