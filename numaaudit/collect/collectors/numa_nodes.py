"""NUMA nodes: their CPUs, distances, memory, counters and huge page pools (Documentation/ABI/stable/sysfs-devices-node)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

_NODE = "sys/devices/system/node/node[0-9]*"

COLLECTOR = Collector(
    files=(
        "sys/devices/system/node/{possible,online,has_cpu,has_memory,has_normal_memory,has_generic_initiator}",
        _NODE + "/{cpulist,cpumap,distance,meminfo,numastat,vmstat}",
        _NODE + "/hugepages/hugepages-*/{nr_hugepages,free_hugepages,surplus_hugepages}",
        _NODE + "/access[01]/initiators/{read_latency,write_latency,read_bandwidth,write_bandwidth}",
        "sys/devices/virtual/memory_tiering/memory_tier[0-9]*/nodelist",
    ),
    window_ticks=(_NODE + "/numastat",),
)
