"""One reading of a window: counters of the host, and CPU time and last CPU of each thread. It runs in a child (collect/reader.py).

Only what has to be read every time is read here: short files of counters, and ``stat`` of each thread (0.016 ms of CPU time).
``stat`` waits for no lock of the process (kernel ``fs/proc/array.c``, ``do_task_stat``).
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.reader import Trying
from numaaudit.collect.schedule import Due, Schedule, ticks
from numaaudit.core.errors import ParseError
from numaaudit.core.procfs import is_id, parse_stat

_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY
_ENDED = "ZX"  # not waited for, or dead
_STAT_BYTES = 4096  # 52 numbers of at most 20 digits
# of the 180 keys of vmstat, and of what a cgroup's cpu.stat may have
_VMSTAT = ("numa_", "pgmigrate_", "pgpromote_", "pgdemote_")

ThreadTimes = Tuple[int, int, int, Optional[int]]  # TID, start ticks, CPU ticks, last CPU


class Reading(NamedTuple):
    """What was read ``at_s`` after the start. Between processes it is a plain tuple.

    ``counters``: path below the host's root to name to value. ``threads``: those of each PID; None once it has ended.
    """

    number: int
    at_s: float
    is_late: bool
    missed: Tuple[int, ...]
    counters: Dict[str, Dict[str, int]]
    threads: Dict[int, Optional[List[ThreadTimes]]]


class WindowReader:
    """The work of reading a window: ``reader(schedule)`` gives Readings until its end."""

    def __init__(self, root: str, tree: Tree, paths: Sequence[str], starts: Dict[int, int]) -> None:
        self._root = root
        self._tree = tree
        self._paths = paths
        self._starts = starts

    def __call__(self, schedule: Schedule) -> Iterator[Any]:
        for due in ticks(schedule, time.monotonic, time.sleep):
            yield self._read(due)
            yield Trying("reading %d of the window" % (due.number + 1))

    def _read(self, due: Due) -> Reading:
        threads = {pid: thread_times(self._root, pid, start) for pid, start in self._starts.items()}
        files = {path: self._tree.get("root/" + path) for path in self._paths}
        return Reading(*due, {path: counters(path, file.text) for path, file in files.items() if not isinstance(file, Gap)}, threads)


def counters(path: str, text: str) -> Dict[str, int]:
    """The counters of a file: ``name value`` a line, or the totals in microseconds of pressure stall information."""
    found = {}
    for words in map(str.split, text.splitlines()):
        value = words[1] if len(words) == 2 else words[-1].partition("total=")[2] if words else ""
        if value.isascii() and value.isdigit() and len(value) <= 20:
            found[words[0]] = int(value)
    if path.endswith("/vmstat"):
        return {name: value for name, value in found.items() if name.startswith(_VMSTAT)}
    return found


def thread_times(root: str, pid: int, start_ticks: int) -> Optional[List[ThreadTimes]]:
    """Every thread of a process; None if it has ended, also where its PID is another process's by now."""
    try:
        folder = os.open(os.path.join(root, "proc/%d/task" % pid), _FOLDER)
    except OSError:
        return None
    try:
        names = os.listdir(folder)
        found = [times for times in (_times(folder, name) for name in names if is_id(name)) if times]
    except OSError:
        return None
    finally:
        os.close(folder)
    return None if any(tid == pid and start != start_ticks for tid, start, _, _ in found) else found or None


def _times(folder: int, tid: str) -> Optional[ThreadTimes]:
    """None if the thread has ended meanwhile."""
    try:
        fd = os.open(tid + "/stat", _FILE, dir_fd=folder)
        try:
            stat = parse_stat(os.read(fd, _STAT_BYTES).decode("utf-8", "backslashreplace"))
        finally:
            os.close(fd)
    except (OSError, ParseError):
        return None
    if stat.state in _ENDED:
        return None
    return int(tid), stat.start_ticks, stat.utime_ticks + stat.stime_ticks, stat.last_cpu
