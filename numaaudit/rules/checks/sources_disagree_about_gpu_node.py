"""# sources-disagree-about-gpu-node (NA801)

Two sources put one GPU on different NUMA nodes.

## What it checks

Each GPU whose NUMA node several sources name: sysfs, the bridges above it, KFD, `nvidia-smi topo -m`. The most trusted one
is used everywhere (in that order), and this rule names the others. `medium`; `low` where both NUMA nodes lie in one package;
`info` where no other source says so and it is only derived, from the bridges above the GPU or by an Ascend driver's rule of
thumb. Not applicable where one NUMA node has all CPUs.

## Why it matters

Every verdict about the ranks of this GPU rests on that one number. Tools that read the other source bind to the other NUMA
node, so that one and the same host gives two masks. A `numa_node` that root has overwritten, a firmware table with wrong
proximities, or a topology file made for another board look like this.

## Evidence

`/sys/bus/pci/devices/*/numa_node`, KFD's `io_links`, the `NUMA Affinity` and `CPU Affinity` columns of `nvidia-smi topo -m`.
A table that was made inside a container or under a CPU mask may show only part. One source alone has nobody to disagree with, and
passes; unknown where none names a NUMA node (see NA101).

## How to fix

Find which one is wrong: `dmesg | grep -i "numa node"` names overrides ("Overriding NUMA node"), the board's manual names the
slot's package, and host-to-device bandwidth from each NUMA node (`numactl --cpunodebind=N`) decides. Then correct the firmware
or remove the override.

## How to verify

The sources agree in a new bundle: `numaaudit inspect --format json` has no such entry in `conflicts`.

## False positives

On coherent platforms (Grace) the PCI function may name another place than the memory path; both can be right.

## References

- https://docs.kernel.org/admin-guide/abi-testing.html#abi-file-testing-sysfs-bus-pci
- https://docs.nvidia.com/deploy/nvidia-smi/index.html
"""

from collections.abc import Iterator

from numaaudit.core.cpuset import NodeSet
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA801", gate=Gate.IDENTITY, category="numa-node-unknown", severity=Severity.MEDIUM)
MESSAGE = "GPU {gpu} hangs on NUMA node {used} after {used_source}, but {other_source} says NUMA node {other}."
FIX = "Find out which source is wrong about GPU {gpu}, the slot's firmware entry or the tool, before you bind by either."


def check(devices: Devices, topology: Topology, ranks: Ranks) -> Iterator[Judgement]:
    conflicts = {conflict.subject: conflict for conflict in devices.conflicts if conflict.field == "numa_node"}
    for gpu in devices.gpus:
        subject = f"gpu:{gpu.name}"
        conflict = conflicts.get(subject)
        if conflict and not topology.has_one_cpu_node():
            users = tuple(rank.subject for rank in ranks.all if gpu in rank.gpus)
            yield _failure(conflict, topology, users, gpu.evidence)
        elif topology.has_one_cpu_node():
            yield not_applicable(subject)
        elif gpu.numa_node is None:
            yield unknown(subject, gpu.gap)
        else:
            yield ok(subject, evidence=gpu.evidence, gpu_numa_node=gpu.numa_node, source=gpu.numa_node_source)


def _failure(conflict: Conflict, topology: Topology, users: tuple[str, ...], evidence: tuple[object, ...]) -> Judgement:
    used, used_source = conflict.values[0]
    other, other_source = next(pair for pair in conflict.values if pair[0] != used)
    return fail(
        conflict.subject,
        severity=_severity(used, other, other_source, topology),
        related=(*users, f"numa_node:{used}", f"numa_node:{other}"),
        evidence=evidence,
        commands=(("nvidia-smi", "topo", "-m"),),
        gpu=conflict.subject.partition(":")[2],
        used=used,
        used_source=used_source,
        other=other,
        other_source=other_source,
    )


def _severity(used: int, other: int, other_source: str, topology: Topology) -> Severity | None:
    """What is derived is nobody's statement."""
    if other_source == "derived":
        return Severity.INFO
    near = topology.same_package(topology.cpus_of(NodeSet([used])), topology.cpus_of(NodeSet([other])))
    return Severity.LOW if near else None
