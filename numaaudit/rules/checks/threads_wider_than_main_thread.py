"""# threads-wider-than-main-thread (NA204)

The main thread is bound, but threads that do work are not: the mask came too late for them, or they took it off.

## What it checks

For each process whose main thread is confined to some NUMA nodes: the other threads whose CPUs (mask, cut by the cpuset and by
what is online) are all of the main thread's and more, on further NUMA nodes. It fails where they used at least `busy_share`
(0.05) of the process's CPU time. `medium`; `low` where all of it stays within one package. Three sentences, by dates of birth:

- late: all wide threads are older than every narrow one but the main thread. The mask was set in the running process, and only
  threads born later inherited it;
- main-only: no other thread has the main thread's mask. Somebody bound the main thread alone (`taskset -p` without `-a`,
  `sched_setaffinity(pid)`);
- else: threads younger than narrow ones are wide, so they set their own mask, or were made by a thread that did.

Wide helpers that do next to nothing (watchdogs, event handlers) are ordinary, and silent. A main thread that is wide itself is
NA202's, threads that are off the GPU's NUMA node are NA201's. Not applicable where one NUMA node has all CPUs.

## Why it matters

A mask belongs to a thread, not to a process: one set after start-up misses whatever a library started before, often the thread
that polls the network or launches the work. Pages these threads touch first lie wherever they ran. `taskset -p PID` shows the
main thread, and all looks well.

## Evidence

`/proc/PID/status`, `/proc/PID/task/*/status` (Cpus_allowed_list), `/proc/PID/task/*/stat` (starttime, utime, stime). CPU time is
that between two readings, or since birth where there is one reading; then `likely` at most. Unknown where a tenth of the threads
or more was not read.

## How to fix

Bind before the process starts (`numactl --cpunodebind=N --membind=N`, the launcher's option, `AllowedCPUs=`), so that every
thread inherits it. In code: set the mask before the first import that starts threads (CUDA, NCCL, OpenMP, a tokenizer).
`taskset -acp CPUS PID` corrects the threads of a running process, not their pages.

## How to verify

`grep -h Cpus_allowed_list /proc/PID/task/*/status | sort | uniq -c` prints one line, or few that all lie on the NUMA node.

## False positives

A library that gives its own threads the GPU's CPUs (NCCL with `NCCL_IGNORE_CPU_AFFINITY=1`) is wider than a narrow slice, on
the same NUMA node: silent. A pool that serves several GPUs is wide on purpose.

## References

- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://man7.org/linux/man-pages/man1/taskset.1.html
- https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import Work, union, work_of
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask, missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA204", gate=Gate.PLACEMENT, category="thread-mask-leak", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}): its main thread is bound to CPUs {cpus}, but {num_threads} threads ({names}) with {percent} % of its CPU time "
    "may run on CPUs {wide_cpus} of NUMA nodes {numa_nodes}."
)
MESSAGES = {
    "late": "{who} (pid {pid}) was bound late: its main thread and the threads born after it have CPUs {cpus}, but {num_threads} older "
    "threads ({names}) with {percent} % of its CPU time kept CPUs {wide_cpus} of NUMA nodes {numa_nodes}.",
    "main-only": "{who} (pid {pid}): only its main thread is bound, to CPUs {cpus}; {num_threads} threads ({names}) with {percent} % "
    "of its CPU time may run on CPUs {wide_cpus} of NUMA nodes {numa_nodes}.",
}
FIX = "Restart {who_inside} bound to CPUs {cpus}, so that every thread inherits the mask."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_share: float = 0.05


_MOST_NAMES = 3


class _Leak(NamedTuple):
    """A process, its main thread's CPUs, and the threads that have more, with their shares of its CPU time."""

    named: Naming
    cpus: CpuSet
    wide: list[tuple[Thread, float]]
    work: Work


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads or ranks.by_pid(process.pid):
            yield _judge(process, name_of(process, ranks), topology, limits)


def _judge(process: Process, named: Naming, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(named.subject)
    cpus = process.effective_cpus
    if not cpus:
        return unknown(named.subject, missing_mask(process), related=named.related)
    numa_nodes, work = topology.numa_nodes_of(cpus), work_of(process)
    wide = work.matching(lambda mask: cpus < mask and not topology.numa_nodes_of(mask) <= numa_nodes)
    if sum(share for _, share in wide) >= limits.busy_share:
        return _failure(_Leak(named, cpus, wide, work), topology)
    if not work.is_complete:
        return unknown(named.subject, missing_threads(process), related=named.related)
    return ok(named.subject, related=named.related, evidence=process.evidence, cpus=cpus)


def _failure(leak: _Leak, topology: Topology) -> Judgement:
    wide_cpus, threads = union(leak.wide), [thread for thread, _ in leak.wide]
    return fail(
        leak.named.subject,
        severity=Severity.LOW if topology.same_package(wide_cpus, leak.cpus) else None,
        confidence=Confidence.CERTAIN if leak.work.is_measured else Confidence.LIKELY,
        message=_message(leak),
        related=(*leak.named.related, *(f"tid:{thread.tid}" for thread in threads)),
        evidence=(*leak.named.process.evidence, *threads[0].evidence),
        cpus=leak.cpus,
        num_threads=len(threads),
        names=_names(threads),
        percent=round(100 * sum(share for _, share in leak.wide)),
        wide_cpus=wide_cpus,
        numa_nodes=topology.numa_nodes_of(wide_cpus),
        **leak.named.details,
    )


def _message(leak: _Leak) -> str | None:
    """Which sentence the dates of birth support."""
    narrow = [thread for thread, _ in leak.work.matching(lambda mask: mask <= leak.cpus) if thread.tid != leak.named.process.pid]
    if not narrow:
        return "main-only"
    born = [thread.start_ticks for thread, _ in leak.wide if thread.start_ticks is not None]
    later = [thread.start_ticks for thread in narrow if thread.start_ticks is not None]
    return "late" if len(born) == len(leak.wide) and later and max(born) <= min(later) else None


def _names(threads: list[Thread]) -> str:
    """``python3, NCCL Proxy``: the names of the busiest, each once."""
    names = list(dict.fromkeys(thread.comm or str(thread.tid) for thread in threads))
    return ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
