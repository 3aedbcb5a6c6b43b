"""The model for people (``numaaudit inspect``)."""

from collections import Counter
from collections.abc import Iterator
from textwrap import wrap

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.units import counted, format_bytes
from numaaudit.core.visible import one_line
from numaaudit.model.host import Host
from numaaudit.model.sampled import sample_of
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.model.sections.window import Window
from numaaudit.report.page import reason_of, seen_from
from numaaudit.report.sampled_pages import sampled_text
from numaaudit.report.view import singular
from numaaudit.report.window_text import window_lines

_MANY = 4  # paths that are told together where they are missing for one reason
_WIDTH = 100


def host_lines(host: Host) -> list[str]:
    """Host, packages, NUMA nodes with what hangs on them, distances, processes, gaps."""
    parts = (
        _system(host),
        _numa_nodes(host),
        _distances(host.section(Topology)),
        _unplaced(host),
        _processes(host),
        window_lines(host.section(Window)),
        _conflicts(host),
        _gaps(host),
    )
    return [one_line(line) if line else "" for part in parts for line in part]


def _system(host: Host) -> Iterator[str]:
    system, topology = host.section(System), host.section(Topology)
    yield f"host      {system.hostname or 'name not known'}, kernel {system.kernel or 'not known'}, {seen_from(system)}"
    if system.collected_at:
        yield f"collected {system.collected_at}{f', marked {system.mark}' if system.mark else ''}"
    cores = "cores not known" if topology.cores is None else counted(topology.cores, "core")
    threads = topology.threads_per_core
    per_core = "threads per core not known" if threads is None else f"{counted(threads, 'thread')} per core"
    yield f"CPUs      {_or(topology.online)} online, {cores}, {per_core}"
    for package in topology.packages:
        yield f"package   {_or(package.id)}: CPUs {package.cpus}"


def _or(value: object) -> str:
    return "not known" if value is None else str(value)


def _numa_nodes(host: Host) -> Iterator[str]:
    topology, devices = host.section(Topology), host.section(Devices)
    for numa_node in topology.numa_nodes:
        memory = format_bytes(numa_node.memory_bytes) if numa_node.memory_bytes is not None else "memory not known"
        yield ""
        yield f"NUMA node {numa_node.id}: CPUs {_or(numa_node.cpus) or 'none'}, {memory}"
        for gpu in devices.gpus:
            if gpu.numa_node == numa_node.id:
                yield f"  GPU  {gpu.name}  {_number('index', gpu.index)}{gpu.model or gpu.vendor or ''}"
        for nic in devices.nics:
            if nic.numa_node == numa_node.id:
                yield f"  NIC  {nic.pci_address}  {nic.name}{f' ({nic.netdev})' if nic.netdev not in (None, nic.name) else ''}"
        for nvme in devices.nvmes:
            if nvme.numa_node == numa_node.id:
                yield f"  NVMe {nvme.pci_address}  {nvme.name}"


def _number(name: str, value: int | None) -> str:
    return "" if value is None else f"{name} {value}  "


def _distances(topology: Topology) -> Iterator[str]:
    if topology.distances is None or len(topology.distances.nodes) < 2:
        return
    width = max(len(str(cell)) for row in (topology.distances.nodes, *topology.distances.matrix) for cell in row)
    yield ""
    yield "distance  " + " ".join(f"{number:>{width}}" for number in topology.distances.nodes)
    for number, row in zip(topology.distances.nodes, topology.distances.matrix, strict=True):
        yield f"{number:>8}  " + " ".join(f"{cell:>{width}}" for cell in row)


def _unplaced(host: Host) -> Iterator[str]:
    devices, topology = host.section(Devices), host.section(Topology)
    for gpu in devices.gpus:
        what = f"GPU  {gpu.name}  {_number('index', gpu.index)}{gpu.model or gpu.vendor or ''}"
        if gpu.numa_node is None:
            several = f"one of NUMA nodes {gpu.numa_nodes}" if gpu.numa_nodes else "NUMA node not known"
            yield f"{what}: {several}{f' ({gpu.gap.reason})' if gpu.gap else ''}"
        elif topology.numa_node(gpu.numa_node) is None:
            yield f"{what}: NUMA node {gpu.numa_node}, whose CPUs are not known"
    for nic in devices.nics:
        if nic.numa_node is None:
            yield f"NIC  {nic.pci_address or ''}  {nic.name}: NUMA node not known"


