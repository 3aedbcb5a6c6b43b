"""# memory-off-gpu-node (NA301)

Memory that feeds a GPU lies on a NUMA node that the GPU does not hang on.

## What it checks

For each rank with a GPU whose NUMA node is known: the resident bytes of its anonymous memory (heap, stack, thread stacks),
shared memory (CUDA's pinned buffers are `/dev/zero (deleted)`), the driver's own (`/dev/nvidiactl`) and huge pages, by NUMA
node, each mapping in pages of its own size (`kernelpagesize_kB`). Program text, page cache, other files, and named shared
memory that several processes map are left out: they belong to whoever touched them first. It fails where more than
`off_node_share` (0.1) of these bytes and more than `off_node_mib` (256) MiB lie elsewhere; `medium`, and `high` above
`high_share` (0.5). `info` where all of it lies in the GPU's own package (SNC, NPS).

Of a process above 1 GiB random pages were asked for (`move_pages`): it fails where the whole 95 % interval is above both limits,
passes where it is below one, and is unknown between. Policies of single mappings are then not known, so such a failure is `likely`,
and the main thread's own interleave is taken for that of all.

Interleaved mappings are judged by what their policy promises: only the excess over the share that it puts elsewhere counts. What the
GPU's NUMA nodes could not hold if they were empty does not count either: a rank that is larger than they are has to spill.
Pages on a NUMA node that is a GPU's own memory are left out: they are not remote DRAM. A GPU's NUMA node without memory is
judged by the nearest one that has some, and memory without CPUs (CXL) by the CPUs it is nearest to. Not applicable where one
NUMA node has all CPUs.

## Why it matters

Every copy between that memory and the GPU crosses the link between packages, also when the threads are bound right: a mask that
is set after the memory was touched does not move it, and pinned pages are never migrated.

## Evidence

`/proc/PID/numa_maps` or `samples/pages-PID.json`, the NUMA nodes' `meminfo` and `distance`,
`/proc/driver/nvidia/gpus/*/numa_status`. Unknown where numa_maps was refused, or not read whole and no sample decides, where a
kernel before 4.0 prints no page sizes, or where the GPU's NUMA node is not known. What a GPU driver allocates inside the kernel
shows in no file of a process.

## How to fix

Set CPU mask and memory policy before the process starts (`numactl --cpunodebind=N --membind=N`) and restart it. A strict bind
on a NUMA node that is too small ends in the OOM killer: compare with `numastat -m` first, or use `--preferred=N`.

## How to verify

`numastat -p PID` after a restart; a new bundle is silent. Compare latencies with `numaaudit compare`.

## False positives

Weights that are read once and then live on the GPU do no harm where they lie. Buffers between ranks of two packages lie with
one of them by nature. A rank whose NUMA node was full of other memory when it started had to spill.

## References

- https://man7.org/linux/man-pages/man5/numa_maps.5.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man8/numastat.8.html
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence
from numaaudit.model.locality import Home, home_of
from numaaudit.model.resident import Spread, has_unsized, largest_off, policy_share, shared_names, spreads
from numaaudit.model.sampled import Sampled, counted_kinds, not_decided, percent, sample_of, sampled
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.parse.parsers.page_sample import PageSample
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.remedies import bind_command

RULE = Rule(
    "NA301",
    gate=Gate.PLACEMENT,
    category="memory-remote",
    severity=Severity.MEDIUM,
    decides=True,
    caused_by=("NA310", "NA651", "NA303", "NA316", "NA317", "NA201", "NA202"),
)
MESSAGE = (
    "{who} (pid {pid}) has {off_mib} MiB of its {total_mib} MiB of anonymous, pinned and shared memory ({percent} %) on NUMA node "
    "{numa_nodes}, but its GPU {gpu} hangs on NUMA node {gpu_numa_node}."
)
MESSAGES = {
    "sampled": "{who} (pid {pid}) has {percent_low} to {percent_high} % of its {total_mib} MiB of anonymous, pinned and shared memory on "
    "NUMA node {numa_nodes} (95 % interval of {num_pages} random pages), but its GPU {gpu} hangs on NUMA node {gpu_numa_node}.",
}
FIX = "Restart {who_inside} with memory bound to NUMA node {memory_nodes} before any is touched."


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_node_share: float = 0.1
    off_node_mib: int = 256
    high_share: float = 0.5


class _Around(NamedTuple):
    """What is known of the host."""

    topology: Topology
    gpu_memory: NodeSet
    processes: Processes
    shared: frozenset[str]
    limits: Thresholds


def check(ranks: Ranks, topology: Topology, devices: Devices, processes: Processes, limits: Thresholds) -> Iterator[Judgement]:
    around = _Around(topology, devices.gpu_memory_nodes, processes, shared_names(processes.all), limits)
    for rank in ranks.all:
        yield _judge(rank, around)


def _judge(rank: Rank, around: _Around) -> Judgement:
    if around.topology.has_one_cpu_node():
        return not_applicable(rank.subject)
    home, maps = home_of(rank, around.topology), rank.process.maps
    local = home if isinstance(home, Gap) else _local_nodes(home, around)
    if isinstance(home, Gap) or isinstance(maps, Gap) or isinstance(local, Gap):
        return unknown(rank.subject, next(each for each in (home, maps, local) if isinstance(each, Gap)), related=rank.related)
    sample, gap = sample_of(rank.process), _unreadable(maps)
    if sample:
        return _judge_sampled(rank, around, home, local, sample)
    if gap:
        return unknown(rank.subject, gap, related=rank.related)
    parts = spreads(maps.record.totals, around.shared, around.gpu_memory)
    total, off = sum(sum(part.bytes_by_node.values()) for part in parts), sum(part.bytes_off(local) for part in parts)
    off -= around.topology.overflow(total, local)
    if off <= around.limits.off_node_share * total or off <= around.limits.off_node_mib * MIB:
        evidence = (Evidence(maps.file), *home.evidence)
        return ok(rank.subject, related=rank.related, evidence=evidence, off_mib=off >> 20, total_mib=total >> 20)
    return _failure(rank, around, home, maps, local, parts)


def _judge_sampled(rank: Rank, around: _Around, home: Home, local: NodeSet, sample: Found[PageSample]) -> Judgement:
    """By what the sample's interval leaves no doubt about."""
    kinds = counted_kinds(rank.process, around.processes.all)
    found = sampled(rank.process, sample, kinds, lambda number: number not in local, around.gpu_memory)
    if isinstance(found, Gap):
        return unknown(rank.subject, found, related=rank.related)
    total = int(found.total_bytes.estimate)
    spilled = around.topology.overflow(total, local) / total if total else 0.0
    off, evidence = found.beyond(_promised(rank, local) + spilled), (Evidence(sample.file), *home.evidence)
    is_off = off.exceeds(around.limits.off_node_share, around.limits.off_node_mib * MIB)
    if is_off is None:
        gap = not_decided(rank.process, sample, f"{percent(off.share)} % of its memory lie on other NUMA nodes, which does not decide")
        return unknown(rank.subject, gap, related=rank.related)
    if not is_off:
        return ok(rank.subject, related=rank.related, evidence=evidence, off_mib=int(off.num_bytes.high) >> 20, total_mib=total >> 20)
    return _sampled_failure(rank, around, home, local, off, evidence)


