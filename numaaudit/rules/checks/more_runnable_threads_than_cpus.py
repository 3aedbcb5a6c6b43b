"""# more-runnable-threads-than-cpus (NA203)

A process has more threads that want to run at once than CPUs that they may run on.

## What it checks

For each process whose threads are known: the threads in state R (running, or waiting for a CPU) when it was looked at, with the
CPUs that each may use (mask, cut by the cpuset and by what is online). For each of these sets of CPUs, the runnable threads
that are confined to it are counted. It fails where there are at least `least_runnable` (4) of them and at least
`runnable_per_cpu` (1.5) for each CPU of the set. `medium`, and `likely` at most: one look is a sample, not a mean.

## Why it matters

Threads of a pool wait for each other at every barrier. With more of them than CPUs, a barrier lasts until the one that was put
aside has had its turn: several scheduler slices in place of microseconds, on every layer or step. Runtimes that count the CPUs
of the host (`os.cpu_count()`, OpenMP without a mask, `/proc/cpuinfo`) start such pools in every container that has fewer.

## Evidence

`/proc/PID/task/*/stat` (state), `/proc/PID/task/*/status` (Cpus_allowed_list), the cgroup's effective cpuset. Unknown where a
tenth of the threads or more was not read. Two looks that agree are better than one: collect twice.

## How to fix

Start as many threads as there are CPUs: `OMP_NUM_THREADS`, `MKL_NUM_THREADS`, `--threads`, `num_thread`, or the pool's own
option, from the number that `nproc` prints inside the container. Or widen the cpuset, where other CPUs are idle.

## How to verify

`ps -L -o tid,stat,psr,comm -p PID` shows no more threads in R than the process has CPUs; `nonvoluntary_ctxt_switches` in
`/proc/PID/task/*/status` stands still.

## False positives

A pool that was caught in its start-up. Threads that only yield (a spin with `sched_yield`) are in R too, and burn time that
the others lack.

## References

- https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
- https://gcc.gnu.org/onlinedocs/libgomp/OMP_005fNUM_005fTHREADS.html
- https://docs.kernel.org/scheduler/sched-design-CFS.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.work import MOST_MISSING
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.gaps import missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA203", gate=Gate.PLACEMENT, category="oversubscription", severity=Severity.MEDIUM, caused_by=("NA601", "NA206"))
MESSAGE = "{who} (pid {pid}) had {num_runnable} threads that wanted to run at once, but these may use CPUs {cpus} only ({num_cpus})."
FIX = "Start {who_inside} with at most {num_cpus} compute threads, or give it more CPUs."


class Thresholds(NamedTuple):
    """What a policy may change."""

    least_runnable: int = 4
    runnable_per_cpu: float = 1.5


def check(processes: Processes, ranks: Ranks, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads or ranks.by_pid(process.pid):
            yield _judge(process, name_of(process, ranks), limits)


def _judge(process: Process, named: Naming, limits: Thresholds) -> Judgement:
    known = [thread for thread in process.threads if thread.state and thread.effective_cpus]
    runnable = [thread for thread in known if thread.state == "R"]
    crowded = [(cpus, group) for cpus, group in _confined(runnable) if _is_crowded(cpus, group, limits)]
    if crowded:
        return _failure(named, *max(crowded, key=lambda pair: len(pair[1])))
    if len(known) < (process.status.record.num_threads or 1) * (1 - MOST_MISSING):
        return unknown(named.subject, missing_threads(process), related=named.related)
    return ok(named.subject, related=named.related, evidence=process.evidence, num_runnable=len(runnable))


def _confined(threads: list[Thread]) -> Iterator[tuple[CpuSet, list[Thread]]]:
    """Each set of CPUs that a thread has, with the threads that may use no other."""
    for cpus in dict.fromkeys(thread.effective_cpus for thread in threads if thread.effective_cpus):
        yield cpus, [thread for thread in threads if thread.effective_cpus and thread.effective_cpus <= cpus]


def _is_crowded(cpus: CpuSet, threads: list[Thread], limits: Thresholds) -> bool:
    return len(threads) >= max(limits.least_runnable, limits.runnable_per_cpu * len(cpus))


def _failure(named: Naming, cpus: CpuSet, threads: list[Thread]) -> Judgement:
    return fail(
        named.subject,
        confidence=Confidence.LIKELY,
        related=(*named.related, f"cpus:{cpus}"),
        evidence=(*named.process.evidence, *threads[-1].evidence),
        num_runnable=len(threads),
        tids=str(sorted(thread.tid for thread in threads)),
        cpus=cpus,
        num_cpus=len(cpus),
        **named.details,
    )
