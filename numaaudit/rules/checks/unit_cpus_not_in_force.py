"""# unit-cpus-not-in-force (NA640)

A systemd unit allows its processes some CPUs only, and they have others.

## What it checks

Each unit with `AllowedCPUs=` and processes whose masks are known: their CPUs (mask, cut by the cpuset and by what is online)
against the unit's. It fails where a process of the unit may run on others: `medium` where one of them is a rank, else `low`.
`CPUAffinity=` is not judged: it is where a program starts, and the program may choose again. Silent about units that set nothing.

## Why it matters

Whoever wrote the unit, and whoever placed other work beside it, counts on these CPUs. The setting lives in the cpuset of the unit's
control group: it has no effect on a host with cgroup v1, where the cpuset controller is not enabled above the unit, or while
`systemctl daemon-reload` has read a drop-in that the running service was not started with.

## Evidence

`systemctl show` of the units (AllowedCPUs, ControlGroup), `/proc/PID/cgroup`, `/proc/PID/status`. Unknown where no mask of a process
of the unit is known.

## How to fix

`systemctl set-property UNIT AllowedCPUs=...` writes the cpuset at once. If it stays as it is, `cat
/sys/fs/cgroup/cgroup.controllers` has to name `cpuset`; on cgroup v1 use `CPUAffinity=`, and `NUMAPolicy=` for memory.

## How to verify

`systemctl show --property=AllowedCPUs,EffectiveCPUs UNIT` prints two equal lists, and `Cpus_allowed_list` of its processes lies within.

## False positives

None known: `AllowedCPUs=` is a limit, not a wish.

## References

- https://www.freedesktop.org/software/systemd/man/latest/systemd.resource-control.html
- https://www.freedesktop.org/software/systemd/man/latest/systemctl.html
- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.model.evidence import cite
from numaaudit.model.sections.cgroups import Cgroups, ancestors
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.systemctl_show import SystemctlShow
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.naming import name_of

RULE = Rule("NA640", gate=Gate.PLACEMENT, category="cpuset-clip", severity=Severity.MEDIUM)
MESSAGE = (
    "Unit {unit} allows CPUs {allowed} only, but {who_inside} (pid {pid}; {num_outside} such processes in all) may run on CPUs {cpus}: "
    "the setting is not in force."
)
FIX = "Set AllowedCPUs= of {unit} anew, and find out why its control group has no such cpuset."


def check(units: tuple[Found[SystemctlShow], ...], processes: Processes, ranks: Ranks, cgroups: Cgroups) -> Iterator[Judgement]:
    for found in units:
        inside = [each for each in processes.all if found.record.control_group in ancestors(cgroups.unit_path_of_pid.get(each.pid, ""))]
        if found.record.allowed_cpus and inside:
            yield _judge(found, found.record.allowed_cpus, inside, ranks)


def _judge(found: Found[SystemctlShow], allowed: CpuSet, inside: list[Process], ranks: Ranks) -> Judgement:
    subject, evidence = f"cgroup:{found.record.control_group}", (cite(found.file, "AllowedCPUs="),)
    known = [process for process in inside if process.effective_cpus]
    if not known:
        gap = Gap("absent", inside[0].status.file.path, "no Cpus_allowed_list of a process of the unit is known")
        return unknown(subject, gap)
    outside = [name_of(process, ranks) for process in known if not (process.effective_cpus or CpuSet()) <= allowed]
    if not outside:
        return ok(subject, evidence=evidence, allowed=allowed)
    first = next((named for named in outside if named.rank), outside[0])
    return fail(
        subject,
        severity=None if first.rank else Severity.LOW,
        related=tuple(named.subject for named in outside),
        evidence=(*evidence, *first.process.evidence),
        unit=found.record.name,
        allowed=allowed,
        num_outside=len(outside),
        cpus=first.process.effective_cpus,
        **{name: value for name, value in first.details.items() if name != "canonical"},
    )
