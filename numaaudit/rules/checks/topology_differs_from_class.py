"""# topology-differs-from-class (NA902)

The host has other CPUs, packages or NUMA nodes than its hardware class, as after a change of NPS, SNC or memory modules.

## What it checks

The CPUs that are present, the number of packages, and of each NUMA node of the class that `--class FILE` names: its CPUs (of those
that are online), its distances, and its memory within 3 %. Not applicable without a class.

## Why it matters

With another NPS or SNC setting of the firmware the same CPU numbers belong to other NUMA nodes, and NUMA node numbers mean other
memory. Every stored mask and every `--membind` then says something that nobody meant.

## Evidence

`/sys/devices/system/cpu/present`, `/sys/devices/system/node`, else what tools print of them. Unknown where these are not in the
evidence: the gate then does not pass.

## How to fix

Set the firmware's NUMA options back (NPS on AMD EPYC, SNC on Intel Xeon), look for a memory module that was not found, and
restart. If the change is meant, create the class anew.

## How to verify

`numaaudit check BUNDLE --class FILE` passes its identity gate.

## False positives

A container or a virtual machine may show a part of the host only; compare it with a class of its own kind.

## References

- https://docs.kernel.org/admin-guide/cputopology.html
- https://docs.kernel.org/admin-guide/abi-stable.html#abi-file-stable-sysfs-devices-node
"""

from collections.abc import Iterator

from numaaudit.model.hardware_class import HardwareClass
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules import against_class
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity

RULE = Rule("NA902", gate=Gate.IDENTITY, category="identity-drift", severity=Severity.HIGH, decides=True)
MESSAGE, MESSAGES, FIX = against_class.MESSAGE, against_class.MESSAGES, against_class.FIX


def check(expected: HardwareClass | None, hardware: Hardware) -> Iterator[Judgement]:
    yield from against_class.judge(expected, hardware, ("cpus", "numa_nodes"))
