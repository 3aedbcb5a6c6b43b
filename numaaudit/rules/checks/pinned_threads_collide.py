"""# pinned-threads-collide (NA210)

Busy threads of two processes are pinned one by one to the same CPUs, or kept on the same few, while other CPUs that they could
have are free of them.

## What it checks

Each process against each other one, by their busy threads: those with at least `busy_part` (0.25) of the CPU time of the
busiest thread of both, so that a process that only stands by has none. It fails with `medium` where

- at least `least_shared` (4) CPUs have a thread of each that is pinned to it alone; or
- two processes of one program, without a GPU, have the same mask, not that of whole NUMA nodes, and more busy threads than it
  has CPUs;

and at least as many CPUs that the process's cpuset holds are free: no thread is pinned to them, and in the second case no
process's mask has them, but for masks of all CPUs. Silent where each process has CPUs of its own, or there are no others to
take; at most `likely` where the CPU times are totals since the threads began.

## Why it matters

Two compute threads that may run on one CPU only take turns on it: both processes get half the speed, and every barrier waits
for the slower one. Workers that all compute their CPUs from the same visible NUMA node, as if each were the only one, end so.

## Evidence

`/proc/PID/task/*/status` and `stat` of both processes, the cpusets and what is online. Unknown where a tenth of the threads or
more are not known.

## How to fix

Give each worker its own list: vLLM's `VLLM_CPU_OMP_THREADS_BIND=0-31|32-63`, `GOMP_CPU_AFFINITY`, a cpuset or `numactl -C` for
each process; or let only one of the layers bind.

## How to verify

`taskset -acp PID1; taskset -acp PID2`: no CPU is in the lists of both, but for threads that are idle.

## False positives

Two instances that take turns: one works while the other waits, and both did so for as long.

## References

- https://github.com/vllm-project/vllm/issues/47328
- https://gcc.gnu.org/onlinedocs/libgomp/GOMP_005fCPU_005fAFFINITY.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
"""

from collections.abc import Callable, Iterator
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
MESSAGES = {
    "together": "{who} (pid {pid}) and {other} (pid {other_pid}) were both given CPUs {shared}, with {num_threads} busy threads for "
    "{num_cpus} CPUs, while CPUs {free} belong to neither."
}
FIX = "Give {who_inside} and {other} CPUs of their own, each out of what both may use."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.25
    least_shared: int = 4


class _Worker(NamedTuple):
    """A process, its threads with their work, and the CPUs that it could have."""

    process: Process
    work: Work
    could_have: CpuSet
    has_gpu: bool


class _Shared(NamedTuple):
    """CPUs that two processes were given, and those that nobody was, which one could have instead.

    ``num_threads``: the busy ones of both there, None where each is pinned alone.
    """

    other: _Worker
    cpus: CpuSet
    free: CpuSet
    evidence: tuple[Evidence, ...]
    num_threads: int | None = None


