"""What the cgroups of a process let it use, v2 and v1 names (admin-guide/cgroup-v2.rst, cgroup-v1/cpusets.rst)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "cgroup.{controllers,subtree_control,type}",
        "cpuset.{cpus,mems,cpus.effective,mems.effective,cpus.partition,cpus.exclusive,cpus.exclusive.effective,cpus.isolated}",
        "cpuset.{effective_cpus,effective_mems,cpu_exclusive,mem_exclusive,memory_migrate,sched_load_balance}",
        "cpu.{max,stat,weight,cfs_quota_us,cfs_period_us}",
        "memory.{max,high,current,numa_stat,limit_in_bytes,usage_in_bytes}",
    ),
    scope="cgroup",
    window_ticks=("cpu.stat",),
)
