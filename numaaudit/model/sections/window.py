"""What happened in a window (``collect --duration``): counters at its two ends, and where threads were seen in between.

The counters of NUMA nodes are allocations against policy, never accesses (Documentation/admin-guide/numastat.rst). A counter that
went backwards, or wrapped, tells nothing: its growth is None, and a gap says so.
"""

import re
from collections import Counter
from typing import NamedTuple

from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.counters import difference
from numaaudit.core.errors import ParseError
from numaaudit.model.evidence import Evidence, cite, cite_match
from numaaudit.model.join import Joiner
from numaaudit.model.sections.topology import Topology
from numaaudit.model.window_growth import Ends, Growth
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cgroup_cpu_stat import CgroupCpuStat
from numaaudit.parse.parsers.cgroup_cpu_stat import parse as parse_cpu_stat
from numaaudit.parse.parsers.interrupts import Interrupt, Interrupts
from numaaudit.parse.parsers.node_numastat import NumaNodeNumastat
from numaaudit.parse.parsers.pressure import Pressure, Stall
from numaaudit.parse.parsers.vmstat import Vmstat
from numaaudit.parse.parsers.window import WindowSample

INTERRUPTS = "proc/interrupts"


class IrqGrowth(NamedTuple):
    """Interrupts of one vector; ``total`` None where a CPU's count went backwards."""

    total: int | None
    by_cpu: dict[int, int]  # CPUs that served some


class Stalled(NamedTuple):
    """The share of the window in which some task, and in which all, waited; None where that is not known."""

    some: float | None
    full: float | None
    evidence: tuple[Evidence, ...]


class CpuStatGrowth(NamedTuple):
    """How a cgroup's cpu.stat grew."""

    stat: CgroupCpuStat
    evidence: tuple[Evidence, ...]


class Window(NamedTuple):
    """``sample`` None: the input has no window, and everything else is empty.

    ``numa_nodes``: pages by NUMA node and counter; ``vmstat`` by counter; ``interrupts`` by IRQ, and ``irqs_by_numa_node`` of the
    CPUs that served them, None where that of a vector is not known; ``stalled`` by memory, cpu and io; ``cpu_stats`` by the
    cgroup's folder below the host's root.
    """

    sample: WindowSample | None
    numa_nodes: dict[int, dict[str, int | None]]
    vmstat: dict[str, int | None]
    interrupts: dict[int, IrqGrowth]
    irqs_by_numa_node: dict[int, int] | None
    stalled: dict[str, Stalled]
    cpu_stats: dict[str, CpuStatGrowth]
    tables: tuple[File, ...] = ()  # /proc/interrupts at both ends
    ticks_per_s: int | None = None  # of the collector's kernel, by the manifest
    gaps: tuple[Gap, ...] = ()

    @property
    def seconds(self) -> float | None:
        """What growth and shares are over: from one copy of the counters to the other. None without a window."""
        return (self.sample.between_ends_s or None) if self.sample else None

    def irq_evidence(self, irq: int) -> tuple[Evidence, ...]:
        """The lines of a vector at both ends."""
        return tuple(cite_match(file, rf"(?m)^ *{irq}:") for file in self.tables)

    def per_s(self, count: int | None) -> float | None:
        """A growth as a rate."""
        return None if count is None or not self.seconds else count / self.seconds


