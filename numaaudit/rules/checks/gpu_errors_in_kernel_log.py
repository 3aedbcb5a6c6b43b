"""# gpu-errors-in-kernel-log (NA403)

Placement does not explain this: the driver reports errors (Xid) of a GPU in the kernel's log.

## What it checks

Each NVIDIA GPU that a named log has Xid lines of: a note (`info`) with their numbers. It says nothing of a GPU that no line
names, and nothing where no log of the kernel was named.

## Why it matters

A GPU that resets channels, retries its link or maps rows away is slow or stops, on one rank only, and every collective waits for
it. Masks and memory are beside the point until that is settled.

## Evidence

`NVRM: Xid (PCI:...): N` in a log that was named when collecting (`dmesg`, `journalctl -k`). Unknown are the times: lines of an
earlier boot or run look the same.

## How to fix

Look the number up in NVIDIA's list: 13, 31, 43 and 45 mostly come from the application, 48, 63, 64, 74, 79, 94 and 95 from the
hardware. Drain the host for those.

## How to verify

`dmesg | grep Xid` after a reset and a run shows no new line.

## False positives

An Xid of a job that crashed before this one, by its own fault.

## References

- https://docs.nvidia.com/deploy/xid-errors/index.html
"""

from collections.abc import Iterator

from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.kernel_log import KernelLog
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail

RULE = Rule("NA403", gate=Gate.PLACEMENT, category="system-setting", severity=Severity.INFO)
MESSAGE = "Placement does not explain this: the kernel's log has {num_errors} errors of GPU {gpu} (Xid {numbers})."
FIX = "Look up Xid {numbers} of GPU {gpu} in NVIDIA's list before anything else."


def check(logs: tuple[Found[KernelLog], ...], devices: Devices, ranks: Ranks) -> Iterator[Judgement]:
    lines: dict[PciAddress, list[tuple[int, Evidence]]] = {}
    for found in logs:
        for xid in found.record.xids:
            if xid.pci_address:
                lines.setdefault(xid.pci_address, []).append((xid.number, cite_line(found.file, xid.line)))
    for address, errors in sorted(lines.items()):
        gpu = next((gpu for gpu in devices.gpus if gpu.pci_address == address), None)
        yield fail(
            f"gpu:{address}",
            related=tuple(rank.subject for rank in ranks.all if gpu and gpu in rank.gpus),
            evidence=tuple(line for _, line in errors[:3]),
            canonical=f"gpu:{gpu.gpu_uuid or gpu.name}" if gpu else f"gpu:{address}",
            gpu=str(address),
            num_errors=len(errors),
            numbers=", ".join(str(number) for number in sorted({number for number, _ in errors})),
        )
