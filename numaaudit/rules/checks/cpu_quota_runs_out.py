"""# cpu-quota-runs-out (NA605)

Placement does not explain this: a CPU limit stops a process in many of its periods.

## What it checks

For each control group with a CPU limit (`cpu.max`, v1 `cpu.cfs_quota_us`) above a process: the part of its periods in which it
ran out of time (`nr_throttled` of `nr_periods`): in a window (`collect --duration 30s`), else since the group was made. It
fails, as a note (`info`), from `throttled_share` (0.05) on. Silent below; not applicable to a host whose processes have no
limit. It is no fault of placement: it is named so that nobody looks for one.

## Why it matters

When the limit is used up, every thread of the group stops until the next period (100 ms by default), on whatever CPU it is. In
a latency's tail that looks like remote memory, and no mask changes it. More threads use a limit up sooner.

## Evidence

`/sys/fs/cgroup/GROUP/{cpu.max,cpu.stat}` of the process's groups, `cpu.stat` at both ends of a window where there is one. Unknown
where `cpu.stat` was not read, or its counters went backwards in the window.

## How to fix

Raise or remove the limit of pods and containers that are pinned (`resources.limits.cpu`, `--cpus`, `CPUQuota=`), or start no more
compute threads than the limit has CPUs.

## How to verify

`nr_throttled` in `cpu.stat` stands still under load.

## False positives

A group that was throttled while it started, long ago: collect with a window.

## References

- https://docs.kernel.org/scheduler/sched-bwc.html
- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.durations import format_seconds
from numaaudit.model.sections.cpu_limits import CpuLimit, CpuLimits
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.naming import name_of

RULE = Rule("NA605", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO)
MESSAGE = (
    "Placement does not explain this: {group} is limited to {limit} CPUs' worth of time and ran out of it "
    "in {num_throttled} of {num_periods} periods ({percent} %)."
)
MESSAGES = {
    "window": "Placement does not explain this: {group} is limited to {limit} CPUs' worth of time and ran out of it "
    "in {num_throttled} of {num_periods} periods ({percent} %) in {window}."
}
FIX = "Raise the CPU limit of {group}, or start at most {limit} compute threads in it."


class Thresholds(NamedTuple):
    """What a policy may change."""

    throttled_share: float = 0.05


def check(cpu_limits: CpuLimits, processes: Processes, ranks: Ranks, limits: Thresholds) -> Iterator[Judgement]:
    users: dict[CpuLimit, list[str]] = {}
    for process in processes.all:
        for limit in cpu_limits.of_pid.get(process.pid, ()):
            users.setdefault(limit, []).append(name_of(process, ranks).subject)
    for limit, subjects in users.items():
        yield _judge(limit, tuple(subjects), limits)


def _judge(limit: CpuLimit, users: tuple[str, ...], limits: Thresholds) -> Judgement:
    subject, share, stat = f"cgroup:{limit.path}", limit.throttled_share, limit.stat
    if stat is None or stat.nr_periods is None or stat.nr_throttled is None:
        gap = Gap("absent", f"root/sys/fs/cgroup{limit.path}/cpu.stat", "how often the limit ran out is not known")
        return unknown(subject, gap, related=users)
    if share is None or share < limits.throttled_share:
        return ok(subject, related=users, evidence=limit.evidence, limit=limit.cpus)
    return fail(
        subject,
        related=users,
        evidence=limit.evidence,
        group=f"cgroup {limit.path}",
        limit=f"{limit.cpus:g}",
        num_throttled=stat.nr_throttled,
        num_periods=stat.nr_periods,
        percent=round(100 * share),
        **({"message": "window", "window": format_seconds(limit.window_s)} if limit.window_s is not None else {}),
    )
