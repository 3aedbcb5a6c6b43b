"""# huge-pages-on-other-numa-nodes (NA317)

A process's huge pages lie far away, because the pool of its own NUMA node has none to give.

## What it checks

Each process with huge pages from the pool (hugetlb) on NUMA nodes that are not its own: those of its GPU, or, without a known
GPU, those of the CPUs that it may use. It fails where more than `off_mib` (256) MiB are there and the pools of all its own NUMA
nodes have no free page: `medium`, and `low` within one package. Where its own pools have free pages, something else sent the
pages away, see memory-off-gpu-node (NA301). Transparent huge pages come from no pool, and are not judged.

## Why it matters

`nr_hugepages` without a NUMA node spreads the pool over all of them, or, late after boot, takes pages where they are still in
one piece. `mmap` with `MAP_HUGETLB` under the default policy takes from another NUMA node's pool without a word; under a strict
bind it fails, or the process gets SIGBUS when it touches the page.

## Evidence

`/proc/PID/numa_maps` (`huge`, `N<node>=`, `kernelpagesize_kB`), `/sys/devices/system/node/node*/meminfo` (HugePages_Total and
HugePages_Free, of the default size), `/sys/devices/system/node/node*/hugepages/*/`. Where numa_maps was not read whole,
HugetlbPages of `/proc/PID/status` where that is below `off_mib`, else the whole 95 % interval of `samples/pages-PID.json`; a failure
is then `likely`. Unknown where numa_maps was refused, where neither decides, or where no file tells what its own pools have.

## How to fix

As root, before the process starts: `echo COUNT > /sys/devices/system/node/nodeN/hugepages/hugepages-2048kB/nr_hugepages` for its
NUMA node; at boot `hugepages=0:COUNT,1:COUNT` on the kernel's command line (Linux 5.16 and later), the only sure way for 1 GiB
pages. Then restart the process.

## How to verify

`grep huge /proc/PID/numa_maps` shows `N<node>=` of its own NUMA node only; `numastat -m` lists HugePages_Free for each.

## False positives

A segment of huge pages that another process made and filled.

## References

- https://docs.kernel.org/admin-guide/mm/hugetlbpage.html
- https://man7.org/linux/man-pages/man5/numa_maps.5.html
- https://man7.org/linux/man-pages/man2/mmap.2.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence, cite, cite_line
from numaaudit.model.kernel_numa import NUMA_NODES
from numaaudit.model.locality import home_of
from numaaudit.model.sampled import not_decided, percent, sample_of, sampled
from numaaudit.model.sections.memory import Memory
from numaaudit.model.sections.processes import Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo
from numaaudit.parse.parsers.numa_maps import HUGETLB, NumaMaps, mappings
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA317", gate=Gate.PLACEMENT, category="hugepages", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) has {off_mib} MiB of huge pages on NUMA node {numa_nodes}, but it belongs to NUMA node {own_numa_nodes}, "
    "whose pool has no free huge page."
)
MESSAGES = {
    "sampled": "{who} (pid {pid}) has {off_mib_low} to {off_mib_high} MiB of huge pages on NUMA node {numa_nodes} (95 % interval of "
    "{num_pages} random pages), but it belongs to NUMA node {own_numa_nodes}, whose pool has no free huge page.",
}
FIX = "Reserve huge pages on NUMA node {own_numa_nodes}, and start {who_inside} again."


class Thresholds(NamedTuple):
    """What a policy may change."""

    off_mib: int = 256


class _Pools(NamedTuple):
    """Free huge pages of each NUMA node whose pools are known, and the line that says so."""

    free: dict[int, int]
    lines: dict[int, Evidence]


class _Off(NamedTuple):
    """Huge pages that are not on a process's own NUMA nodes: whether they are many, on which they are, and what a failure says."""

    is_much: bool
    huge_mib: int  # wherever they are
    numa_nodes: NodeSet
    facts: dict[str, int]
    evidence: tuple[Evidence, ...]
    is_sampled: bool = False


def check(
    processes: Processes,
    ranks: Ranks,
    topology: Topology,
    memory: Memory,
    meminfos: tuple[Found[NumaNodeMeminfo], ...],
    limits: Thresholds,
) -> Iterator[Judgement]:
    pools = _pools(memory, meminfos)
    for process in processes.all:
        if not process.is_excerpt:
            yield _judge(name_of(process, ranks), topology, pools, limits)


