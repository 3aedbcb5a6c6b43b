"""NVMe controllers (/sys/class/nvme): the PCI function of each, and its transport."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=("sys/class/nvme/*/{address,numa_node,transport,state,model}",),
    links=("sys/class/nvme/*", "sys/class/nvme/*/device"),
)
