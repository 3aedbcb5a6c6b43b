"""Interrupts: how many, on which CPU, for which device.

``/proc/interrupts`` counts since boot (kernel ``fs/proc/interrupts.c``); ``/proc/irq/N`` has where a vector may go and goes
(Documentation/core-api/irq/irq-affinity.rst); a device's ``msi_irqs`` directory says whose it is.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.counters import difference
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.gpus import address_in
from numaaudit.model.join import Joiner
from numaaudit.model.kernel_cpus import list_at
from numaaudit.model.sections.pci_functions import FOLDER, PciFunctions
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.interrupts import Interrupt as Row
from numaaudit.parse.parsers.interrupts import Interrupts as Table

IRQ = "root/proc/irq"


class Interrupt(NamedTuple):
    """One vector. ``numa_node`` is that of its device; ``/proc/irq/N/node`` is where the descriptor was allocated and is not used.

    ``delta``: interrupts from the first to the last reading, None with one reading, and where the count went backwards. ``managed``
    is None: no file of /proc says it.
    """

    irq: int
    total: int | None
    delta: int | None
    busiest_cpu: int | None
    device: str | None
    pci_address: PciAddress | None
    numa_node: int | None
    affinity: CpuSet | None
    effective_affinity: CpuSet | None
    managed: bool | None
    evidence: tuple[Evidence, ...]


class Interrupts(NamedTuple):
    all: tuple[Interrupt, ...]


def join(tree: Tree, pci: PciFunctions, tables: tuple[Found[Table], ...]) -> Interrupts:
    """The first reading's vectors; the last reading gives the deltas."""
    owners = _owners(tree)
    first = next((found for found in tables if found.reading == 0), None)
    if first is None:
        return Interrupts(())
    later = next((found.record.by_irq() for found in reversed(tables) if found.reading), {})
    lines = {  # all at once: a thousand lines of 2.8 KiB are not to be split a thousand times
        int(match[1]): Evidence(first.file, number, line)
        for number, line in enumerate(first.file.text.splitlines(), first.file.first_line)
        if (match := re.match(r"\s*(\d{1,9}):", line))
    }
    return Interrupts(
        tuple(_interrupt(tree, pci, row, owners.get(row.irq), later.get(row.irq), (lines[row.irq],)) for row in first.record.lines)
    )


def _owners(tree: Tree) -> dict[int, PciAddress]:
    """IRQ number to the PCI function whose ``msi_irqs`` directory lists it."""
    owners = {}
    for path in tree.glob(f"{FOLDER}/*/msi_irqs/[0-9]*"):
        address, name = address_in(path), path.rpartition("/")[2]
        if address and re.fullmatch(r"\d{1,9}", name):
            owners[int(name)] = address
    return owners


def _interrupt(
    tree: Tree, pci: PciFunctions, row: Row, owner: PciAddress | None, later: Row | None, line: tuple[Evidence, ...]
) -> Interrupt:
    address = owner or row.pci_address
    function = pci.by_address.get(address) if address else None
    affinity, effective = (list_at(tree, f"{IRQ}/{row.irq}/{name}") for name in ("smp_affinity_list", "effective_affinity_list"))
    evidence = (*line, *_evidence(tree, f"{IRQ}/{row.irq}/effective_affinity_list"))
    delta = difference(row.total, later.total) if later else None
    return Interrupt(
        row.irq,
        row.total,
        delta,
        row.busiest_cpu,
        row.device,
        address,
        function.numa_node if function else None,
        affinity,
        effective,
        None,
        evidence,
    )


def _evidence(tree: Tree, path: str) -> tuple[Evidence, ...]:
    file = tree.get(path)
    return () if isinstance(file, Gap) else (cite_line(file, 1),)


JOINER = Joiner(join)