def _promised(rank: Rank, local: NodeSet) -> float:
    """The share that the policy of the main thread puts on other NUMA nodes."""
    policy = None if isinstance(rank.process.maps, Gap) else rank.process.maps.record.policy
    return policy_share(policy, local) if policy else 0.0


def _unreadable(maps: Found[NumaMaps]) -> Gap | None:
    if maps.record.is_partial:
        return cut_maps(maps)
    return Gap("unparsable", maps.file.path, "the kernel prints no page sizes there") if has_unsized(maps.record.totals) else None


def _local_nodes(home: Home, around: _Around) -> NodeSet | Gap:
    """The NUMA nodes whose memory is local: with home's CPUs, or nearest to them; with CPUs but no memory, the nearest that has some."""
    topology = around.topology
    ids = topology.with_nearest_memory(home.numa_nodes) - around.gpu_memory
    if all(numa_node.memory_bytes == 0 for numa_node in topology.numa_nodes if numa_node.id in ids):
        near = [topology.nearest_with_memory(number, around.gpu_memory) for number in home.numa_nodes]
        ids = NodeSet(numa_node.id for numa_node in near if numa_node)
    return ids or Gap("ambiguous", "root/sys/devices/system/node", f"no one NUMA node with memory is nearest to {home.numa_nodes}")


def _failure(rank: Rank, around: _Around, home: Home, maps: Found[NumaMaps], local: NodeSet, parts: list[Spread]) -> Judgement:
    total, off = sum(sum(part.bytes_by_node.values()) for part in parts), sum(part.bytes_off(local) for part in parts)
    elsewhere = NodeSet(number for part in parts for number, amount in part.bytes_by_node.items() if amount) - local
    return fail(
        rank.subject,
        severity=_severity(around, home, elsewhere, (off - around.topology.overflow(total, local)) / total),
        evidence=largest_off(maps.file, elsewhere, around.shared) + home.evidence,
        off_mib=off >> 20,
        total_mib=total >> 20,
        percent=100 * off // total,
        **_details(rank, home, local, elsewhere),
    )


def _sampled_failure(rank: Rank, around: _Around, home: Home, local: NodeSet, off: Sampled, evidence: tuple[Evidence, ...]) -> Judgement:
    return fail(
        rank.subject,
        severity=_severity(around, home, off.numa_nodes, off.share.low),
        confidence=Confidence.LIKELY,
        message="sampled",
        evidence=evidence,
        off_mib=int(off.num_bytes.estimate) >> 20,
        total_mib=int(off.total_bytes.estimate) >> 20,
        percent=int(100 * off.share.estimate),
        percent_low=round(100 * off.share.low),
        percent_high=round(100 * off.share.high),
        num_pages=off.num_pages,
        **_details(rank, home, local, off.numa_nodes),
    )


def _details(rank: Rank, home: Home, local: NodeSet, elsewhere: NodeSet) -> dict[str, Any]:
    """The facts and fields that every failure has."""
    return {
        "related": (*rank.related, *(f"numa_node:{number}" for number in elsewhere)),
        "canonical": rank.canonical,
        "commands": bind_command(rank, home),
        "who": rank.title,
        "who_inside": rank.title_inside,
        "rank": rank.number,
        "pid": rank.process.pid,
        "numa_nodes": elsewhere,
        "memory_nodes": local,
        "gpu": rank.gpus[0].name,
        "gpu_numa_node": home.numa_nodes,
    }


def _severity(around: _Around, home: Home, elsewhere: NodeSet, share: float) -> Severity | None:
    """Near memory is a note; most of it far is high."""
    near = [numa_node.cpus or CpuSet() for numa_node in around.topology.numa_nodes if numa_node.id in elsewhere]
    if near and all(around.topology.same_package(cpus, home.cpus) for cpus in near):
        return Severity.INFO
    return Severity.HIGH if share > around.limits.high_share else None
