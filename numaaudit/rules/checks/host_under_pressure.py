"""# host-under-pressure (NA920)

Tasks of the host wait for memory, CPUs or disks much of the time, wherever they are placed.

## What it checks

The host's pressure stall information: the share of time in which at least one task waited, in a window (`collect --duration
30s`), else over the last minute (`some avg60`), for memory from `memory_percent` (5) %, for CPUs from `cpu_percent` (50) %, for
IO from `io_percent` (50) % on. It fails, as a note (`info`), for each of the three that is above. Silent below.

## Why it matters

A host whose tasks reclaim memory while they want to run, or wait for disks, has long tails wherever they are placed: look there
first, and judge placement after it. Tasks that queue for CPUs may have too few of them on the host, or a mask that squeezes their
threads onto a few while others idle (NA203, NA206, NA210, NA601).

## Evidence

`/proc/pressure/{memory,cpu,io}` (Linux 4.20, `CONFIG_PSI`), of both ends of a window (`total`) where there is one; else one
minute before the collection is what it shows. Unknown where no such file is in the evidence, or its totals went backwards.

## How to fix

Memory: fewer or smaller processes, or no strict binds. CPUs: first whatever names a mask that
is too small, then fewer compute threads (see NA203), no other work on the host. IO:
load weights before the measurement, move logs and data sets.

## How to verify

`cat /proc/pressure/*` under load, or the `some` lines of the workload's own cgroup.

## False positives

A data loader that waits for its disk by design, and a host that is full on purpose, have pressure without harm.

## References

- https://docs.kernel.org/accounting/psi.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.durations import format_seconds
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.sections.window import Window
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.pressure import Pressure
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown

RULE = Rule("NA920", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO)
MESSAGE = "Placement does not explain this: in {when} tasks waited for {shares}."
MESSAGES = {
    "cpu": "In {when} at least one task waited for a CPU {cpu:g} % of the time; a mask that squeezes threads causes that too.",
    "cpu-too": "In {when} at least one task waited for a CPU {cpu:g} % of the time, which a mask that squeezes threads causes too, and "
    "tasks waited for {shares}, which placement does not explain.",
}
FIX = "Relieve the host of what its tasks wait for: {what}."
_REMEDIES = {"memory": "memory", "cpu": "CPUs (look first for a mask that is too small for its threads)", "io": "disks"}
_TITLES = {"memory": "memory", "io": "disks"}


class Thresholds(NamedTuple):
    """What a policy may change."""

    memory_percent: int = 5
    cpu_percent: int = 50
    io_percent: int = 50


class Waiting(NamedTuple):
    """The percentage of time in which some task waited; None where it is not known."""

    percent: float | None
    evidence: tuple[Evidence, ...]


def check(window: Window, pressures: tuple[Found[Pressure], ...], limits: Thresholds) -> Iterator[Judgement]:
    most = {"memory": limits.memory_percent, "cpu": limits.cpu_percent, "io": limits.io_percent}
    waited = _in_window(window) or _in_last_minute(pressures)
    known = {name: waiting for name, waiting in waited.items() if name in most and waiting.percent is not None}
    if not known:
        yield unknown("host", Gap("absent", "root/proc/pressure", "no pressure stall information"))
        return
    high = {name: waiting for name, waiting in known.items() if (waiting.percent or 0.0) >= most[name]}
    evidence = tuple(line for waiting in (high or known).values() for line in waiting.evidence)
    if not high:
        yield ok("host", evidence=evidence)
        return
    yield fail(
        "host",
        evidence=evidence,
        message=None if "cpu" not in high else "cpu" if len(high) == 1 else "cpu-too",
        when=f"a window of {format_seconds(window.seconds)}" if window.stalled and window.seconds else "the last minute",
        what="; ".join(_REMEDIES[name] for name in high),
        cpu=high["cpu"].percent if "cpu" in high else None,
        shares=" and ".join(f"{_TITLES[name]} {waiting.percent:g} % of the time" for name, waiting in high.items() if name in _TITLES),
    )


def _in_window(window: Window) -> dict[str, Waiting]:
    """Empty without a window."""
    return {
        name: Waiting(None if stalled.some is None else round(100 * stalled.some, 2), stalled.evidence)
        for name, stalled in window.stalled.items()
    }


def _in_last_minute(pressures: tuple[Found[Pressure], ...]) -> dict[str, Waiting]:
    return {
        found.file.path.rpartition("/")[2]: Waiting(found.record.some.avg60 if found.record.some else 0.0, (cite(found.file, "some"),))
        for found in pressures
        if not found.reading
    }
