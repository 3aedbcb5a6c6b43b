"""The window in ``numaaudit.host/1``: counts as the kernel names them, nothing rounded."""

from typing import Any

from numaaudit.model.sections.topology import Topology
from numaaudit.model.sections.window import Window
from numaaudit.parse.parsers.window import WindowProcess, WindowSample, WindowThread


def window_document(window: Window, topology: Topology) -> dict[str, Any] | None:
    """Every key of the schema; None for an input without a window."""
    if window.sample is None:
        return None
    sample = window.sample
    return {
        **_times(sample),
        "numa_nodes": [_numa_node(number, window) for number in _numa_nodes(window, topology)],
        "vmstat": window.vmstat,
        "interrupts": [
            {"irq": irq, "count": each.total, "per_s": window.per_s(each.total)}
            for irq, each in sorted(window.interrupts.items())
            if each.total != 0
        ],
        "pressure": {name: {"some": each.some, "full": each.full} for name, each in sorted(window.stalled.items())},
        "cgroups": [{"folder": f"/{folder}", **found.stat._asdict()} for folder, found in sorted(window.cpu_stats.items())],
        "processes": [_process(process) for process in sample.processes],
        "threads_not_listed": sample.threads_not_listed,
    }


def _times(sample: WindowSample) -> dict[str, Any]:
    return {
        "duration_s": sample.duration_s,
        "every_s": sample.every_s,
        "seconds": sample.seconds,
        "between_ends_s": sample.between_ends_s,
        "readings": sample.num_readings,
        "late": list(sample.late),
        "missed": list(sample.missed),
    }


def _numa_nodes(window: Window, topology: Topology) -> list[int]:
    return sorted({*window.numa_nodes, *(numa_node.id for numa_node in topology.numa_nodes)})


def _numa_node(number: int, window: Window) -> dict[str, Any]:
    interrupts = None if window.irqs_by_numa_node is None else window.irqs_by_numa_node.get(number)
    return {"id": number, "counters": window.numa_nodes.get(number), "interrupts": interrupts}


def _process(process: WindowProcess) -> dict[str, Any]:
    return {**process._asdict(), "threads": [_thread(thread) for thread in process.threads]}


def _thread(thread: WindowThread) -> dict[str, Any]:
    return {
        "tid": thread.tid,
        "cpu_ticks": thread.cpu_ticks,
        "cpu_moves": thread.cpu_moves,
        "numa_node_moves": thread.numa_node_moves,
        "readings": thread.num_readings,
        "ran": thread.num_ran,
        "cpus": str(thread.cpus),
        "readings_by_numa_node": {str(number): count for number, count in thread.by_numa_node},
    }
