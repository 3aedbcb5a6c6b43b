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
`/sys/devices/system/node/node*/meminfo`. Where numa_maps was not read whole and the main thread
interleaves, the whole 95 % interval of `samples/pages-PID.json` decides; a failure is then `likely`. Unknown where numa_maps was
refused, where single mappings of a large process may interleave, and, of a rank that interleaves, where the GPU's NUMA node or what
it has left is not known.

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
from numaaudit.core.page_kinds import DRIVER, PINNED
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.locality import Home, home_of
from numaaudit.model.resident import counts, largest_off, shared_names
from numaaudit.model.sampled import counted_kinds, not_decided, percent, sample_of, sampled
from numaaudit.model.sections.capacity import Capacity
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import MappingTotal, NumaMaps
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.remedies import bind_command

RULE = Rule("NA316", gate=Gate.PLACEMENT, category="memory-policy", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) interleaves its memory: {off_mib} MiB of it lie on NUMA node {numa_nodes}, but its GPU {gpu} hangs on NUMA "
    "node {gpu_numa_node}, which has {room_mib} MiB of room."
)
MESSAGES = {
    "sampled": "{who} (pid {pid}) interleaves its memory: {off_mib} to {off_mib_high} MiB of it (95 % interval of a sample) lie on NUMA "
    "node {numa_nodes}, but its GPU {gpu} hangs on NUMA node {gpu_numa_node}, which has {room_mib} MiB of room.",
}
FIX = "Start {who_inside} with memory bound to NUMA node {gpu_numa_node} in place of the interleave."

_SPREAD = ("interleave", "weighted_interleave")
_PINNED = ("/dev/zero", "/dev/nvidiactl")


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_mib: int = 256


class _Off(NamedTuple):
    """Interleaved memory elsewhere, in bytes from ``low`` to ``high``: where it is, and the evidence."""

    low: float
    high: float
    numa_nodes: NodeSet
    evidence: tuple[Evidence, ...]
    confidence: Confidence = Confidence.CERTAIN


class _Around(NamedTuple):
    """What is known of the host."""

    topology: Topology
    processes: Processes
    shared: frozenset[str]
    capacity: Capacity
    limits: Thresholds


def check(ranks: Ranks, topology: Topology, processes: Processes, capacity: Capacity, limits: Thresholds) -> Iterator[Judgement]:
    around = _Around(topology, processes, shared_names(processes.all), capacity, limits)
    for rank in ranks.all:
        yield not_applicable(rank.subject) if topology.has_one_cpu_node() else _judge(rank, around)


def _judge(rank: Rank, around: _Around) -> Judgement:
    home, maps = home_of(rank, around.topology), rank.process.maps
    if isinstance(maps, Gap):
        return unknown(rank.subject, maps, related=rank.related)
    if not maps.record.is_partial and not _spread(maps, around):
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    off = _off_by_sample(rank, home, maps, around) if maps.record.is_partial else _off_by_maps(rank, home, maps, around)
    if isinstance(off, Gap):
        return unknown(rank.subject, off, related=rank.related)
    if off.low <= around.limits.off_mib * MIB:
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    left = [memory.available_bytes for number in home.numa_nodes if (memory := around.capacity.of(number))]
    if len(left) < len(home.numa_nodes):
        return unknown(rank.subject, Gap("absent", NUMA_NODES, f"what NUMA node {home.numa_nodes} has left is not known"))
    if sum(left) < off.low:
        return ok(rank.subject, related=rank.related, policy=rank.process.policy)
    if sum(left) < off.high:
        return unknown(rank.subject, Gap("cut", off.evidence[0].path, "it leaves open whether all of it has room at the GPU's NUMA node"))
    return _failure(rank, around.topology, home, off, sum(left))


def _spread(maps: Found[NumaMaps], around: _Around) -> list[MappingTotal]:
    return [total for total in maps.record.totals if _is_spread(total) and total.file not in around.shared]


def _is_local(rank: Rank, home: Home) -> bool:
    """Whether nothing in it gains from the other channels."""
    return rank.process.effective_cpus is not None and rank.process.effective_cpus <= home.cpus


def _off_by_maps(rank: Rank, home: Home, maps: Found[NumaMaps], around: _Around) -> _Off:
    is_local = _is_local(rank, home)
    off = _off([total for total in _spread(maps, around) if is_local or (total.file or "").startswith(_PINNED)], home.numa_nodes)
    num_bytes = sum(off.values())
    return _Off(num_bytes, num_bytes, NodeSet(off), largest_off(maps.file, NodeSet(off), around.shared) if off else ())


def _off_by_sample(rank: Rank, home: Home, maps: Found[NumaMaps], around: _Around) -> _Off | Gap:
    """By what the sample's interval leaves no doubt about, of a main thread that interleaves."""
    sample, policy = sample_of(rank.process), maps.record.policy
    if sample is None or policy is None or policy.mode not in _SPREAD:
        return cut_maps(maps)
    kinds = counted_kinds(rank.process, around.processes.all) if _is_local(rank, home) else frozenset({PINNED, DRIVER})
    found = sampled(rank.process, sample, kinds, lambda number: number not in home.numa_nodes)
    if isinstance(found, Gap):
        return found
    if found.exceeds(0, around.limits.off_mib * MIB) is None:
        return not_decided(rank.process, sample, f"{percent(found.share)} % of its memory lie elsewhere, which does not decide")
    return _Off(found.num_bytes.low, found.num_bytes.high, found.numa_nodes, (Evidence(sample.file),), Confidence.LIKELY)


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


def _failure(rank: Rank, topology: Topology, home: Home, off: _Off, room: int) -> Judgement:
    near = topology.same_package(topology.cpus_of(off.numa_nodes), home.cpus)
    return fail(
        rank.subject,
        severity=Severity.INFO if near else None,
        confidence=off.confidence,
        message="sampled" if off.confidence is Confidence.LIKELY else None,
        related=(*rank.related, *(f"numa_node:{number}" for number in off.numa_nodes)),
        evidence=(*off.evidence, *home.evidence),
        canonical=rank.canonical,
        commands=bind_command(rank, home),
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        off_mib=int(off.low) // MIB,
        off_mib_high=int(off.high) // MIB,
        numa_nodes=off.numa_nodes,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        room_mib=room // MIB,
    )
