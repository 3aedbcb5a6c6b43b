"""# gpu-errors-in-kernel-log (NA403)

Placement does not explain this: the kernel's log has errors of a GPU (Xid), or of the PCI Express link it hangs on (AER).

## What it checks

Each NVIDIA GPU that the kernel's log has Xid lines of, and each GPU that it has PCI Express errors of, or of a port above it: a
note (`info`) with their numbers. It says nothing of a GPU that no line names, and nothing where there is no log of the kernel.

## Why it matters

A GPU that resets channels, retries its link or maps rows away is slow or stops, on one rank only, and every collective waits for
it. A link whose errors are corrected sends again what was lost, and is slow for as long. Masks and memory are beside the point until
that is settled.

## Evidence

`NVRM: Xid (PCI:...): N` and `PCIe Bus Error: severity=...` in `dmesg`, or in a log that was named when collecting (`journalctl -k`).
Where the kernel lets only root read its log (`kernel.dmesg_restrict`), that is a gap. Unknown are the times: lines of an earlier run
look the same.

## How to fix

Look the number up in NVIDIA's list: 13, 31, 43 and 45 mostly come from the application, 48, 63, 64, 74, 79, 94 and 95 from the
hardware. Drain the host for those. For errors of the link reseat card and riser, and compare with a sister host's slot.

## How to verify

`dmesg | grep -e Xid -e 'PCIe Bus Error'` after a reset and a run shows no new line.

## False positives

An Xid of a job that crashed before this one, by its own fault.

## References

- https://docs.nvidia.com/deploy/xid-errors/index.html
- https://docs.kernel.org/PCI/pcieaer-howto.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.gpus import Gpu
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.kernel_log import KernelLog
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail

RULE = Rule("NA403", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO)
MESSAGE = "Placement does not explain this: the kernel's log has {num_errors} errors of GPU {gpu} ({kinds})."
FIX = "Look up {kinds} of GPU {gpu} before anything else."


class _Error(NamedTuple):
    kind: str  # "Xid 79", "PCI Express, corrected"
    line: Evidence


def check(logs: tuple[Found[KernelLog], ...], devices: Devices, pci: PciFunctions, ranks: Ranks) -> Iterator[Judgement]:
    errors: dict[PciAddress, list[_Error]] = {}
    for found in logs:
        for xid in found.record.xids:
            if xid.pci_address:
                errors.setdefault(xid.pci_address, []).append(_Error(f"Xid {xid.number}", cite_line(found.file, xid.line)))
        for error in found.record.bus_errors:
            kind = f"PCI Express, {'corrected' if error.is_corrected else 'not corrected'}"
            for address in _gpus_at(error.pci_address, devices, pci):
                errors.setdefault(address, []).append(_Error(kind, cite_line(found.file, error.line)))
    for address, own in sorted(errors.items()):
        gpu = next((gpu for gpu in devices.gpus if gpu.pci_address == address), None)
        yield _failure(address, own, gpu, ranks)


def _gpus_at(place: PciAddress | None, devices: Devices, pci: PciFunctions) -> list[PciAddress]:
    """The GPUs that are this PCI function, or hang below it."""
    addresses = [gpu.pci_address for gpu in devices.gpus if gpu.pci_address and place]
    return [each for each in addresses if place == each or (each in pci.by_address and place in pci.by_address[each].upstream)]


def _failure(address: PciAddress, errors: list[_Error], gpu: Gpu | None, ranks: Ranks) -> Judgement:
    kinds = sorted({error.kind for error in errors}, key=lambda kind: (len(kind), kind))
    return fail(
        f"gpu:{address}",
        related=tuple(rank.subject for rank in ranks.all if gpu and gpu in rank.gpus),
        evidence=tuple(error.line for error in errors[:3]),
        canonical=gpu.canonical if gpu else f"gpu:{address}",
        gpu=str(address),
        num_errors=len(errors),
        kinds=", ".join(kinds),
    )
