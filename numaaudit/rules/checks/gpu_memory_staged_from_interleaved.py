"""# gpu-memory-staged-from-interleaved (NA316)

A rank interleaves the memory that feeds its GPU over NUMA nodes, and half of every copy crosses between packages.

## What it checks

For each rank with a GPU whose NUMA node is known: its mappings under `interleave` or `weighted interleave`, of anonymous memory,
the driver's and CUDA's pinned buffers, shared memory and huge pages. It fails where more than `off_mib` (256) MiB of them lie on
NUMA nodes that the GPU does not hang on, that NUMA node has room for them (free, page cache, half of the reclaimable slab), and

- all CPUs that the rank may use are the GPU's: then nothing in it gains from the other channels; or
- so much of it is pinned buffers (`/dev/zero (deleted)`, `/dev/nvidiactl`), which are copied to the GPU and nothing else.

`medium`; `info` within one package. Silent for a rank whose CPUs lie on several NUMA nodes and which interleaves ordinary memory
(CPU inference beside the GPU streams weights from all of them), and for processes without a GPU: for them an even interleave is
the right choice.

## Why it matters

Interleave adds the channels of several NUMA nodes for CPUs that stream, on all of them. A GPU copies over one link, which one
NUMA node saturates; pages of the other package only add the crossing.

## Evidence

`/proc/PID/numa_maps` (policy, `N<node>=`, `kernelpagesize_kB`), `/proc/PID/status` (Cpus_allowed_list),
`/sys/devices/system/node/node*/meminfo`. Unknown where numa_maps was refused or not read whole, and, of a rank that interleaves, where the
GPU's NUMA node or what it has left is not known.

## How to fix

Start the rank with `numactl --membind=N` (or `--preferred=N` where room is short) of the GPU's NUMA node in place of
`--interleave`. Keep the interleave for the CPU engine on the same host, which is another process.

## How to verify

`grep -c interleave /proc/PID/numa_maps` prints 0, and `numastat -p PID` shows its memory on the GPU's NUMA node.

## False positives

A rank that does much CPU work on few cores, and was measured faster with the interleave.

## References

- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#pinned-memory
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.locality import Home, home_of
from numaaudit.model.resident import counts, largest_off, shared_names
from numaaudit.model.sections.capacity import Capacity
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import MappingTotal, NumaMaps
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.remedies import bind_command

RULE = Rule("NA316", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) interleaves its memory: {off_mib} MiB of it lie on NUMA node {numa_nodes}, but its GPU {gpu} hangs on NUMA "
    "node {gpu_numa_node}, which has {room_mib} MiB of room."
)
FIX = "Start {who_inside} with memory bound to NUMA node {gpu_numa_node} in place of the interleave."

_SPREAD = ("interleave", "weighted_interleave")
_PINNED = ("/dev/zero", "/dev/nvidiactl")


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_mib: int = 256


def check(ranks: Ranks, topology: Topology, processes: Processes, capacity: Capacity, limits: Thresholds) -> Iterator[Judgement]:
    shared = shared_names(processes.all)
    for rank in ranks.all:
        yield not_applicable(rank.subject) if topology.has_one_cpu_node() else _judge(rank, topology, shared, capacity, limits)


def _judge(rank: Rank, topology: Topology, shared: frozenset[str], capacity: Capacity, limits: Thresholds) -> Judgement:
    home, maps = home_of(rank, topology), rank.process.maps
    if isinstance(maps, Gap):
        return unknown(rank.subject, maps, related=rank.related)
    spread = [total for total in maps.record.totals if _is_spread(total) and total.file not in shared]
    if not spread and not maps.record.is_partial:
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    is_local = rank.process.effective_cpus is not None and rank.process.effective_cpus <= home.cpus
    off = _off([total for total in spread if is_local or (total.file or "").startswith(_PINNED)], home.numa_nodes)
    if sum(off.values()) <= limits.off_mib * MIB:
        if maps.record.is_partial:
            return unknown(rank.subject, cut_maps(maps), related=rank.related)
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    left = [memory.available_bytes for number in home.numa_nodes if (memory := capacity.of(number))]
    if len(left) < len(home.numa_nodes):
        return unknown(rank.subject, Gap("absent", NUMA_NODES, f"what NUMA node {home.numa_nodes} has left is not known"))
    if sum(left) < sum(off.values()):
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    return _failure(rank, topology, home, maps, off, sum(left), shared)


def _is_spread(total: MappingTotal) -> bool:
    return total.policy.mode in _SPREAD and counts(total.kind, total.file)


def _off(totals: list[MappingTotal], local: NodeSet) -> dict[int, int]:
    """Bytes on each other NUMA node."""
    sums: dict[int, int] = {}
    for total in totals:
        for number, amount in total.bytes_by_node:
            if number not in local:
                sums[number] = sums.get(number, 0) + amount
    return sums


def _failure(
    rank: Rank, topology: Topology, home: Home, maps: Found[NumaMaps], off: dict[int, int], room: int, shared: frozenset[str]
) -> Judgement:
    elsewhere = NodeSet(off)
    near = topology.same_package(topology.cpus_of(elsewhere), home.cpus)
    return fail(
        rank.subject,
        severity=Severity.INFO if near else None,
        related=(*rank.related, *(f"numa_node:{number}" for number in elsewhere)),
        evidence=(*largest_off(maps.file, elsewhere, shared), *home.evidence),
        canonical=rank.canonical,
        commands=bind_command(rank, home),
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        off_mib=sum(off.values()) // MIB,
        numa_nodes=elsewhere,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        room_mib=room // MIB,
    )
