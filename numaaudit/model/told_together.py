"""Several sources' words about CPUs and NUMA nodes put together: the most trusted one that says something is believed."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.kernel_numa import Distances, NumaNode, kind_of
from numaaudit.model.pick import Conflict
from numaaudit.model.told import Told

T = TypeVar("T")


def merge(told: Sequence[Told]) -> Told:
    """One word from several, the most trusted first. NUMA nodes of the kernel are all there are; tools add to each other's."""
    return Told(
        told[0].source,
        _first(told, lambda each: each.online),
        _first(told, lambda each: each.present),
        _first(told, lambda each: each.packages) or (),
        _first(told, lambda each: each.num_packages),
        _first(told, lambda each: each.cores),
        _first(told, lambda each: each.threads_per_core),
        _first(told, lambda each: each.siblings) or (),
        _numa_nodes(told),
        _first(told, lambda each: each.distances),
        any(each.is_complete and each.numa_nodes for each in told),
    )


def _first(told: Sequence[Told], of: Callable[[Told], T]) -> T | None:
    return next((value for each in told if (value := of(each))), None)


def _numa_nodes(told: Sequence[Told]) -> tuple[NumaNode, ...]:
    numbers = {numa_node.id for each in told for numa_node in each.numa_nodes}
    if told[0].numa_nodes:
        numbers = {numa_node.id for numa_node in told[0].numa_nodes}
    return tuple(_numa_node([found for each in told for found in each.numa_nodes if found.id == number]) for number in sorted(numbers))


def _numa_node(seen: Sequence[NumaNode]) -> NumaNode:
    """CPUs and memory may come from different sources; the evidence is that of the CPUs."""
    base = next((each for each in seen if each.cpus is not None), seen[0])
    sized = next((each for each in seen if each.memory_bytes is not None), base)
    kind = base.kind or kind_of(base.cpus, sized.memory_bytes)
    return base._replace(memory_bytes=sized.memory_bytes, free_bytes=sized.free_bytes, kind=kind)


def lacks_cpus(table: Told, others: Sequence[Told]) -> bool:
    """Whether another source lists a CPU that a table has no row for: it was pasted in part."""
    rows = table.present or CpuSet()
    listed = [cpus for other in others for cpus in (other.online, *(numa_node.cpus for numa_node in other.numa_nodes)) if cpus is not None]
    return any(not cpus <= rows for cpus in listed)


def conflicts_of(told: Sequence[Told], merged: Told) -> Iterator[Conflict]:
    """Where a tool contradicts what is used.

    Fewer CPUs are no contradiction: tools leave out what is offline, or not in the cpuset of whoever ran them.
    """
    online = merged.online
    for used in merged.numa_nodes:
        others = ((each.source, found.cpus) for each in told for found in each.numa_nodes if found.id == used.id)
        values = [(str(cpus), source) for source, cpus in others if cpus is not None and not _holds(used.cpus, cpus, online)]
        if values:
            yield Conflict(f"numa_node:{used.id}", "cpus", ((str(used.cpus), used.source), *values))
    if merged.distances:
        yield from _other_distances(told, merged.distances)


def _other_distances(told: Sequence[Told], used: Distances) -> Iterator[Conflict]:
    """The first pair of NUMA nodes that a source has another distance for."""
    source = next(each.source for each in told if each.distances == used)
    for each in told:
        pairs = [(a, b) for a in used.nodes for b in used.nodes] if each.distances else []
        for a, b in pairs:
            mine, other = used.between(a, b), each.distances.between(a, b) if each.distances else None
            if None not in (mine, other) and mine != other:
                yield Conflict(f"numa_node:{a}", f"distance to {b}", ((mine, source), (other, each.source)))
                break


def _holds(used: CpuSet | None, cpus: CpuSet, online: CpuSet | None) -> bool:
    return used is None or (cpus & online if online else cpus) <= used
