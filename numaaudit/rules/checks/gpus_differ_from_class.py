"""# gpus-differ-from-class (NA901)

A GPU of the host's hardware class is missing, in another slot, another model or on another NUMA node, or one is there that the
class does not have.

## What it checks

Each slot with a GPU of the class that `--class FILE` names, and each GPU at hand: whether there is one at that PCI address, its
model, its path of bridges, and its NUMA node. Not applicable without a class.

## Why it matters

Masks, plans and baselines of a class are right for its slots only. A card that did not come up, was moved in a repair, or
answers on another NUMA node after a change of the firmware makes every one of them wrong for some rank, and a launcher that
counts ordinals shifts all ranks behind the gap.

## Evidence

`/sys/bus/pci/devices` with `numa_node` and the links that lead there, the driver's own list of GPUs, KFD, `nvidia-smi`. Unknown
where the evidence cannot list PCI functions, or lacks one of these values: the gate then does not pass.

## How to fix

Find the card: `lspci -d 10de:` or `lspci -d 1002:`, the kernel log, and the management controller's inventory. If the change is
meant, create the class anew from a bundle of a host that is as it should be.

## How to verify

`numaaudit check BUNDLE --class FILE` passes its identity gate.

## False positives

Firmware that numbers PCI buses otherwise after a card was added moves addresses of cards that nobody touched. Everything that
names a GPU by address is wrong then all the same; the path of bridges in the class shows that the slot is the old one.

## References

- https://docs.kernel.org/admin-guide/abi-testing.html#abi-file-testing-sysfs-bus-pci
- https://docs.kernel.org/PCI/sysfs-pci.html
"""

from collections.abc import Iterator

from numaaudit.model.hardware_class import HardwareClass
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules import against_class
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity

RULE = Rule("NA901", gate=Gate.IDENTITY, category="identity-drift", severity=Severity.HIGH, decides=True)
MESSAGE, MESSAGES, FIX = against_class.MESSAGE, against_class.MESSAGES, against_class.FIX


def check(expected: HardwareClass | None, hardware: Hardware) -> Iterator[Judgement]:
    yield from against_class.judge(expected, hardware, ("gpus",))
