"""The window for people: one line in a report, a short block in ``inspect``."""

from collections import Counter
from collections.abc import Iterator

from numaaudit.core.durations import format_seconds
from numaaudit.model.sections.window import Stalled, Window
from numaaudit.parse.parsers.window import WindowProcess, WindowSample

_COUNTERS = ("numa_hit", "numa_miss", "numa_foreign", "other_node")
_BALANCING = ("numa_pte_updates", "numa_hint_faults", "numa_pages_migrated")
_ROUNDING_S = 0.001


def window_summary(sample: WindowSample) -> str:
    """``30 s, 30 readings``; what was cut short, late or missed is said."""
    is_cut = sample.seconds < sample.duration_s - _ROUNDING_S
    of = f" of {format_seconds(sample.duration_s)}" if is_cut else ""
    parts = [f"{format_seconds(sample.seconds)}{of}", f"{sample.num_readings} readings"]
    parts += [f"{len(numbers)} {name}" for name, numbers in (("late", sample.late), ("missed", sample.missed)) if numbers]
    return ", ".join(parts)


def window_lines(window: Window) -> Iterator[str]:
    """Nothing for an input without a window."""
    if window.sample is None:
        return
    yield ""
    yield f"window    {window_summary(window.sample)}"
    if window.numa_nodes:
        yield "  pages allocated, against the policy in force; these are no accesses:"
    for number, counters in sorted(window.numa_nodes.items()):
        yield f"  NUMA node {number}: {', '.join(f'{name} {_or(counters.get(name))}' for name in _COUNTERS)}"
    if window.vmstat:
        yield f"  balancing: {', '.join(f'{name} {_or(window.vmstat.get(name))}' for name in _BALANCING)}"
    if window.irqs_by_numa_node is not None:
        served = (f"{_rate(window.per_s(count))} by CPUs of NUMA node {number}" for number, count in window.irqs_by_numa_node.items())
        yield f"  interrupts a second: {', '.join(served)}"
    if window.stalled:
        yield f"  tasks waited for: {', '.join(f'{name} {_percent(each)}' for name, each in sorted(window.stalled.items()))}"
    for folder, found in sorted(window.cpu_stats.items()):
        if found.stat.nr_periods:
            yield f"  /{folder}: CPU limit ran out in {_or(found.stat.nr_throttled)} of {found.stat.nr_periods} periods"
    yield from (_process(process, window) for process in window.sample.processes)


def _process(process: WindowProcess, window: Window) -> str:
    threads = [f"{process.threads_seen} threads"]
    threads += [f"{process.threads_born} began"] if process.threads_born else []
    threads += [f"{process.threads_ended} ended"] if process.threads_ended else []
    return (
        f"  pid {process.pid}{' (ended)' if process.has_ended else ''}: {', '.join(threads)}, CPU time {_cpu_time(process, window)}; "
        f"at least {process.cpu_moves} moves to another CPU, {_or(process.numa_node_moves)} to another NUMA node{_seen(process)}"
    )


def _seen(process: WindowProcess) -> str:
    """Where its threads had run when they were looked at."""
    seen = Counter[int]()
    for thread in process.threads:
        seen.update(dict(thread.by_numa_node))
    return "".join(f"; seen {count} times on NUMA node {number}" for number, count in sorted(seen.items()))


def _cpu_time(process: WindowProcess, window: Window) -> str:
    if process.cpu_ticks is None or not window.ticks_per_s:
        return "not known" if process.cpu_ticks is None else f"{process.cpu_ticks} ticks"
    return format_seconds(process.cpu_ticks / window.ticks_per_s)


def _or(value: int | None) -> str:
    return "not known" if value is None else str(value)


def _rate(per_s: float | None) -> str:
    return "not known" if per_s is None else f"{per_s:.0f}"


def _percent(stalled: Stalled) -> str:
    return "not known" if stalled.some is None else f"{100 * stalled.some:.1f} % of the time"
