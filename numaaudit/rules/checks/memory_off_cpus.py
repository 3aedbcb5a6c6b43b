"""# memory-off-cpus (NA321)

A process without a GPU is kept on the CPUs of some NUMA nodes, and much of its memory lies on others.

## What it checks

For each process that serves no GPU and all of whose threads are confined to some of the host's NUMA nodes: where its anonymous
and shared memory and its huge pages lie. It fails where more than `off_node_share` (0.25) of them and more than `off_node_mib`
(256) MiB are on NUMA nodes without these CPUs: `low`, and `medium` above `high_share` (0.5). What a policy of its own puts
there (bind, interleave, preferred) was asked for and is left out, and so is what these NUMA nodes could not hold if they were
empty: a process that is larger than they are has to spill. Memory without CPUs (CXL) counts as the CPUs it is nearest to.

Where numa_maps is not there, the sums of `numastat -p` are taken, and of a process above 1 GiB a sample of random pages: then
it is at most `likely`, and unknown where the sample does not decide. Not applicable to a process that may run everywhere, and
where one NUMA node has all CPUs.

## Why it matters

A mask that is set after the memory was touched does not move it, and a cpuset of CPUs alone says nothing about memory: every
access to such memory crosses the link between NUMA nodes.

## Evidence

`/proc/PID/numa_maps`, `samples/pages-PID.json` or `numastat -p`; the masks of all threads; the NUMA nodes' `cpulist` and
`distance`.

## How to fix

Set mask and memory policy before the process starts (`numactl --cpunodebind=N --membind=N`, `--cpuset-cpus` together with
`--cpuset-mems`) and restart it. `migratepages PID FROM TO` moves what is not pinned, without a restart.

## How to verify

`numastat -p PID` puts the memory on the NUMA nodes of `taskset -cp PID`.

## False positives

A process whose NUMA nodes were full of other processes' memory when it started had to spill.

## References

- https://man7.org/linux/man-pages/man8/numastat.8.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
- https://man7.org/linux/man-pages/man8/migratepages.8.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence
from numaaudit.model.resident import has_unsized, largest_off, shared_names, spreads
from numaaudit.model.sampled import counted_kinds, not_decided, percent, sample_of, sampled
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps, missing_mask
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA321", gate=Gate.PLACEMENT, category="memory-remote", severity=Severity.LOW, caused_by=("NA310", "NA303", "NA317"))
MESSAGE = (
    "{who} (pid {pid}) may run on CPUs {cpus} of NUMA node {numa_nodes} only, but {off_mib} MiB of its {total_mib} MiB of memory "
    "({percent} %) lie on NUMA node {elsewhere}."
)
FIX = "Restart {who_inside} with CPUs and memory of the same NUMA node, or move its pages: migratepages {pid} {elsewhere} {numa_nodes}."

_UNASKED = ("default", "local")


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_node_share: float = 0.25
    off_node_mib: int = 256
    high_share: float = 0.5


class _Around(NamedTuple):
    """What is known of the host."""

    topology: Topology
    gpu_memory: NodeSet
    processes: Processes
    shared: frozenset[str]
    limits: Thresholds


class _Memory(NamedTuple):
    """A process's memory and the part of it that is elsewhere, in bytes; on which NUMA nodes; and its evidence.

    ``is_off``: what the interval of a sample decided; None where the bytes themselves are judged.
    """

    total: int
    off: int
    elsewhere: NodeSet
    evidence: tuple[Evidence, ...]
    is_counted: bool = True
    is_off: bool | None = None


def check(processes: Processes, ranks: Ranks, topology: Topology, devices: Devices, limits: Thresholds) -> Iterator[Judgement]:
    around = _Around(topology, devices.gpu_memory_nodes, processes, shared_names(processes.all), limits)
    for process in processes.all:
        yield _judge(name_of(process, ranks), around)


def _judge(named: Naming, around: _Around) -> Judgement:
    process, topology = named.process, around.topology
    if topology.has_one_cpu_node() or (named.rank and (named.rank.gpus or named.rank.gap)):
        return not_applicable(named.subject)
    if not process.effective_cpus:
        return unknown(named.subject, missing_mask(process), related=named.related)
    cpus = process.reachable_cpus
    if topology.numa_nodes_of(cpus) in (topology.cpu_nodes, NodeSet()):
        return not_applicable(named.subject)
    local = topology.with_nearest_memory(topology.numa_nodes_of(cpus))
    memory = _memory(process, local, around)
    if isinstance(memory, Gap):
        return unknown(named.subject, memory, related=named.related)
    off = memory.off - topology.overflow(memory.total, local)
    is_little = off <= around.limits.off_node_share * memory.total or off <= around.limits.off_node_mib * MIB
    if memory.is_off is False or (memory.is_off is None and is_little):
        return ok(named.subject, related=named.related, evidence=process.evidence, off_mib=memory.off >> 20, total_mib=memory.total >> 20)
    return _failure(named, cpus, memory, off, around)


def _memory(process: Process, local: NodeSet, around: _Around) -> _Memory | Gap:
    sample = sample_of(process)
    if sample:
        return _sampled(process, local, around)
    if isinstance(process.maps, Gap):
        return _by_numastat(process, local) or process.maps
    maps = process.maps
    if maps.record.is_partial:
        return cut_maps(maps)
    if has_unsized(maps.record.totals):
        return Gap("unparsable", maps.file.path, "the kernel prints no page sizes there")
    parts = spreads(maps.record.totals, around.shared, around.gpu_memory)
    unasked = [part for part in parts if part.policy.mode in _UNASKED]
    elsewhere = NodeSet(number for part in unasked for number, amount in part.bytes_by_node.items() if amount) - local
    total = sum(sum(part.bytes_by_node.values()) for part in parts)
    return _Memory(total, sum(part.bytes_off(local) for part in unasked), elsewhere, largest_off(maps.file, elsewhere, around.shared))


def _by_numastat(process: Process, local: NodeSet) -> _Memory | None:
    """Sums that count files and program text too, and know no policies."""
    if process.numastat is None:
        return None
    sizes = process.numastat.bytes_by_node
    off = {number: size for number, size in sizes.items() if number not in local and size}
    return _Memory(sum(sizes.values()), sum(off.values()), NodeSet(off), (), is_counted=False)


def _sampled(process: Process, local: NodeSet, around: _Around) -> _Memory | Gap:
    """By the ends of the interval that leave no doubt."""
    sample, policy = sample_of(process), process.policy
    if sample is None or policy not in _UNASKED:
        return Gap("cut", process.status.file.path, "which of its memory has a policy of its own is not known")
    found = sampled(process, sample, counted_kinds(process, around.processes.all), lambda number: number not in local, around.gpu_memory)
    if isinstance(found, Gap):
        return found
    total = int(found.total_bytes.estimate)
    excess = found.beyond(around.topology.overflow(total, local) / total if total else 0.0)
    is_off = excess.exceeds(around.limits.off_node_share, around.limits.off_node_mib * MIB)
    if is_off is None:
        return not_decided(process, sample, f"{percent(found.share)} % of its memory lie on other NUMA nodes, which does not decide")
    return _Memory(total, int(found.num_bytes.estimate), found.numa_nodes, (Evidence(sample.file),), is_counted=False, is_off=is_off)


def _failure(named: Naming, cpus: CpuSet, memory: _Memory, off: int, around: _Around) -> Judgement:
    """``off``: the bytes elsewhere that had no need to be there, by which it is judged."""
    numa_nodes = around.topology.numa_nodes_of(cpus)
    return fail(
        named.subject,
        severity=Severity.MEDIUM if off > around.limits.high_share * memory.total else None,
        confidence=Confidence.CERTAIN if memory.is_counted else Confidence.LIKELY,
        related=(*named.related, *(f"numa_node:{number}" for number in memory.elsewhere)),
        evidence=(*named.process.evidence, *memory.evidence),
        cpus=cpus,
        numa_nodes=numa_nodes,
        elsewhere=memory.elsewhere,
        off_mib=memory.off >> 20,
        total_mib=memory.total >> 20,
        percent=100 * memory.off // memory.total,
        **named.details,
    )
