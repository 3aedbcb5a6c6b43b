"""# settings-differ-from-class (NA904)

A kernel setting that moves work or memory between NUMA nodes is not what the host's hardware class has.

## What it checks

Of the class that `--class FILE` names: the CPUs that are online and those that are isolated, threads for each core, automatic NUMA
balancing, zone reclaim, transparent huge pages, the pools of huge pages of each NUMA node, and whether NVIDIA's driver makes the
memory of coherent GPUs a NUMA node. Not applicable without a class.

## Why it matters

These settings decide where the same start of the same job ends up. Two hosts of a class that differ in one of them place memory
differently without any mask being wrong.

## Evidence

`/proc/sys/kernel/numa_balancing`, `/proc/sys/vm/zone_reclaim_mode`, `/sys/kernel/mm/transparent_hugepage/enabled`,
`/sys/devices/system/cpu`, `/sys/devices/system/node/node*/hugepages`, `/proc/driver/nvidia/params` (CoherentGPUMemoryMode).
Unknown where one of these is not in the evidence.

## How to fix

Set it as the class has it with `sysctl`, the kernel's command line or the tuning profile of the host, and start the job anew.

## How to verify

`numaaudit check BUNDLE --class FILE` names no setting any more.

## False positives

A setting that was changed on purpose, for this host only.

## References

- https://docs.kernel.org/admin-guide/sysctl/kernel.html#numa-balancing
- https://docs.kernel.org/admin-guide/sysctl/vm.html#zone-reclaim-mode
"""

from collections.abc import Iterator

from numaaudit.model.hardware_class import HardwareClass
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules import against_class
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity

RULE = Rule("NA904", gate=Gate.IDENTITY, category="system-setting", severity=Severity.LOW)
MESSAGE, MESSAGES, FIX = against_class.MESSAGE, against_class.MESSAGES, against_class.FIX


def check(expected: HardwareClass | None, hardware: Hardware) -> Iterator[Judgement]:
    yield from against_class.judge(expected, hardware, ("settings",))
