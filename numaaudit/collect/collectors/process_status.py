"""A process's masks, sizes, times, cgroup and limits; none of these waits for its memory lock (proc_pid_status(5))."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("status", "stat", "cgroup", "limits"), scope="process")