def _processes(host: Host) -> Iterator[str]:
    ranks = {rank.process.pid: rank for rank in host.section(Ranks).all}
    for process in host.section(Processes).all:
        yield ""
        yield from _process(process, ranks.get(process.pid))


def _process(process: Process, rank: Rank | None) -> Iterator[str]:
    yield f"pid {process.pid}  {process.comm or ''}  {rank.subject if rank and rank.subject.startswith('rank:') else ''}".rstrip()
    if rank:
        yield f"  GPU     {_gpus(rank)}"
    yield f"  CPUs    {_or(process.effective_cpus)} (mask {_or(process.allowed_cpus)})"
    yield singular(f"  policy  {process.policy or 'not known'}; memory may come from NUMA nodes {_or(process.allowed_mems)}")
    if isinstance(process.maps, Gap):
        yield f"  memory  not known: {process.maps.kind} ({process.maps.reason})"
    elif not process.maps.record.is_partial:
        sizes = process.maps.record.bytes_by_node()
        yield "  memory  " + (
            ", ".join(f"{format_bytes(size)} on NUMA node {number}" for number, size in sorted(sizes.items())) or "none resident"
        )
    sampled = sampled_text(process)
    if sampled:
        yield f"  memory  {sampled}"
        yield f"          all of them: numaaudit collect --pid {process.pid} --pages full (holds the process up by about 9 ms per GiB)"
    for cpus, count, names in mask_classes(process):
        yield f"  threads {count} with mask {_or(cpus)}: {names}"


def _gpus(rank: Rank) -> str:
    if rank.gpus:
        return f"{' '.join(gpu.name for gpu in rank.gpus)} (known from: {rank.gpu_source})"
    return f"not known: {rank.gap.reason if rank.gap else 'no evidence'}"


def mask_classes(process: Process) -> list[tuple[CpuSet | None, int, str]]:
    """(mask, number of threads, their commonest names): threads by mask, the largest class first."""
    classes: dict[CpuSet | None, Counter[str]] = {}
    for thread in process.threads:
        classes.setdefault(thread.allowed_cpus, Counter())[thread.comm or "?"] += 1
    rows = [(cpus, sum(names.values()), _names(names)) for cpus, names in classes.items()]
    return sorted(rows, key=lambda row: (-row[1], str(row[0])))


def _names(names: Counter[str]) -> str:
    common = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} x {count}" if count > 1 else name for name, count in common[:4])
    return shown + (f" and {len(common) - 4} other names" if len(common) > 4 else "")


def _conflicts(host: Host) -> Iterator[str]:
    for conflict in host.conflicts:
        values = ", ".join(f"{value} ({source})" for value, source in conflict.values)
        yield f"conflict: {conflict.subject} {conflict.field}: {values}"


def _gaps(host: Host) -> Iterator[str]:
    """What is missing for one reason, in one paragraph: most hosts lack most drivers. Sampled pages are told of with their process."""
    sampled = {f"root/proc/{process.pid}/numa_maps" for process in host.section(Processes).all if sample_of(process)}
    gaps = [gap for gap in host.gaps if gap.path not in sampled]
    if gaps:
        yield ""
        yield "not known"
    paths: dict[str, Counter[str]] = {}
    for gap in gaps:
        what, kind, reason = reason_of(gap)
        paths.setdefault(f"{kind}{f', {reason}' if reason else ''}", Counter())[one_line(what)] += 1
    for why, counts in paths.items():
        shown = [f"{what} ({count} times)" if count > 1 else what for what, count in counts.items()]
        if len(shown) < _MANY:
            yield from (f"  {what}: {why}" for what in shown)
        else:
            yield f"  {why}:"
            yield from wrap(", ".join(shown), _WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
