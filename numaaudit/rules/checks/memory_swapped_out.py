"""# memory-swapped-out (NA305)

Placement does not explain this: part of a process's memory is in swap.

## What it checks

Each process's `VmSwap`. From `swapped_mib` (64) MiB on it is a note (`info`). Silent below.

## Why it matters

A page in swap is read back from a disk when it is touched: a thousand times what a remote NUMA node costs. A strict bind to a
NUMA node that is full swaps while others have room.

## Evidence

`/proc/PID/status` (VmSwap). Unknown where the line is not in the evidence.

## How to fix

Find out who needs the memory (`numastat -m`, `smem`); give the workload less or the host more; keep it out of swap with
`memory.swap.max=0` of its cgroup or `swapoff -a`. Where it is bound strictly, see strict-bind-without-room (NA304).

## How to verify

`grep VmSwap /proc/PID/status` is 0 kB after a restart and stays so.

## False positives

Memory that was used at start-up only and never again.

## References

- https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
- https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.units import MIB
from numaaudit.model.evidence import cite
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA305", gate=Gate.PLACEMENT, category="node-memory", severity=Severity.INFO, caused_by=("NA304",))
MESSAGE = "Placement does not explain this: {who} (pid {pid}) has {swapped_mib} MiB of its memory in swap."
FIX = "Find out who uses the host's memory, and keep {who_inside} out of swap."


class Thresholds(NamedTuple):
    """What a policy may change."""

    swapped_mib: int = 64


def check(processes: Processes, ranks: Ranks, limits: Thresholds) -> Iterator[Judgement]:
    for process in processes.all:
        yield _judge(process, name_of(process, ranks), limits)


def _judge(process: Process, named: Naming, limits: Thresholds) -> Judgement:
    swapped, file = process.status.record.swap_bytes, process.status.file
    if swapped is None:
        return unknown(named.subject, Gap("absent", file.path, "no VmSwap in it"), related=named.related)
    evidence = (cite(file, "VmSwap"),)
    if swapped < limits.swapped_mib * MIB:
        return ok(named.subject, related=named.related, evidence=evidence, swapped_mib=swapped >> 20)
    return fail(named.subject, related=named.related, evidence=evidence, swapped_mib=swapped >> 20, **named.details)
