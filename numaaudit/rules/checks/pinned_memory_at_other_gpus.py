"""# pinned-memory-at-other-gpus (NA322)

A process feeds GPUs of several NUMA nodes by threads that are bound beside each, and its pinned memory lies beside some of them only.

## What it checks

For each process that uses GPUs of several packages, and has a busy thread (at least `busy_part` (0.1) of the busiest one's CPU time)
confined to the NUMA node of each of them: where its pinned memory lies, which is what CUDA allocates for copies. It fails with
`medium` where it has at least `pinned_mib` (256) MiB of it and one of these NUMA nodes holds less than `least_share` (0.05). Only
memory without an interleave is counted. Not applicable to a process with GPUs of one NUMA node, see NA301, and where threads are not
bound beside each GPU: nobody meant such memory to be local then.

## Why it matters

Allocators keep freed pinned blocks in one list for all GPUs, and pinned pages are never moved. The threads of one NUMA node get the
blocks that those of another one touched first, and each copy crosses between packages twice, though every mask is right.

## Evidence

`/proc/PID/numa_maps` (`/dev/zero (deleted)`, `/dev/nvidiactl`), `/proc/PID/task/*/{status,stat}`, the GPUs' `numa_node`. Which buffer
serves which GPU shows nowhere, so that this is at most `likely`. Unknown where numa_maps was not read whole, or threads or a GPU's
NUMA node are not known.

## How to fix

Run one process for each NUMA node, or for each GPU; or an allocator that keeps pinned blocks by NUMA node.

## How to verify

`grep -e /dev/zero -e nvidiactl /proc/PID/numa_maps` names each NUMA node that has one of the GPUs.

## False positives

GPUs that are fed through no pinned memory, such as from device to device.

## References

- https://github.com/pytorch/pytorch/issues/160420
- https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#pinned-memory
- https://man7.org/linux/man-pages/man5/numa_maps.5.html
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.locality import home_of
from numaaudit.model.resident import has_unsized
from numaaudit.model.sections.processes import Process
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.work import work_of
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps, missing_threads

RULE = Rule("NA322", gate=Gate.PLACEMENT, category="memory-remote", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) uses GPUs of NUMA nodes {numa_nodes} and has busy threads bound to each of them, but NUMA node {without} has "
    "{there_mib} MiB of its {pinned_mib} MiB of pinned memory."
)
FIX = "Run {who_inside} as one process for each NUMA node that has one of its GPUs."

_PINNED = ("/dev/zero", "/dev/nvidiactl")
_SPREAD = ("interleave", "weighted_interleave")


class Thresholds(NamedTuple):
    """What a policy may change."""

    busy_part: float = 0.1
    pinned_mib: int = 256
    least_share: float = 0.05


def check(ranks: Ranks, topology: Topology, limits: Thresholds) -> Iterator[Judgement]:
    for rank in ranks.all:
        yield _judge(rank, topology, limits)


def _judge(rank: Rank, topology: Topology, limits: Thresholds) -> Judgement:
    if topology.has_one_cpu_node() or len(rank.gpus) < 2:
        return not_applicable(rank.subject)
    home, maps = home_of(rank, topology), rank.process.maps
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    if len(home.numa_nodes) < 2 or topology.same_package(home.cpus, home.cpus):
        return not_applicable(rank.subject)
    if not work_of(rank.process).is_complete:
        return unknown(rank.subject, missing_threads(rank.process), related=rank.related)
    if not home.numa_nodes <= _bound_to(rank.process, topology, limits):
        return not_applicable(rank.subject)
    if isinstance(maps, Gap) or maps.record.is_partial:
        return unknown(rank.subject, maps if isinstance(maps, Gap) else cut_maps(maps), related=rank.related)
    if has_unsized(maps.record.totals):
        gap = Gap("unparsable", maps.file.path, "the kernel prints no page sizes there")
        return unknown(rank.subject, gap, related=rank.related)
    pinned = _pinned(maps.record)
    total = sum(pinned.values())
    without = NodeSet(number for number in home.numa_nodes if pinned[number] < limits.least_share * total)
    if total < limits.pinned_mib * MIB or not without:
        return ok(rank.subject, related=rank.related, evidence=(Evidence(maps.file),), pinned_mib=total // MIB)
    return _failure(rank, maps, home.numa_nodes, without, pinned)


def _bound_to(process: Process, topology: Topology, limits: Thresholds) -> NodeSet:
    """The NUMA nodes to which a busy thread is confined."""
    confined = [
        topology.numa_nodes_of(thread.effective_cpus) for thread in work_of(process).busy(limits.busy_part) if thread.effective_cpus
    ]
    return NodeSet(number for numa_nodes in confined if len(numa_nodes) == 1 for number in numa_nodes)


def _pinned(maps: NumaMaps) -> Counter[int]:
    """Bytes of pinned memory by NUMA node."""
    found: Counter[int] = Counter()
    for total in maps.totals:
        if (total.file or "").startswith(_PINNED) and total.policy.mode not in _SPREAD:
            found.update(dict(total.bytes_by_node))
    return found


def _failure(rank: Rank, maps: Found[NumaMaps], numa_nodes: NodeSet, without: NodeSet, pinned: Counter[int]) -> Judgement:
    line = next((number for number, text in enumerate(maps.file.text.split("\n"), 1) if " file=/dev/zero" in text), 1)
    return fail(
        rank.subject,
        confidence=Confidence.LIKELY,
        related=(*rank.related, *(f"numa_node:{number}" for number in without)),
        evidence=(cite_line(maps.file, line), *rank.gpus[0].evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        numa_nodes=numa_nodes,
        without=without,
        there_mib=sum(pinned[number] for number in without) // MIB,
        pinned_mib=sum(pinned.values()) // MIB,
    )
