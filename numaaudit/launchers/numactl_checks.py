"""What ``numactl`` refuses before it starts the program: it is stricter than the system calls below it.

Source: numactl 2.0.19 @ 93c1fe5, ``libnuma.c`` (numa_parse_cpustring, numa_parse_nodestring): of each range the first and the
last CPU have to be allowed, those between are dropped without a word; nodes have to be allowed memory nodes.
"""

from collections.abc import Iterable

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.prediction import DEFAULT_POLICY, Binding, bind_to, refused


def refused_range(view: HostView, runs: Iterable[tuple[int, int]]) -> str | None:
    """Why ``--physcpubind`` refuses these ranges, in its own words; None if it takes them."""
    for first, last in runs:
        for end in (first, last):
            if end not in view.allowed_cpus:
                text = f"{first}-{last}" if first != last else f"{first}"
                return f"numactl exits 1: cpu argument {text} is out of range"
    return None


def refused_numa_node(view: HostView, numa_nodes: Iterable[int]) -> str | None:
    """Why ``--membind`` or ``--cpunodebind`` refuses a NUMA node; None if it takes all of them."""
    for numa_node in numa_nodes:
        if numa_node not in view.allowed_mems:
            return f"numactl exits 1: node argument {numa_node} is out of range"
    return None


def refused_cpunodebind(view: HostView, numa_node: int) -> str | None:
    """Why ``--cpunodebind`` refuses one NUMA node; None if it takes it."""
    failed = refused_numa_node(view, (numa_node,))
    if failed or not view.cpus_of(numa_node).isdisjoint(view.allowed_cpus):
        return failed
    return f"numactl exits 1: no CPU of NUMA node {numa_node} is allowed"


def by_cpus(view: HostView, cpus: CpuSet, policy: str = DEFAULT_POLICY) -> Binding:
    """``numactl --physcpubind`` with the ranges of a set."""
    reason = refused_range(view, cpus.runs())
    return refused(reason, cpus, policy) if reason else Binding(cpus, policy)


def by_numa_node(view: HostView, numa_node: int) -> Binding:
    """``numactl --cpunodebind=N --membind=N``."""
    cpus, policy = view.cpus_of(numa_node), bind_to((numa_node,))
    reason = refused_cpunodebind(view, numa_node)
    return refused(reason, cpus, policy) if reason else Binding(cpus, policy)
