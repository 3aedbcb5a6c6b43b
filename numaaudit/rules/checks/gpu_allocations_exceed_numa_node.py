"""# gpu-allocations-exceed-numa-node (NA313)

More was allocated on a GPU that shares the memory of its NUMA node than that NUMA node can hold, and spilled to another one.

## What it checks

Each GPU without memory of its own (AMD MI300A): what all processes allocated on it, by KFD, and the anonymous pages of its NUMA
node, against the memory of that NUMA node. It fails where the sum is larger by more than `spilled_mib` (1024) MiB: so much at
least lies on other NUMA nodes, whatever the allocation was asked for. GPUs with memory of their own are not judged.

## Why it matters

Such an allocation does not fail when its NUMA node is full: the kernel takes the rest from the next one, and the allocator
reports success. The GPU then reads that part over the link between packages, at a fraction of its bandwidth, and which part it
is changes from start to start. Memory that other processes hold on the NUMA node is what pushes it out.

## Evidence

`/sys/class/kfd/kfd/proc/PID/vram_GPUID` (bytes), `/sys/devices/system/node/node*/meminfo` (MemTotal, AnonPages),
`/sys/bus/pci/devices/*/{device,numa_node}`. Unknown where the GPU's NUMA node or its meminfo is not known. Where exactly a
GPU's pages lie is shown by no file; the sum is a lower bound.

## How to fix

Free the NUMA node before the job starts: end or move what else is bound there (`numastat -p`), drop the page cache of earlier
jobs (`echo 1 > /proc/sys/vm/drop_caches` as root). Or ask for less on this GPU and use the others.

## How to verify

`numastat -m` before and during the job: only the NUMA node of the GPU loses free memory.

## False positives

None known: the sum is arithmetic. A process that ended between the two readings is counted in one and not in the other.

## References

- https://docs.kernel.org/gpu/amdgpu/index.html
- https://rocm.docs.amd.com/en/latest/conceptual/gpu-arch/mi300.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.units import MIB
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.sections.apus import Apu, Apus
from numaaudit.model.sections.capacity import Capacity, NumaNodeMemory
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA313", gate=Gate.PLACEMENT, category="node-memory", severity=Severity.MEDIUM)
MESSAGE = (
    "NUMA node {numa_node} has {total_mib} MiB, but {allocated_mib} MiB are allocated on GPU {gpu}, which shares them, and "
    "{anon_mib} MiB are anonymous memory of processes: at least {spilled_mib} MiB lie on other NUMA nodes."
)
FIX = "Free NUMA node {numa_node} of other processes' memory before the job starts, or allocate less on GPU {gpu}."


class Thresholds(NamedTuple):
    """What a policy may change."""

    spilled_mib: int = 1024


def check(apus: Apus, capacity: Capacity, limits: Thresholds) -> Iterator[Judgement]:
    used = [apu for apu in apus.all if apu.allocations]
    for apu in used:
        yield _judge(apu, capacity, limits)
    if not used:
        yield not_applicable("host")


def _judge(apu: Apu, capacity: Capacity, limits: Thresholds) -> Judgement:
    number = apu.gpu.numa_node
    memory = capacity.of(number) if number is not None else None
    if number is None or memory is None or memory.anon_bytes is None:
        gap = apu.gpu.gap or Gap("absent", f"{NUMA_NODES}/node{number}/meminfo", "how much memory the GPU shares is not known")
        return unknown(f"gpu:{apu.gpu.name}", gap)
    spilled = apu.allocated_bytes + memory.anon_bytes - memory.total_bytes
    if spilled <= limits.spilled_mib * MIB:
        return ok(f"numa_node:{number}", related=(f"gpu:{apu.gpu.name}",), evidence=memory.evidence, gpu=apu.gpu.name)
    return _failure(apu, memory, memory.anon_bytes, spilled)


def _failure(apu: Apu, memory: NumaNodeMemory, anon_bytes: int, spilled: int) -> Judgement:
    largest = sorted(apu.allocations, key=lambda each: -each.bytes)
    return fail(
        f"numa_node:{memory.numa_node}",
        related=(f"gpu:{apu.gpu.name}", *(f"pid:{each.pid}" for each in largest)),
        evidence=(*(each.evidence for each in largest[:2]), *memory.evidence[:1], *apu.gpu.evidence),
        canonical=f"gpu:{apu.gpu.gpu_uuid or apu.gpu.name}",
        numa_node=memory.numa_node,
        gpu=apu.gpu.name,
        total_mib=memory.total_bytes // MIB,
        allocated_mib=apu.allocated_bytes // MIB,
        anon_mib=anon_bytes // MIB,
        spilled_mib=spilled // MIB,
    )
