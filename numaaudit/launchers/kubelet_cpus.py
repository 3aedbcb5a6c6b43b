"""How the kubelet's static CPU manager takes CPUs out of a pool.

Source: kubernetes ``pkg/kubelet/cm/cpumanager/cpu_assignment.go`` (1.27 and later). Packed: whole sockets and NUMA nodes while the request
is as large as one, then whole cores, then threads; candidates with the fewest free CPUs first, ties by number.
Distributed: the fewest NUMA nodes that can split the request evenly, so that what is left is as even as possible.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from statistics import pstdev

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView


class NotEnoughCpusError(Exception):
    """The kubelet rejects the pod."""


def packed(view: HostView, pool: CpuSet, count: int) -> CpuSet:
    """``count`` CPUs of a pool, best fit. NotEnoughCpusError if it has fewer."""
    if len(pool) < count:
        raise NotEnoughCpusError(f"not enough cpus available to satisfy request: requested={count}, available={len(pool)}")
    taken = CpuSet()
    for level in _levels(view):
        taken |= _whole(level, pool - taken, count - len(taken))
    taken |= _whole(_cores_in_order(view, pool - taken), pool - taken, count - len(taken))
    rest = [cpu for core in _cores_in_order(view, pool - taken) for cpu in core if cpu in pool and cpu not in taken]
    return taken | CpuSet(rest[: count - len(taken)])


def _levels(view: HostView) -> list[list[CpuSet]]:
    """Sockets and NUMA nodes, the larger first."""
    sockets = [package.cpus for package in view.packages]
    numa_nodes = [view.cpus_of(numa_node) for numa_node in view.cpu_nodes]
    return [sockets, numa_nodes] if len(numa_nodes) > len(sockets) else [numa_nodes, sockets]


def _whole(groups: Iterable[CpuSet], pool: CpuSet, count: int) -> CpuSet:
    """Groups that are wholly free and not larger than what is wanted still."""
    taken = CpuSet()
    for group in groups:
        if group <= pool and len(group) <= count - len(taken):
            taken |= group
    return taken


def _fewest_free_first(groups: Iterable[CpuSet], pool: CpuSet) -> list[CpuSet]:
    return sorted((group for group in groups if not group.isdisjoint(pool)), key=lambda group: len(group & pool))


def _cores_in_order(view: HostView, pool: CpuSet) -> Iterator[CpuSet]:
    """Whole cores, those of the fullest outer and inner group first, and in it those with the fewest free threads."""
    outer, inner = _levels(view)
    for group in _fewest_free_first(outer, pool):
        for part in _fewest_free_first(inner, pool & group):
            yield from _fewest_free_first(view.cores_in(group & part), pool)


def distributed(view: HostView, pool: CpuSet, count: int, group_size: int) -> CpuSet:
    """Evenly over NUMA nodes, in multiples of ``group_size``; packed where that cannot be."""
    free = {numa_node: pool & view.cpus_of(numa_node) for numa_node in view.cpu_nodes}
    for number in range(1, len(free) + 1):
        shares = [share for chosen in combinations(free, number) for share in _even_shares(free, chosen, count, group_size)]
        if shares:
            best = min(shares, key=lambda share: pstdev(len(free[each]) - share.get(each, 0) for each in free))
            return CpuSet.union(packed(view, free[numa_node], size) for numa_node, size in best.items())
    return packed(view, pool, count)


def _even_shares(free: dict[int, CpuSet], chosen: tuple[int, ...], count: int, group_size: int) -> Iterator[dict[int, int]]:
    each = count // len(chosen) // group_size * group_size
    rest = (count - each * len(chosen)) // group_size
    if each == 0 or (count - each * len(chosen)) % group_size:
        return
    for favoured in combinations(chosen, rest):
        share = {numa_node: each + group_size * (numa_node in favoured) for numa_node in chosen}
        if all(len(free[numa_node]) >= size for numa_node, size in share.items()):
            yield share
