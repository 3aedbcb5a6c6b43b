"""Logical CPUs: which are online and isolated, cores, packages, dies and caches (Documentation/admin-guide/cputopology.rst)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

_CPU = "sys/devices/system/cpu/cpu[0-9]*"
_TOPOLOGY = "physical_package_id,die_id,cluster_id,core_id,core_cpus_list,thread_siblings_list,package_cpus_list,core_siblings_list"

COLLECTOR = Collector(
    files=(
        "sys/devices/system/cpu/{online,offline,possible,present,isolated,nohz_full}",
        "sys/devices/system/cpu/smt/{active,control}",
        _CPU + "/online",
        _CPU + "/topology/{%s}" % _TOPOLOGY,
        _CPU + "/cache/index[0-9]*/{level,type,id,size,shared_cpu_list}",
    ),
    links=(_CPU + "/node[0-9]*",),
)
