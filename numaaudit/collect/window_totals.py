"""What the readings of a window add up to: ``samples/window.json``.

Kept are sums for each reading, and totals for each process and for each thread that ran; so the size follows the threads, not the
readings. What cannot be is None: a counter that went backwards tells nothing about the time in between.
"""

from __future__ import annotations

from typing import AbstractSet, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from numaaudit.collect.schedule import Schedule
from numaaudit.collect.window_reading import Reading, ThreadTimes
from numaaudit.core.counters import difference
from numaaudit.core.cpuset import MAX_CPU_ID, CpuSet

FORMAT = "numaaudit.window/1"
MOST_THREADS = 50_000  # listed one by one, the busiest; about 6 MiB

Key = Tuple[int, int]  # TID and start ticks: TIDs are used again


class Step(NamedTuple):
    """What one thread did between two readings; a field is None where that is not known."""

    cpu_ticks: Optional[int]
    cpu_moves: int
    numa_node_moves: Optional[int]


class _Thread:
    """One thread over the window. A move: it was on another CPU (NUMA node) than in the reading before."""

    def __init__(self, number: int, times: ThreadTimes) -> None:
        self.tid, self.start_ticks, self._ticks, self._cpu = times
        self.first = self.last = number
        self.num_readings = 1
        self.num_ran = 0
        self.sum = Step(0, 0, 0)
        self.cpus: Dict[int, int] = {}

    def add(self, number: int, times: ThreadTimes, numa_nodes: Mapping[int, int]) -> Step:
        """One more reading. Its last CPU counts only if it ran since the one before: where it sleeps, that is old."""
        _, _, ticks, cpu = times
        step = self._step(ticks, cpu, numa_nodes)
        if step.cpu_ticks or step.cpu_moves:
            self.num_ran += 1
            if cpu is not None and cpu <= MAX_CPU_ID:
                self.cpus[cpu] = self.cpus.get(cpu, 0) + 1
        self._ticks, self._cpu, self.last = ticks, cpu, number
        self.num_readings += 1
        self.sum = add_steps([self.sum, step])
        return step

    def _step(self, ticks: int, cpu: Optional[int], numa_nodes: Mapping[int, int]) -> Step:
        grown = difference(self._ticks, ticks)
        if cpu is None or self._cpu is None or cpu == self._cpu:
            return Step(grown, 0, 0)
        before, after = numa_nodes.get(self._cpu), numa_nodes.get(cpu)
        return Step(grown, 1, None if before is None or after is None else int(before != after))

    def document(self, numa_nodes: Mapping[int, int]) -> Dict[str, Any]:
        by_node: Dict[str, int] = {}
        for cpu, count in sorted(self.cpus.items()):
            if cpu in numa_nodes:
                name = str(numa_nodes[cpu])
                by_node[name] = by_node.get(name, 0) + count
        return {
            "tid": self.tid,
            "start_ticks": self.start_ticks,
            **self.sum._asdict(),
            "readings": self.num_readings,
            "ran": self.num_ran,
            "cpus": str(CpuSet(self.cpus)),
            "readings_by_numa_node": by_node,
        }


class WindowTotals:
    """Readings in, a document out. ``numa_nodes``: CPU to NUMA node; empty where that is not known."""

    def __init__(self, schedule: Schedule, numa_nodes: Mapping[int, int], most_threads: int = MOST_THREADS) -> None:
        self._schedule = schedule
        self._most_threads = most_threads
        self._numa_nodes = numa_nodes
        self._threads: Dict[int, Dict[Key, _Thread]] = {}
        self._has_ended: Dict[int, bool] = {}
        self._counters: List[Dict[str, Dict[str, int]]] = []
        self._num_threads: List[int] = []
        self._steps: List[Step] = []
        self.at_s: List[float] = []
        self._late: List[int] = []
        self._missed: List[int] = []

    @property
    def readings(self) -> int:
        """How many were made after the start."""
        return max(0, len(self.at_s) - 1)

    def add(self, reading: Reading) -> None:
        steps = [self._add_thread(pid, reading.number, times) for pid, threads in reading.threads.items() for times in threads or ()]
        for pid, threads in reading.threads.items():
            self._threads.setdefault(pid, {})
            self._has_ended[pid] = threads is None
        self.at_s.append(round(reading.at_s, 6))
        self._late += [reading.number] if reading.is_late else []
        self._missed += reading.missed
        self._counters.append(reading.counters)
        if self.readings:
            self._num_threads.append(len(steps))
            self._steps.append(add_steps(steps))

    def _add_thread(self, pid: int, number: int, times: ThreadTimes) -> Step:
        """A thread that is new counts from here on."""
        threads = self._threads.setdefault(pid, {})
        known = threads.get(times[:2])
        if known is not None:
            return known.add(number, times, self._numa_nodes)
        threads[times[:2]] = _Thread(number, times)
        return Step(0, 0, 0)

    def document(self, ends: Sequence[int], between_ends_s: float) -> Dict[str, Any]:
        """What is kept; ``ends``: the n of the two ``again/<n>/`` that are the window's first and last reading as copied."""
        ran = [thread for threads in self._threads.values() for thread in threads.values() if thread.num_ran]
        listed = {id(thread) for thread in sorted(ran, key=lambda thread: -(thread.sum.cpu_ticks or 0))[: self._most_threads]}
        return {
            "format": FORMAT,
            "duration_s": self._schedule.duration_s,
            "every_s": self._schedule.every_s,
            "seconds": self.at_s[-1],
            "ends": list(ends),
            "between_ends_s": round(between_ends_s, 6),
            "readings": self.readings,
            "at_s": self.at_s,
            "late": self._late,
            "missed": self._missed,
            "counters": self._series(),
            "num_threads": self._num_threads,
            **{name: [getattr(step, name) for step in self._steps] for name in Step._fields},
            "processes": [self._process(pid, threads, listed) for pid, threads in sorted(self._threads.items())],
            "threads_not_listed": len(ran) - len(listed),
        }

    def _series(self) -> List[Dict[str, Any]]:
        """How much each counter of each file grew up to each reading. The folder is apart: a cgroup's may get a pseudonym."""
        pairs = list(zip(self._counters, self._counters[1:]))
        return [
            {
                "folder": "/" + path.rpartition("/")[0],
                "file": path.rpartition("/")[2],
                "grown": {name: [_growth(path, name, *pair) for pair in pairs] for name in found},
            }
            for path, found in self._counters[0].items()
        ]

    def _process(self, pid: int, threads: Mapping[Key, _Thread], listed: AbstractSet[int]) -> Dict[str, Any]:
        each = sorted(threads.values(), key=lambda thread: (thread.tid, thread.start_ticks))
        last = max((thread.last for thread in each), default=0)
        return {
            "pid": pid,
            "has_ended": self._has_ended[pid],
            "threads_seen": len(each),
            "threads_born": sum(thread.first > 0 for thread in each),
            "threads_ended": sum(self._has_ended[pid] or thread.last < last for thread in each),
            **add_steps([thread.sum for thread in each])._asdict(),
            "threads": [thread.document(self._numa_nodes) for thread in each if id(thread) in listed],
        }


def add_steps(steps: Sequence[Step]) -> Step:
    """The sums of all; None where a part is not known."""
    return Step(
        total([step.cpu_ticks for step in steps]), sum(step.cpu_moves for step in steps), total([step.numa_node_moves for step in steps])
    )


def total(amounts: Sequence[Optional[int]]) -> Optional[int]:
    """The sum; None if a part is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _growth(path: str, name: str, before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]) -> Optional[int]:
    return difference(before.get(path, {}).get(name), after.get(path, {}).get(name))