def _pools(memory: Memory, meminfos: tuple[Found[NumaNodeMeminfo], ...]) -> _Pools:
    """Of any page size: the default one by meminfo, all by the pools' own files."""
    pools = _Pools({}, {})
    for found in meminfos:
        if found.reading == 0 and found.record.hugepages_free is not None:
            pools.free[found.record.numa_node] = found.record.hugepages_free
            pools.lines[found.record.numa_node] = cite(found.file, "HugePages_Free:")
    for pool in memory.hugepages:
        pools.free[pool.numa_node] = pools.free.get(pool.numa_node, 0) + pool.free
    return pools


def _judge(named: Naming, topology: Topology, pools: _Pools, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node():
        return not_applicable(named.subject)
    maps = named.process.maps
    if isinstance(maps, Gap):
        return unknown(named.subject, maps, related=named.related)
    own = _own(named, topology)
    off = _off_by_sample(named, maps, own, limits) if maps.record.is_partial else _off_by_maps(maps, own, limits)
    if isinstance(off, Gap):
        return unknown(named.subject, off, related=named.related)
    if off.is_much and any(number not in pools.free for number in own):
        return unknown(named.subject, Gap("absent", NUMA_NODES, f"the huge pages of NUMA node {own} are not known"), related=named.related)
    if not off.is_much or any(pools.free[number] for number in own):
        return ok(named.subject, related=named.related, huge_mib=off.huge_mib)
    return _failure(named, topology, own, off, tuple(pools.lines[number] for number in own if number in pools.lines))


def _off_by_maps(maps: Found[NumaMaps], own: NodeSet, limits: Thresholds) -> _Off:
    held = maps.record.bytes_by_node(HUGETLB)
    off = {number: amount for number, amount in held.items() if own and number not in own}
    huge_mib, off_mib = sum(held.values()) // MIB, sum(off.values()) // MIB
    is_much = sum(off.values()) > limits.off_mib * MIB
    return _Off(is_much, huge_mib, NodeSet(off), {"off_mib": off_mib}, _largest(maps, NodeSet(off)) if is_much else ())


def _off_by_sample(named: Naming, maps: Found[NumaMaps], own: NodeSet, limits: Thresholds) -> _Off | Gap:
    """By what /proc/PID/status and the interval of a sample leave no doubt about."""
    held, sample = named.process.status.record.hugetlb_bytes, sample_of(named.process)
    if held is not None and (held <= limits.off_mib * MIB or not own):
        return _Off(False, held // MIB, NodeSet(), {}, ())
    if sample is None:
        return cut_maps(maps)
    found = sampled(named.process, sample, (HUGETLB,), lambda number: number not in own)
    if isinstance(found, Gap):
        return found
    is_much = found.exceeds(0, limits.off_mib * MIB)
    if is_much is None:
        return not_decided(named.process, sample, f"{percent(found.share)} % of its huge pages lie elsewhere, which does not decide")
    mib = [int(amount) // MIB for amount in found.num_bytes]
    facts = {"off_mib": mib[0], "off_mib_low": mib[1], "off_mib_high": mib[2], "num_pages": found.num_pages}
    huge_mib = int(found.total_bytes.estimate) // MIB
    return _Off(is_much, huge_mib, found.numa_nodes, facts, (Evidence(sample.file),), is_sampled=True)


def _own(named: Naming, topology: Topology) -> NodeSet:
    """The NUMA nodes of its GPU, else those of its CPUs."""
    home = home_of(named.rank, topology) if named.rank else None
    if home and not isinstance(home, Gap):
        return home.numa_nodes
    return topology.numa_nodes_of(named.process.effective_cpus or CpuSet())


def _failure(named: Naming, topology: Topology, own: NodeSet, off: _Off, lines: tuple[Evidence, ...]) -> Judgement:
    near = topology.same_package(topology.cpus_of(off.numa_nodes), topology.cpus_of(own))
    return fail(
        named.subject,
        severity=Severity.LOW if near else None,
        confidence=Confidence.LIKELY if off.is_sampled else Confidence.CERTAIN,
        message="sampled" if off.is_sampled else None,
        related=(*named.related, *(f"numa_node:{number}" for number in off.numa_nodes)),
        evidence=(*off.evidence, *lines[:1]),
        numa_nodes=off.numa_nodes,
        own_numa_nodes=own,
        **off.facts,
        **named.details,
    )


def _largest(maps: Found[NumaMaps], elsewhere: NodeSet) -> tuple[Evidence, ...]:
    """The line of the mapping with most huge pages there."""
    found = [
        (sum(pages for number, pages in mapping.pages_by_node if number in elsewhere) * (mapping.page_bytes or 0), -mapping.line)
        for mapping in mappings(maps.file.text)
        if mapping.kind == HUGETLB
    ]
    return (cite_line(maps.file, -max(found)[1]),) if found else ()