def check(processes: Processes, ranks: Ranks, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Iterator[Judgement]:
    judged = [process for process in processes.all if process.threads or ranks.by_pid(process.pid)]
    workers = [_worker(process, ranks, topology, cgroups) for process in judged]
    pinned = CpuSet(cpu for worker in workers for cpu in _pins(worker.process))
    taken = CpuSet(cpu for worker in workers for cpu in _mask(worker.process, topology)) | pinned
    for own in workers:
        others = [each for each in workers if each is not own]
        found = [_pinned(own, other, own.could_have - pinned, limits) for other in others]
        found += [_together(own, other, own.could_have - taken, topology, limits) for other in others]
        yield _judge(own, [shared for shared in found if shared and len(shared.free) >= len(shared.cpus)], ranks)


def _worker(process: Process, ranks: Ranks, topology: Topology, cgroups: Cgroups) -> _Worker:
    """It could have what its cpuset holds and is online; nothing where neither is known."""
    online, limit, rank = topology.online or CpuSet(), cgroups.effective_cpus(process.pid), ranks.by_pid(process.pid)
    return _Worker(process, work_of(process), online if limit is None else online & limit, has_gpu=bool(rank and rank.gpus))


def _pins(process: Process) -> CpuSet:
    """The CPUs that its threads are pinned to, one each."""
    return CpuSet(cpu for thread in process.threads if _is_alone(thread) for cpu in thread.effective_cpus or ())


def _mask(process: Process, topology: Topology) -> CpuSet:
    """The CPUs that it was given; none where it may use all."""
    mask = process.effective_cpus or CpuSet()
    return CpuSet() if mask == topology.online else mask


def _is_alone(thread: Thread) -> bool:
    return thread.effective_cpus is not None and len(thread.effective_cpus) == 1


def _judge(own: _Worker, found: list[_Shared], ranks: Ranks) -> Judgement:
    named = name_of(own.process, ranks)
    if found:
        return _failure(named, own, max(found, key=lambda shared: len(shared.cpus)), ranks)
    if not own.work.is_complete:
        return unknown(named.subject, missing_threads(own.process), related=named.related)
    return ok(named.subject, related=named.related, evidence=own.process.evidence, cpus=own.process.effective_cpus)


def _pinned(own: _Worker, other: _Worker, free: CpuSet, limits: Thresholds) -> _Shared | None:
    """CPUs to which a busy thread of each is pinned alone."""
    mine, theirs = _busy(own, other, _is_alone, limits)
    cpus = CpuSet(cpu for thread in mine for cpu in thread.effective_cpus or ())
    cpus &= CpuSet(cpu for thread in theirs for cpu in thread.effective_cpus or ())
    evidence = _mask_on(mine, cpus) + _mask_on(theirs, cpus)
    return _Shared(other, cpus, free, evidence) if len(cpus) >= limits.least_shared else None


def _together(own: _Worker, other: _Worker, free: CpuSet, topology: Topology, limits: Thresholds) -> _Shared | None:
    """A mask that both of one program have, and that is too small for the busy threads of both."""
    cpus = own.process.effective_cpus
    if not cpus or cpus != other.process.effective_cpus or own.process.comm != other.process.comm or own.has_gpu or other.has_gpu:
        return None
    is_by_design = cpus == topology.cpus_of(topology.numa_nodes_of(cpus)) & own.could_have
    mine, theirs = _busy(own, other, lambda thread: thread.effective_cpus == cpus, limits)
    num_threads = len(mine) + len(theirs)
    if is_by_design or not mine or not theirs or num_threads <= len(cpus) or len(cpus) < limits.least_shared:
        return None
    return _Shared(other, cpus, free, own.process.evidence + other.process.evidence, num_threads)


def _busy(own: _Worker, other: _Worker, is_so: Callable[[Thread], bool], limits: Thresholds) -> tuple[list[Thread], list[Thread]]:
    """Threads of each that are so and worked: for at least that part of the busiest one's time, of whichever process."""
    is_measured = own.work.is_measured and other.work.is_measured
    mine, theirs = ([(thread, _ticks(thread, is_measured)) for thread in each.process.threads if is_so(thread)] for each in (own, other))
    least = limits.busy_part * max((ticks for _, ticks in mine + theirs), default=0)
    return [thread for thread, ticks in mine if ticks >= least > 0], [thread for thread, ticks in theirs if ticks >= least > 0]


def _ticks(thread: Thread, is_measured: bool) -> int:
    return (thread.cpu_ticks_delta if is_measured else thread.cpu_ticks) or 0


def _failure(named: Naming, own: _Worker, shared: _Shared, ranks: Ranks) -> Judgement:
    theirs = name_of(shared.other.process, ranks)
    return fail(
        named.subject,
        confidence=Confidence.CERTAIN if own.work.is_measured and shared.other.work.is_measured else Confidence.LIKELY,
        message=None if shared.num_threads is None else "together",
        related=(*named.related, theirs.subject, f"cpus:{shared.cpus}"),
        evidence=shared.evidence,
        shared=shared.cpus,
        num_cpus=len(shared.cpus),
        num_threads=shared.num_threads,
        free=shared.free,
        other=theirs.title[0].lower() + theirs.title[1:],
        other_pid=shared.other.process.pid,
        **named.details,
    )


def _mask_on(threads: list[Thread], cpus: CpuSet) -> tuple[Evidence, ...]:
    """The mask of one thread on these CPUs."""
    return next((each.evidence for each in threads if each.effective_cpus and each.effective_cpus <= cpus), ())
