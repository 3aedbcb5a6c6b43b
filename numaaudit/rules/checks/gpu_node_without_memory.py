"""# gpu-node-without-memory (NA320)

The NUMA node that a GPU hangs on has CPUs and no memory, so that what is local to the GPU cannot be allocated anywhere.

## What it checks

Each GPU whose NUMA node is known: that this NUMA node has memory. It fails with `medium` where a rank uses the GPU, else it is
a note (`info`). Silent where there is memory, and for a NUMA node without CPUs, whose nearest neighbour serves the GPU;
unknown where the size of its memory was not read.

## Why it matters

All host memory of the rank is on other NUMA nodes, whatever policy it asks for, and `numactl --membind`, and with most
versions of libnuma even `--cpunodebind`, are refused for such a NUMA node. Mostly the slots of one package are empty, or a
memory module was switched off by the firmware after errors.

## Evidence

`/sys/devices/system/node/node*/meminfo` (MemTotal), or `numactl --hardware`; the GPU's `numa_node`.

## How to fix

Look for missing or disabled memory modules: `dmidecode -t memory`, the server's event log. Until there is memory, bind CPUs by
number (`numactl --physcpubind`), and prefer GPUs of the NUMA nodes that have memory.

## How to verify

`numactl --hardware` prints a size above 0 for each NUMA node with a GPU.

## False positives

A board whose memory is attached to one package on purpose, as on some low-end two-socket systems: the ranks are slow all the same.

## References

- https://man7.org/linux/man-pages/man7/numa.7.html
- https://github.com/numactl/numactl/issues/67
- https://docs.kernel.org/admin-guide/mm/numaperf.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.gpus import Gpu
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA320", gate=Gate.PLACEMENT, category="node-memory", severity=Severity.MEDIUM)
MESSAGE = "GPU {gpu} serves {ranks} and hangs on NUMA node {numa_node}, which has CPUs {cpus} and no memory."
MESSAGES = {"unused": "GPU {gpu} hangs on NUMA node {numa_node}, which has CPUs {cpus} and no memory."}
FIX = "Look for missing or disabled memory modules of NUMA node {numa_node}; until then use GPUs of other NUMA nodes."


def check(devices: Devices, topology: Topology, ranks: Ranks) -> Iterator[Judgement]:
    for gpu in devices.gpus:
        yield _judge(gpu, topology, ranks)


def _judge(gpu: Gpu, topology: Topology, ranks: Ranks) -> Judgement:
    subject = f"gpu:{gpu.name}"
    home = None if gpu.numa_node is None else topology.numa_node(gpu.numa_node)
    if home is None or not home.cpus:
        return not_applicable(subject)
    if home.memory_bytes is None:
        return unknown(subject, Gap("absent", f"{NUMA_NODES}/node{home.id}/meminfo", "the size of its memory is not known"))
    if home.memory_bytes:
        return ok(subject, evidence=gpu.evidence, numa_node=home.id, memory_bytes=home.memory_bytes)
    users = [rank for rank in ranks.all if gpu in rank.gpus]
    return fail(
        subject,
        severity=None if users else Severity.INFO,
        message=None if users else "unused",
        related=(f"numa_node:{home.id}", *(rank.subject for rank in users)),
        evidence=(*gpu.evidence, *home.evidence),
        canonical=gpu.canonical,
        gpu=gpu.name,
        ranks=", ".join(rank.title_inside for rank in users),
        numa_node=home.id,
        cpus=home.cpus,
    )
