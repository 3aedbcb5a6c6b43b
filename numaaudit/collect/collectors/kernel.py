"""The kernel's own account of the host: version, command line, memory, counters, pressure and mounts."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "proc/{version,cmdline,cpuinfo,meminfo,vmstat,mounts}",
        "proc/pressure/{cpu,memory,io}",
        "proc/sys/kernel/{osrelease,hostname,tainted}",
    ),
    window_ticks=("proc/vmstat", "proc/pressure/{cpu,memory,io}"),
)
