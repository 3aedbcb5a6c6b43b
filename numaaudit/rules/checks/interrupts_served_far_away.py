"""# interrupts-served-far-away (NA502)

Interrupts of a busy NIC are served by CPUs of another NUMA node than the NIC's.

## What it checks

Each interrupt of a network function whose NUMA node is known, where it is delivered (`effective_affinity_list`, else the one
CPU that has nearly all of its count) and how often. It fails where all these CPUs are on other NUMA nodes and it is busy: at
least `busy_delta` (1000) interrupts a second in a window (`collect --duration 30s`), as many between two readings, or, with one
reading, at least `busy_total` (1000000) since boot and `busy_share` (0.2) of the busiest interrupt of the host's NICs. `low`;
`info` within one package, where other busy interrupts of the same NIC are served locally (queues that are spread over all
CPUs), and where the vector has no file in `/proc/irq`.

Other devices are not judged: the kernel spreads the queues of NVMe and of other drivers with managed vectors over all CPUs by
design, and GPUs interrupt seldom. Not applicable to a NIC whose interrupts are idle, or where one NUMA node has all CPUs.

## Why it matters

The handler and the softirq that follow touch the packet's descriptors and buffers, which lie near the NIC: from the other
package each is a miss across the link. One CPU that serves several busy queues is a bottleneck besides.

## Evidence

`/proc/interrupts` (of both ends of a window, for rates; totals since boot say little of now),
`/proc/irq/N/{smp_affinity_list,effective_affinity_list}`, the device's `msi_irqs` and `numa_node`. `/proc/irq/N/node` is where
the descriptor was allocated, and says nothing of the device. Unknown where a busy vector's delivery, or the NIC's NUMA node, is
not known.

## How to fix

`echo CPUS > /proc/irq/N/smp_affinity_list` as root, with CPUs of the NIC's NUMA node, or the driver's script
(`set_irq_affinity`); keep irqbalance from moving them back (`IRQBALANCE_BANNED_CPULIST`, `--banirq`, or its policy script).
Leave out the cores that ranks are pinned to.

## How to verify

`cat /proc/irq/N/effective_affinity_list`, and the column of `/proc/interrupts` that counts.

## False positives

Interrupts that were moved to the NUMA node of the process on purpose, because it is not the NIC's.

## References

- https://docs.kernel.org/core-api/irq/irq-affinity.html
- https://docs.kernel.org/networking/scaling.html
- https://man7.org/linux/man-pages/man5/proc_interrupts.5.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.durations import format_seconds
from numaaudit.model.evidence import Evidence
from numaaudit.model.nics import Nic
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.interrupts import IRQ, Interrupt, Interrupts
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.topology import Topology
from numaaudit.model.sections.window import Window
from numaaudit.rules.finding import Confidence, Gate, Judgement, Outcome, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA502", gate=Gate.PLACEMENT, category="irq-remote", severity=Severity.LOW)
MESSAGE = (
    "Interrupt {irq} ({device}) of {nic} is served by CPUs {cpus} of NUMA node {numa_nodes}, {count} times {since}, "
    "but the NIC hangs on NUMA node {nic_numa_node}."
)
FIX = "Let CPUs {local_cpus} serve the interrupts of {nic}, and let irqbalance leave them there."


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_delta: int = 1000
    busy_total: int = 1_000_000
    busy_share: float = 0.2


class Load(NamedTuple):
    """How often an interrupt came; ``seconds`` counts for one between two readings, and is None since boot."""

    times: int
    since: str
    seconds: float | None


def check(
    interrupts: Interrupts, devices: Devices, topology: Topology, pci: PciFunctions, window: Window, limits: Thresholds
) -> Iterator[Judgement]:
    nics = {nic.pci_address: nic for nic in devices.nics if nic.pci_address}
    own = [(interrupt, nics[interrupt.pci_address]) for interrupt in interrupts.all if interrupt.pci_address in nics]
    most = max((interrupt.total or 0 for interrupt, _ in own), default=0)
    busy = {interrupt.irq for interrupt, _ in own if _is_busy(_load(interrupt, window), most, limits)}
    near = {nic.pci_address for interrupt, nic in own if interrupt.irq in busy and _is_local(interrupt, nic, topology)}
    for interrupt, nic in own:
        judgement = _judge(interrupt, nic, topology, pci, window) if interrupt.irq in busy else not_applicable(f"irq:{interrupt.irq}")
        is_spread = judgement.outcome is Outcome.FAIL and nic.pci_address in near
        yield judgement._replace(severity=Severity.INFO) if is_spread else judgement


def _judge(interrupt: Interrupt, nic: Nic, topology: Topology, pci: PciFunctions, window: Window) -> Judgement:
    subject = f"irq:{interrupt.irq}"
    if topology.has_one_cpu_node():
        return not_applicable(subject)
    numa_node = topology.numa_node(nic.numa_node) if nic.numa_node is not None else None
    if numa_node is None or not numa_node.cpus:
        return unknown(subject, Gap("absent", f"root/sys/bus/pci/devices/{nic.pci_address}/numa_node", "the NIC's NUMA node is not known"))
    cpus = _served_by(interrupt)
    if cpus is None:
        gap = Gap("absent", f"{IRQ}/{interrupt.irq}/effective_affinity_list", "where it is delivered is not known")
        return unknown(subject, gap, related=(f"nic:{nic.name}",))
    if not cpus.isdisjoint(numa_node.cpus):
        return ok(subject, related=(f"nic:{nic.name}",), evidence=interrupt.evidence, cpus=cpus)
    function = pci.by_address.get(nic.pci_address) if nic.pci_address else None
    evidence = (*interrupt.evidence, *(function.evidence if function else ()), *window.irq_evidence(interrupt.irq))
    return _failure(interrupt, nic, cpus, numa_node.cpus, topology, _load(interrupt, window), evidence)


def _load(interrupt: Interrupt, window: Window) -> Load:
    grown = window.interrupts.get(interrupt.irq)
    if grown and grown.total is not None and window.seconds:
        return Load(grown.total, f"in {format_seconds(window.seconds)}", window.seconds)
    if grown is None and interrupt.delta is not None:
        return Load(interrupt.delta, "between two readings", 1.0)
    return Load(interrupt.total or 0, "since boot", None)


def _is_busy(load: Load, most: int, limits: Thresholds) -> bool:
    if load.seconds is not None:
        return load.times >= limits.busy_delta * load.seconds
    return load.times >= max(limits.busy_total, limits.busy_share * most)


def _is_local(interrupt: Interrupt, nic: Nic, topology: Topology) -> bool:
    numa_node, cpus = topology.numa_node(nic.numa_node) if nic.numa_node is not None else None, _served_by(interrupt)
    return bool(numa_node and numa_node.cpus and cpus and not cpus.isdisjoint(numa_node.cpus))


def _served_by(interrupt: Interrupt) -> CpuSet | None:
    """Where it is delivered; the CPU that counted most where only the counts tell."""
    if interrupt.effective_affinity:
        return interrupt.effective_affinity
    return CpuSet([interrupt.busiest_cpu]) if interrupt.busiest_cpu is not None else None


def _failure(
    interrupt: Interrupt, nic: Nic, cpus: CpuSet, local: CpuSet, topology: Topology, load: Load, evidence: tuple[Evidence, ...]
) -> Judgement:
    cannot_move = interrupt.affinity is None
    return fail(
        f"irq:{interrupt.irq}",
        severity=Severity.INFO if cannot_move or topology.same_package(cpus, local) else None,
        confidence=Confidence.LIKELY if load.seconds is None else Confidence.CERTAIN,
        related=(f"nic:{nic.name}", f"cpus:{cpus}"),
        evidence=evidence,
        canonical=f"nic:{nic.pci_address} {interrupt.device}",
        irq=interrupt.irq,
        device=interrupt.device,
        nic=nic.name,
        cpus=cpus,
        numa_nodes=topology.numa_nodes_of(cpus),
        count=load.times,
        since=load.since,
        nic_numa_node=nic.numa_node,
        local_cpus=local,
    )
