"""# pcie-link-narrower-than-possible (NA402)

Placement does not explain this: a GPU's PCI Express link runs with fewer lanes than it and its slot have.

## What it checks

Each GPU whose link is in the evidence: its current width against what it could have, the least of its own maximum and those of
the ports above it. It fails, as a note (`info`, at most `likely`), where the current width is smaller. The speed of an idle GPU
goes down, so speed is not judged. Not applicable to a GPU without a PCI Express link of its own in sysfs.

## Why it matters

Half the lanes are half the bandwidth between host and GPU, for every copy, local or not: more than a wrong NUMA node costs. A
card that is badly seated, a damaged riser or a bifurcated slot looks like this.

## Evidence

`/sys/bus/pci/devices/*/{current_link_width,max_link_width}` of the GPU and the bridges above it. Unknown where the GPU's current
or maximum width was not read.

## How to fix

Compare with the same slot of a sister host; reseat card and riser; look for errors (`dmesg | grep -i aer`, `lspci -vv` as root:
`LnkSta`); ask the board's manual how many lanes the slot has.

## How to verify

`nvidia-smi --query-gpu=pcie.link.width.current,pcie.link.width.max --format=csv` prints two equal numbers.

## False positives

A slot that is wired with fewer lanes than its port reports. A GPU that gives up lanes while it is idle, as nvidia-smi's manual
says that some may: look again under load.

## References

- https://docs.kernel.org/admin-guide/abi-testing.html#abi-file-testing-sysfs-bus-pci
- https://docs.nvidia.com/deploy/nvidia-smi/index.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.gpus import Gpu
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import FOLDER, PciFunction, PciFunctions
from numaaudit.model.sections.ranks import Ranks
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA402", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO)
MESSAGE = "Placement does not explain this: the PCI Express link of GPU {gpu} has {width} lanes, but {max_width} are possible."
FIX = "Reseat GPU {gpu} and its riser, and compare with the same slot of a sister host."


def check(devices: Devices, pci: PciFunctions, ranks: Ranks) -> Iterator[Judgement]:
    for gpu in devices.gpus:
        function = pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
        users = tuple(rank.subject for rank in ranks.all if gpu in rank.gpus)
        yield _judge(gpu, function, pci, users) if function else not_applicable(f"gpu:{gpu.name}")


def _judge(gpu: Gpu, function: PciFunction, pci: PciFunctions, users: tuple[str, ...]) -> Judgement:
    subject, link = f"gpu:{gpu.name}", function.link
    if link.width is None and link.max_width is None:
        return not_applicable(subject)
    if link.width is None or link.max_width is None:
        return unknown(subject, Gap("absent", f"{FOLDER}/{function.address}/current_link_width", "not all of its link is known"))
    possible = min([link.max_width, *(width for width in _widths_above(function, pci))])
    if link.width >= possible:
        return ok(subject, related=users, evidence=function.width_evidence, width=link.width, max_width=possible)
    return fail(
        subject,
        confidence=Confidence.LIKELY,
        related=users,
        evidence=function.width_evidence,
        canonical=gpu.canonical,
        commands=(("lspci", "-vv", "-s", str(function.address)),),
        gpu=gpu.name,
        width=link.width,
        max_width=possible,
    )


def _widths_above(function: PciFunction, pci: PciFunctions) -> Iterator[int]:
    """The most lanes of each port above it."""
    for address in function.upstream:
        bridge = pci.by_address.get(address)
        if bridge and bridge.link.max_width is not None:
            yield bridge.link.max_width
