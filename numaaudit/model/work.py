"""Which threads do a process's work: each weighed by its CPU time, and where it may spend it."""

from collections.abc import Callable
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.model.sections.processes import Process, Thread

MOST_MISSING = 0.1  # of a process's threads: some end while they are read


class Work(NamedTuple):
    """``shares`` of the CPU time by thread, adding up to 1; threads whose mask or time is not known are left out.

    ``is_measured``: between two readings; else since each thread began. ``is_complete``: as good as all threads are among them.
    """

    shares: tuple[tuple[Thread, float], ...]
    is_measured: bool
    is_complete: bool

    def share(self, is_so: Callable[[CpuSet], bool]) -> float:
        """The share of the threads whose effective CPUs are so."""
        return sum(share for _, share in self.matching(is_so))

    def matching(self, is_so: Callable[[CpuSet], bool]) -> list[tuple[Thread, float]]:
        """Those threads with their shares, the busiest first."""
        found = [(thread, share) for thread, share in self.shares if thread.effective_cpus is not None and is_so(thread.effective_cpus)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].tid))

    def busy(self, least: float) -> list[Thread]:
        """The threads with at least this part of the busiest thread's CPU time, in order of TID."""
        most = max((share for _, share in self.shares), default=0.0)
        return sorted((thread for thread, share in self.shares if share >= least * most), key=lambda thread: thread.tid)


def work_of(process: Process) -> Work:
    """Weigh by the time between two readings where there are two and anything ran, else by the total."""
    deltas = [(thread, thread.cpu_ticks_delta) for thread in process.threads if thread.effective_cpus is not None]
    is_measured = sum(ticks or 0 for _, ticks in deltas) > 0
    ticks = deltas if is_measured else [(thread, thread.cpu_ticks) for thread, _ in deltas]
    known = [(thread, amount) for thread, amount in ticks if amount is not None]
    total = sum(amount for _, amount in known)
    shares = tuple((thread, amount / total) for thread, amount in known) if total else ()
    return Work(shares, is_measured, _is_complete(process, len(known)))


def _is_complete(process: Process, num_known: int) -> bool:
    """A process of one thread is known by its own status; one that does not say how many it has is taken as it is."""
    num_threads = process.status.record.num_threads
    if num_threads is None and process.is_excerpt:
        return False
    return num_threads is None or num_threads == 1 or num_known >= num_threads * (1 - MOST_MISSING)


def union(threads: list[tuple[Thread, float]]) -> CpuSet:
    """All CPUs that these threads may use."""
    return CpuSet.union(thread.effective_cpus or CpuSet() for thread, _ in threads)
