"""# busy-threads-share-cores (NA205)

Threads that are pinned to one CPU each sit on siblings of the same core, and other cores of the process stay empty.

## What it checks

For each process: its busy threads (at least `busy_part` (0.25) of the busiest thread's CPU time) that may use one CPU only. It
fails where there are at least `least_pinned` (4) of them, some cores hold two or more, and at least as many cores that the
process may use hold no pinned thread, nor a CPU of another process that is bound. `low`.

Not applicable where the host has one thread a core. Threads on both siblings of every core are a choice, and silent.

## Why it matters

Siblings share a core's execution units and first-level caches. A pool that waits for its slowest thread then runs at the pace of
half a core, while whole cores idle. CPU numbers do not tell: on one host the siblings are 2k and 2k+1, on another k and k+N.

## Evidence

`/sys/devices/system/cpu/cpu*/topology/core_cpus_list` (before Linux 5.3 `thread_siblings_list`), `/proc/PID/task/*/status` and
`stat`. Unknown where a tenth of the threads or more, or the siblings, are not known.

## How to fix

Pin by core: `OMP_PLACES=cores OMP_PROC_BIND=close`, `numactl --physcpubind` with one CPU of each core as `lscpu -e=CPU,CORE,NODE`
lists them, or the runtime's own option for physical cores.

## How to verify

`ps -L -o tid,psr,comm -p PID` against `lscpu -e=CPU,CORE`: no core comes twice.

## False positives

A pair of threads that feed each other (producer and consumer) may share a core's cache on purpose.

## References

- https://docs.kernel.org/admin-guide/cputopology.html
- https://gcc.gnu.org/onlinedocs/libgomp/OMP_005fPLACES.html
- https://man7.org/linux/man-pages/man1/lscpu.1.html
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_cpus import CPU
from numaaudit.model.sections.processes import Process, Processes, Thread
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import work_of
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask, missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA205", gate=Gate.PLACEMENT, category="smt-sharing", severity=Severity.LOW)
MESSAGE = (
    "{who} (pid {pid}) pins {num_threads} busy threads to CPUs {cpus}, which are {num_cores} cores, "
    "but {num_empty} cores that it may use ({empty_cpus}) have none."
)
FIX = "Pin the threads of {who_inside} one to a core, by the siblings that lscpu -e=CPU,CORE lists."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.25
    least_pinned: int = 4


def check(processes: Processes, ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads or ranks.by_pid(process.pid):
            yield _judge(process, name_of(process, ranks), processes, topology, limits)


def _judge(process: Process, named: Naming, processes: Processes, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.threads_per_core == 1:
        return not_applicable(named.subject)
    work = work_of(process)
    pinned = [thread for thread in work.busy(limits.busy_part) if thread.effective_cpus and len(thread.effective_cpus) == 1]
    doubled = _doubled(pinned, topology)
    empty = [core for core in topology.cores_of(_usable(process, processes, topology)) if core.isdisjoint(_all_of(pinned))]
    if len(pinned) >= limits.least_pinned and doubled and len(empty) >= doubled:
        return _failure(named, pinned, empty, topology)
    if not process.effective_cpus:
        return unknown(named.subject, missing_mask(process), related=named.related)
    if not work.is_complete:
        return unknown(named.subject, missing_threads(process), related=named.related)
    if pinned and not topology.siblings:
        return unknown(named.subject, Gap("absent", f"{CPU}/cpu*/topology/core_cpus_list", "which CPUs share a core is not known"))
    return ok(named.subject, related=named.related, evidence=process.evidence, num_pinned=len(pinned))


def _doubled(pinned: list[Thread], topology: Topology) -> int:
    """How many threads are on a core that has another one already."""
    counts = Counter(core for thread in pinned for core in topology.cores_of(thread.effective_cpus or CpuSet()))
    return sum(count - 1 for count in counts.values())


def _all_of(threads: list[Thread]) -> CpuSet:
    return CpuSet.union(thread.effective_cpus or CpuSet() for thread in threads)


def _usable(process: Process, processes: Processes, topology: Topology) -> CpuSet:
    """The CPUs of the process without those of other processes that are bound."""
    cpus = process.effective_cpus or CpuSet()
    for other in processes.all:
        if other.pid != process.pid and other.effective_cpus and other.effective_cpus != topology.online:
            cpus -= other.effective_cpus
    return cpus


def _failure(named: Naming, pinned: list[Thread], empty: list[CpuSet], topology: Topology) -> Judgement:
    cpus, core = _all_of(pinned), next(iter(topology.cores_of(_all_of(pinned))))
    on_core = [line for thread in pinned if not core.isdisjoint(thread.effective_cpus or core) for line in thread.evidence]
    return fail(
        named.subject,
        confidence=Confidence.LIKELY,
        related=(*named.related, f"cpus:{cpus}", *(f"tid:{thread.tid}" for thread in pinned)),
        evidence=(*on_core[:2], *named.process.evidence),
        num_threads=len(pinned),
        cpus=cpus,
        num_cores=len(topology.cores_of(cpus)),
        num_empty=len(empty),
        empty_cpus=CpuSet(cpu for each in empty for cpu in each),
        **named.details,
    )
