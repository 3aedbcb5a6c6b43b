"""# gpu-numa-node-unknown (NA101)

A host has CPUs on several NUMA nodes, and no source says on which of them a GPU hangs.

## What it checks

Each GPU: its NUMA node from `/sys/bus/pci/devices/*/numa_node`; where that is -1 from the nearest bridge above it that has one,
from `local_cpulist` where it is exactly the CPUs of one NUMA node, from KFD's links, and from `nvidia-smi topo -m`. It fails
where all of them are silent: `medium` where a rank uses the GPU, else `info`, a fact about the board. A list of several NUMA
nodes that a tool prints is an answer, and passes, unless it names every NUMA node of a host with several packages: a GPU hangs on
one of them. On a host with one NUMA node the question does not arise; in a virtual machine that shows one NUMA node it cannot be
answered from inside, so that is unknown: the hypervisor's host may have several.

## Why it matters

A launcher that finds -1 skips the binding, falls back to NUMA node 0, or cuts slices by number, mostly without a word. And
nothing can be said about the ranks of this GPU: their placement stays unknown.

## Evidence

`/sys/bus/pci/devices/*/{numa_node,local_cpulist}` of the GPU and the bridges above it,
`/sys/class/kfd/kfd/topology/nodes/*/io_links`, `nvidia-smi topo -m`. The kernel's -1 means that the firmware gives no proximity
(ACPI `_PXM`) for the slot.

## How to fix

Update the firmware, or ask the vendor for the slot's proximity; some BIOS settings (NPS, SNC, "PXM") hide it. Until then tell
the launcher by hand which CPUs to use: measure host-to-device bandwidth from each NUMA node (`numactl --cpunodebind=N`) and
take the best. Writing the `numa_node` file overrides the kernel, taints it and does not survive a boot.

## How to verify

`cat /sys/bus/pci/devices/*/numa_node` after the update; `numaaudit inspect` shows the NUMA node and its source.

## False positives

A board whose GPUs are equally far from all NUMA nodes has no better answer. A container whose view of sysfs is masked looks the
same: collect on the host.

## References

- https://docs.kernel.org/admin-guide/abi-testing.html#abi-file-testing-sysfs-bus-pci
- https://docs.kernel.org/firmware-guide/acpi/index.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.evidence import Evidence
from numaaudit.model.gpus import Gpu
from numaaudit.model.locality import names_every_node
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA101", gate=Gate.IDENTITY, category="numa-node-unknown", severity=Severity.MEDIUM)
MESSAGE = "GPU {gpu} serves {ranks}, but no source says on which of the NUMA nodes {numa_nodes} it hangs: {reason}."
MESSAGES = {"unused": "No source says on which of the NUMA nodes {numa_nodes} GPU {gpu} hangs: {reason}."}
FIX = "Find the slot of GPU {gpu} in the board's manual and update the firmware; until then give the launcher its CPUs by hand."


def check(devices: Devices, topology: Topology, ranks: Ranks, system: System) -> Iterator[Judgement]:
    if devices.gpus and topology.has_one_cpu_node():
        yield _of_one_node(devices, system)
        return
    for gpu in devices.gpus:
        yield _judge(gpu, topology, ranks)


def _of_one_node(devices: Devices, system: System) -> Judgement:
    if system.view == "host":
        return not_applicable("host")
    hidden = [gpu for gpu in devices.gpus if gpu.numa_node_source == "derived"]
    reason = f"this is a guest or sandbox ({system.view}) that is shown one NUMA node; its hypervisor's host may have several"
    return unknown("host", Gap("absent", "", reason)) if hidden else not_applicable("host")


def _judge(gpu: Gpu, topology: Topology, ranks: Ranks) -> Judgement:
    subject, users = f"gpu:{gpu.name}", [rank for rank in ranks.all if gpu in rank.gpus]
    names_all = names_every_node(gpu, topology)
    if gpu.numa_node is not None or (gpu.numa_nodes and not names_all):
        return ok(subject, evidence=gpu.evidence, gpu_numa_node=gpu.numa_node, source=gpu.numa_node_source)
    if not topology.has_several_cpu_nodes():
        return unknown(subject, gpu.gap, *topology.gaps[:1])
    return fail(
        subject,
        severity=None if users else Severity.INFO,
        message=None if users else "unused",
        related=tuple(rank.subject for rank in users),
        evidence=gpu.evidence + _cpus_of_nodes(topology),
        canonical=gpu.canonical,
        commands=(("nvidia-smi", "topo", "-m"), ("dmidecode", "-t", "slot")),
        gpu=gpu.name,
        ranks=", ".join(rank.title_inside for rank in users),
        numa_nodes=topology.cpu_nodes,
        reason=f"the list {gpu.numa_nodes} that is printed for it names all of them" if names_all else _reason(gpu),
    )


def _reason(gpu: Gpu) -> str:
    return gpu.gap.reason if gpu.gap else "none was read"


def _cpus_of_nodes(topology: Topology) -> tuple[Evidence, ...]:
    """That there is more than one: the lists of the first two."""
    return tuple(line for numa_node in topology.numa_nodes if numa_node.cpus for line in numa_node.evidence)[:2]
