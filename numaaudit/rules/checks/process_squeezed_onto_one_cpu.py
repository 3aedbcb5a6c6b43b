"""# process-squeezed-onto-one-cpu (NA206)

A process of many threads may run on one CPU only, though its cpuset holds many more.

## What it checks

For each process with at least two threads: whether all its threads (mask, cut by the cpuset and by what is online) have one and
the same CPU, or the siblings of one core, while its cpuset has at least `least_cpus` (4) CPUs. It fails

- where its environment asks OpenMP to bind (`OMP_PROC_BIND`, `OMP_PLACES`, `GOMP_CPU_AFFINITY`, `KMP_AFFINITY`): the runtime
  binds the thread that loads it to the first place, and whatever is started from there, threads and child processes alike,
  inherits that one CPU; or
- where it serves a GPU, and threads other than the busiest use at least `shared_share` (0.1) of its CPU time: they queue for it.

`medium`. A process of one busy thread on one core is what `--bind-to core` means, and silent.

## Why it matters

Every helper (proxy, compile pool, tokenizer, data loader) takes turns with the thread that launches the work. A launcher that
reads its own mask to divide the CPUs finds one, and refuses or gives each worker the same.

## Evidence

`/proc/PID/status` and `/proc/PID/task/*/status` (Cpus_allowed_list), the cgroup's effective cpuset, `/proc/PID/environ` as it
was at exec. Unknown where the mask is that narrow and the cpuset is not known, or a tenth of the threads or more was not read.

## How to fix

Unset the OpenMP variables for the launcher and set them for the workers only, or give places that are not single CPUs
(`OMP_PLACES=sockets`). Else bind the process to the CPUs of its NUMA node before it starts.

## How to verify

`grep -h Cpus_allowed_list /proc/PID/task/*/status | sort | uniq -c` shows more than one CPU.

## False positives

A process that is kept on a housekeeping CPU on purpose. One that was looked at in the moment between its bind and its threads'.

## References

- https://gcc.gnu.org/onlinedocs/libgomp/OMP_005fPROC_005fBIND.html
- https://gcc.gnu.org/onlinedocs/libgomp/GOMP_005fCPU_005fAFFINITY.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import Evidence, cite_entry
from numaaudit.model.sections.cgroups import Cgroups
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import MOST_MISSING, work_of
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask, missing_threads
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA206", gate=Gate.PLACEMENT, category="thread-mask-leak", severity=Severity.MEDIUM)
MESSAGE = "{who} (pid {pid}) has {num_threads} threads, and all of them may run on CPU {cpus} only, but its cpuset has {num_allowed} CPUs."
MESSAGES = {
    "openmp": "{who} (pid {pid}) was started with {variable}, and all its {num_threads} threads may run on CPU {cpus} only, "
    "but its cpuset has {num_allowed} CPUs: OpenMP binds the thread that loads it, and what comes after inherits the mask.",
}
FIX = "Start {who_inside} without OpenMP binding of its own ({variable}), on the CPUs of its GPU's NUMA node."


class Thresholds(NamedTuple):
    """What a policy may change."""

    least_cpus: int = 4
    shared_share: float = 0.1


_OPENMP = ("GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES", "OMP_PROC_BIND")
_NO_BINDING = ("false", "none", "disabled")


def check(processes: Processes, ranks: Ranks, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        if process.threads or ranks.by_pid(process.pid):
            yield _judge(process, name_of(process, ranks), topology, cgroups, limits)


def _judge(process: Process, named: Naming, topology: Topology, cgroups: Cgroups, limits: Thresholds) -> Judgement:
    num_threads, cpus = process.status.record.num_threads or len(process.threads), process.effective_cpus
    if num_threads < 2:
        return not_applicable(named.subject)
    if not cpus:
        return unknown(named.subject, missing_mask(process), related=named.related)
    if not _is_one_core(cpus, topology) or any(not thread.effective_cpus or thread.effective_cpus != cpus for thread in process.threads):
        return ok(named.subject, related=named.related, evidence=process.evidence, cpus=cpus)
    allowed = cgroups.effective_cpus(process.pid)
    if allowed is None:
        gap = Gap("absent", f"root/proc/{process.pid}/cgroup", "its cpusets are not known")
        return unknown(named.subject, gap, related=named.related)
    if len(process.threads) < num_threads * (1 - MOST_MISSING):
        return unknown(named.subject, missing_threads(process), related=named.related)
    variable = _binds(process)
    if len(allowed) < limits.least_cpus or not (variable or _is_shared(process, named, limits)):
        return ok(named.subject, related=named.related, evidence=process.evidence, cpus=cpus)
    return _failure(named, variable, num_threads, allowed, _evidence(process, variable, cgroups))


def _is_one_core(cpus: CpuSet, topology: Topology) -> bool:
    return len(cpus) == 1 or any(cpus <= core for core in topology.siblings)


def _binds(process: Process) -> str | None:
    """The first variable that asks OpenMP to bind."""
    variables = process.variables
    if variables.get("OMP_PROC_BIND", "").lower() in _NO_BINDING:
        return None
    return next((name for name in _OPENMP if variables.get(name) and variables[name].lower() not in _NO_BINDING), None)


def _is_shared(process: Process, named: Naming, limits: Thresholds) -> bool:
    shares = [share for _, share in work_of(process).shares]
    return named.rank is not None and bool(shares) and 1 - max(shares) >= limits.shared_share


def _evidence(process: Process, variable: str | None, cgroups: Cgroups) -> tuple[Evidence, ...]:
    of_cpuset = next((group.evidence for group in cgroups.chain(process.pid) if group.evidence), ())
    if variable is None or isinstance(process.environ, Gap):
        return (*process.evidence, *of_cpuset)
    return (*process.evidence, cite_entry(process.environ.file, variable), *of_cpuset)


def _failure(named: Naming, variable: str | None, num_threads: int, allowed: CpuSet, evidence: tuple[Evidence, ...]) -> Judgement:
    cpus = named.process.effective_cpus or CpuSet()
    return fail(
        named.subject,
        message="openmp" if variable else None,
        related=(*named.related, f"cpus:{cpus}"),
        evidence=evidence,
        num_threads=num_threads,
        cpus=cpus,
        num_allowed=len(allowed),
        variable=variable or "OMP_PROC_BIND and the like",
        **named.details,
    )
