"""# rank-cpus-off-gpu-node (NA201)

None of the CPUs that a rank may run on belongs to the NUMA node that its GPU hangs on.

## What it checks

For each rank with a GPU whose NUMA node is known: the CPUs its main thread may use (thread mask, cut by the cpuset and by
what is online) against the CPUs of that NUMA node. It fails when the two sets have no CPU in common. Where the rank's CPUs
and the GPU's NUMA node lie in one package (sub-NUMA clustering, NPS), the failure is `low`: that memory is near, not remote.
A GPU's node without CPUs is judged by the nearest NUMA node that has some. Not applicable on a host with one NUMA node.

## Why it matters

Kernel launches, copies and the polling of completions then cross the link between packages for every operation. How much that
costs depends on the work: measure it (`numaaudit compare`) before and after.

## Evidence

`/proc/PID/status` (Cpus_allowed_list), the cgroup's effective cpuset, `/sys/bus/pci/devices/*/numa_node`,
`/sys/devices/system/node/node*/cpulist`, and what ties the rank to its GPU (driver's process table, one open device, or the
environment). Unknown when the rank's GPU, that GPU's NUMA node, or the mask is not known.

## How to fix

Start the rank with a mask on the GPU's NUMA node: `numactl --cpunodebind=N --membind=N`, the launcher's own NUMA option, or
`cpuset.cpus` of its cgroup. Memory that was touched before stays where it is, so restart the rank.

## How to verify

`grep Cpus_allowed_list /proc/PID/task/*/status` lists only CPUs of the GPU's NUMA node; `numaaudit check` on a new bundle is
silent for the rank.

## False positives

A rank that does all its host work in other processes (a data server, say) may sit elsewhere on purpose. One that was bound to
the NIC's NUMA node on purpose is named as well: both cannot be local, and the GPU is what this rule is about.

## References

- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html
- https://docs.kernel.org/admin-guide/cgroup-v2.html#cpuset
"""

from collections.abc import Iterator

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.model.gpus import Gpu
from numaaudit.model.kernel_numa import NumaNode
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA201", gate=Gate.PLACEMENT, category="rank-core-mismatch", severity=Severity.HIGH, decides=True)
MESSAGE = "{who} (pid {pid}) may run on CPUs {cpus} of NUMA node {numa_nodes}, but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
FIX = "Bind {who_inside} to CPUs {local_cpus} before it starts, and restart it."


def check(ranks: Ranks, topology: Topology) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield _judge(rank, topology)


def _judge(rank: Rank, topology: Topology) -> Judgement:
    if len(topology.numa_nodes) == 1:
        return not_applicable(rank.subject)
    if rank.gap:
        return unknown(rank.subject, rank.gap, related=rank.related)
    homes = [_home(gpu, topology) for gpu in rank.gpus]
    cpus = rank.process.effective_cpus
    if cpus is None or not all(homes):
        return unknown(rank.subject, *(gpu.gap for gpu in rank.gpus), related=rank.related)
    known = [home for home in homes if home and home.cpus]
    local = topology.cpus_of(NodeSet(home.id for home in known))
    evidence = rank.process.evidence + rank.gpus[0].evidence + known[0].evidence
    if not cpus.isdisjoint(local):
        return ok(rank.subject, related=rank.related, evidence=evidence, cpus=cpus, gpu=rank.gpus[0].name, gpu_numa_node=known[0].id)
    near = topology.same_package(cpus, local)
    return fail(
        rank.subject, severity=Severity.LOW if near else None, related=(*rank.related, f"numa_node:{known[0].id}"), evidence=evidence,
        who=rank.title, who_inside=rank.title_inside, rank=rank.number, pid=rank.process.pid, cpus=cpus, numa_nodes=topology.numa_nodes_of(cpus),
        gpu=rank.gpus[0].name, gpu_numa_node=known[0].id, local_cpus=local, canonical=rank.canonical,
        commands=(_command(rank, known[0], local),),
    )  # fmt: skip


def _home(gpu: Gpu, topology: Topology) -> NumaNode | None:
    """The NUMA node whose CPUs serve the GPU: its own, or the nearest with CPUs where its own has none."""
    if gpu.numa_node is None:
        return None
    own = topology.numa_node(gpu.numa_node)
    return own if own is None or own.cpus else topology.nearest_with_cpus(own.id)


def _command(rank: Rank, home: NumaNode, local: CpuSet) -> tuple[str, ...]:
    return ("numactl", f"--cpunodebind={home.id}", f"--membind={home.id}", *rank.process.argv)