def join(
    tree: Tree,
    manifest: Manifest | None,
    topology: Topology,
    samples: tuple[Found[WindowSample], ...],
    numastats: tuple[Found[NumaNodeNumastat], ...],
    vmstats: tuple[Found[Vmstat], ...],
    tables: tuple[Found[Interrupts], ...],
    pressures: tuple[Found[Pressure], ...],
) -> Window:
    """Growth is the difference of the two copies; what was read in between tells where a counter went backwards."""
    if not samples:
        return Window(None, {}, {}, {}, None, {}, {})
    growth = Growth(samples[0].record)
    numa_nodes = {
        int(match[1]): growth.of(path, ends.first.record, ends.last.record)
        for path, ends in growth.ends(numastats)
        if (match := re.search(r"/node(\d{1,4})/numastat$", path))
    }
    vmstat = next((growth.of(path, ends.first.record, ends.last.record) for path, ends in growth.ends(vmstats)), {})
    both = next((ends for _, ends in growth.ends(tables)), None)
    interrupts = _interrupts(both, growth) if both else {}
    return Window(
        growth.sample,
        numa_nodes,
        vmstat,
        interrupts,
        _by_numa_node(interrupts, topology),
        {path.rpartition("/")[2]: _stalled(path, ends, growth) for path, ends in growth.ends(pressures)},
        {path.rpartition("/")[0]: found for path in growth.sample.backwards if (found := _cpu_stat(tree, path, growth))},
        tuple(each.file for each in both or ()),
        manifest.clock_ticks_per_s if manifest else None,
        tuple(growth.gaps),
    )


# -- interrupts


def _interrupts(ends: Ends[Interrupts], growth: Growth) -> dict[int, IrqGrowth]:
    first, last = ends.first.record, ends.last.record
    if first.online_cpus is None or first.online_cpus != last.online_cpus:
        growth.gaps.append(Gap("absent", f"root/{INTERRUPTS}", "other CPUs were online at the end of the window than at its start"))
        return {}
    before = first.by_irq()
    grown = {irq: _irq(before[irq], row) for irq, row in last.by_irq().items() if irq in before}
    growth.lose(INTERRUPTS, [f"IRQ {irq}" for irq, each in grown.items() if each.total is None])
    return grown


def _irq(before: Interrupt, after: Interrupt) -> IrqGrowth:
    """A line has only the CPUs that served any; one that did and has none now was reset."""
    old, new = dict(before.counts), dict(after.counts)
    by_cpu = {cpu: difference(old.get(cpu, 0), new.get(cpu, 0)) for cpu in old.keys() | new.keys()}
    known = {cpu: count for cpu, count in sorted(by_cpu.items()) if count}
    return IrqGrowth(None if None in by_cpu.values() else sum(known.values()), known)


def _by_numa_node(interrupts: dict[int, IrqGrowth], topology: Topology) -> dict[int, int] | None:
    if not interrupts or any(each.total is None for each in interrupts.values()):
        return None
    by_cpu = Counter[int]()
    for each in interrupts.values():
        by_cpu.update(each.by_cpu)
    return {numa_node.id: sum(by_cpu[cpu] for cpu in numa_node.cpus) for numa_node in topology.numa_nodes if numa_node.cpus is not None}


# -- waiting, and CPU limits


def _stalled(path: str, ends: Ends[Pressure], growth: Growth) -> Stalled:
    some, full = (
        _share(growth.difference(path, name, *(_total(getattr(each.record, name)) for each in ends)), growth.sample.between_ends_s)
        for name in ("some", "full")
    )
    return Stalled(some, full, tuple(cite(each.file, "some") for each in ends))


def _total(stall: Stall | None) -> int | None:
    return stall.total_us if stall else None


def _share(grown_us: int | None, seconds: float) -> float | None:
    """At most 1: the kernel brings the totals up to date a little after the time that they are about."""
    return None if grown_us is None or not seconds else min(1.0, grown_us / 1e6 / seconds)


def _cpu_stat(tree: Tree, path: str, growth: Growth) -> CpuStatGrowth | None:
    """None for a file that is not a cgroup's, or not there at both ends."""
    files = [tree.get(f"again/{number}/root/{path}") for number in growth.sample.ends]
    if not path.endswith("/cpu.stat") or any(isinstance(file, Gap) for file in files):
        return None
    there = [file for file in files if not isinstance(file, Gap)]
    try:
        first, last = (parse_cpu_stat(file.text) for file in there)
    except ParseError as error:
        growth.gaps.append(Gap("unparsable", f"root/{path}", error.reason))
        return None
    lines = tuple(cite(file, name) for name in ("nr_periods", "nr_throttled") for file in there)
    return CpuStatGrowth(CgroupCpuStat(**growth.of(path, first, last)), lines)


JOINER = Joiner(join)
