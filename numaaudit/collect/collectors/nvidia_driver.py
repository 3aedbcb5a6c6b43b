"""What the NVIDIA kernel module says of its GPUs without being asked to initialise one (/proc/driver/nvidia)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "proc/driver/nvidia/{version,params}",
        "proc/driver/nvidia/gpus/*/{information,numa_status,power}",
        "sys/module/nvidia/version",
    ),
)
