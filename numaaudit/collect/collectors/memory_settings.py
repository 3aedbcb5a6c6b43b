"""Settings that move or place pages: NUMA balancing, zone reclaim, huge pages, tiering (admin-guide/sysctl, admin-guide/mm)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "proc/sys/kernel/numa_balancing",
        "proc/sys/vm/{zone_reclaim_mode,numa_stat,swappiness,min_free_kbytes}",
        "sys/kernel/mm/transparent_hugepage/{enabled,defrag,shmem_enabled}",
        "sys/kernel/mm/transparent_hugepage/hugepages-*/enabled",
        "sys/kernel/mm/numa/demotion_enabled",
        "sys/kernel/mm/mempolicy/weighted_interleave/node[0-9]*",
    ),
)
