"""# offline-cpus-asked-for (NA103)

CPUs are present and offline, and somebody asks for them or counts them.

## What it checks

The host's present CPUs that are not online, against the CPUs that launchers say they gave or were refused (named logs). It fails
with `medium` where a refused call, or a binding in a log, names CPUs that are present and offline; else it is a note (`info`)
that there are some. Silent where all present CPUs are online.

## Why it matters

`sched_setaffinity` with offline CPUs alone is EINVAL; with some of them it succeeds with fewer than asked for. Who counts CPUs
by `present`, by `cpuN` directories, or by twice the cores, makes slices of CPUs that are not there, often with SMT switched off
at boot (`nosmt`, `mitigations=auto,nosmt`) or in the firmware's menu.

## Evidence

`/sys/devices/system/cpu/present` and `online`; lines of named logs with refused affinity calls (strace, Python's OSError) or
with bindings. What a program counts itself, and does not print, cannot be seen. Unknown where one of the two lists was not read.

## How to fix

Count what may be used: `nproc`, `os.sched_getaffinity(0)`, `/sys/devices/system/cpu/online`. Or bring the CPUs back:
`echo on > /sys/devices/system/cpu/smt/control` as root, if SMT was switched off by that.

## How to verify

`cat /sys/devices/system/cpu/{present,online}` agree, or no mask of the launcher names a CPU outside `online`.

## False positives

CPUs that are kept offline on purpose (licences, failing cores) and that nobody asks for: a note.

## References

- https://docs.kernel.org/admin-guide/cputopology.html
- https://docs.kernel.org/core-api/cpu_hotplug.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
"""

from collections.abc import Iterator

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.claims import Claims, MadeClaim
from numaaudit.model.sections.offline_cpus import OfflineCpus
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.claim import BINDING, REFUSED
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown

RULE = Rule("NA103", gate=Gate.PLACEMENT, category="offline-cpus", severity=Severity.MEDIUM)
MESSAGE = "A log ({by}) names CPUs {asked}, but of these CPUs {missing} are present and offline: online are {online}."
MESSAGES = {"note": "CPUs {missing} are present and offline: online are {online}. Who counts all present CPUs counts too many."}
FIX = "Let launchers count CPUs {online}, or bring CPUs {missing} online."


def check(offline: OfflineCpus, topology: Topology, claims: Claims) -> Iterator[Judgement]:
    if offline.cpus is None:
        yield unknown("host", offline.gap)
    elif not offline.cpus:
        yield ok("host", evidence=offline.evidence, online=topology.online)
    else:
        yield _failure(offline, offline.cpus, topology, [made for made in claims.all if _asks_for(made, offline.cpus)])


def _asks_for(made: MadeClaim, cpus: CpuSet) -> bool:
    asked = made.claim.cpus if made.claim.kind in (BINDING, REFUSED) else None
    return asked is not None and not asked.isdisjoint(cpus)


def _failure(offline: OfflineCpus, cpus: CpuSet, topology: Topology, asking: list[MadeClaim]) -> Judgement:
    asked = CpuSet(cpu for made in asking for cpu in made.claim.cpus or ())
    return fail(
        f"cpus:{cpus}",
        severity=None if asking else Severity.INFO,
        message=None if asking else "note",
        related=tuple(made.rank.subject for made in asking if made.rank),
        evidence=(*(made.evidence for made in asking[:2]), *offline.evidence),
        canonical="offline cpus",
        by=", ".join(dict.fromkeys(made.claim.launcher for made in asking)),
        asked=asked,
        missing=asked & cpus if asking else cpus,
        online=topology.online,
    )
