"""nvidia-smi: the GPUs, who computes on them, what slows them down, and the matrix of links. It may initialise GPUs, and it may hang."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    commands=(
        ("nvidia-smi", "topo", "-m"),
        ("nvidia-smi", "--query-gpu=index,uuid,pci.bus_id,name,driver_version", "--format=csv"),
        ("nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv"),
        ("nvidia-smi", "-L"),
        ("nvidia-smi", "-q", "-d", "PERFORMANCE,POWER,CLOCK"),
    ),
    gpu_tool=True,
)
