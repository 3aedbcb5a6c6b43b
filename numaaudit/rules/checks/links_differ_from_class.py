"""# links-differ-from-class (NA903)

A link of the host is narrower or slower than its hardware class has it, or a NIC or NVMe controller is missing.

## What it checks

Of each GPU of the class that `--class FILE` names: the trained width of its PCIe link, the speed it is able to, the NIC that
shares a PCIe switch with it, and the kind of its links to other GPUs. Of each NIC and NVMe controller: whether it is there, its
NUMA node, the width and the speed of its link. Not applicable without a class; what the host has beyond the class (virtual
functions, more disks) is not judged.

## Why it matters

A link that trained at x8 in place of x16, or an NVLink pair that fell back to PCIe, halves a rank's bandwidth and looks just like
remote memory. No mask can make up for it, and a comparison with another host of the class compares hardware.

## Evidence

`current_link_width`, `current_link_speed` and `max_link_speed` below `/sys/bus/pci/devices`, and the matrix of
`nvidia-smi topo -m`. Unknown where one of these is not in the evidence: the gate then does not pass.

## How to fix

Reseat the card or the riser, look for corrected errors in the kernel log (`dmesg | grep -i aer`), and compare with
`nvidia-smi --query-gpu=pcie.link.width.current,pcie.link.width.max --format=csv`.

## How to verify

`numaaudit check BUNDLE --class FILE` passes its identity gate.

## False positives

Devices slow their links down while they are idle, which is why of GPUs the speed they are able to is compared. A NIC that does
this too shows a lower speed in an idle bundle.

## References

- https://docs.kernel.org/admin-guide/abi-testing.html#abi-file-testing-sysfs-bus-pci
- https://docs.nvidia.com/deploy/nvidia-smi/index.html
"""

from collections.abc import Iterator

from numaaudit.model.hardware_class import HardwareClass
from numaaudit.model.sections.hardware import Hardware
from numaaudit.rules import against_class
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity

RULE = Rule("NA903", gate=Gate.IDENTITY, category="identity-drift", severity=Severity.MEDIUM, decides=True)
MESSAGE, MESSAGES, FIX = against_class.MESSAGE, against_class.MESSAGES, against_class.FIX


def check(expected: HardwareClass | None, hardware: Hardware) -> Iterator[Judgement]:
    for judgement in against_class.judge(expected, hardware, ("gpu_links", "nics", "nvmes")):
        is_told_by_gpus = judgement.subject.startswith("gpu:") and judgement.message == "missing"
        if judgement.message != "extra" and not is_told_by_gpus:
            yield judgement
