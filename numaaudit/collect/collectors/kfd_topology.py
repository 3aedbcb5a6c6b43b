"""AMD's compute driver (/sys/class/kfd): its topology, and the memory each process holds on each GPU."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

_KFD = "sys/class/kfd/kfd"

COLLECTOR = Collector(
    files=(
        _KFD + "/topology/nodes/[0-9]*/{gpu_id,name,properties}",
        _KFD + "/topology/nodes/[0-9]*/{io_links,p2p_links}/[0-9]*/properties",
        _KFD + "/proc/[0-9]*/vram_[0-9]*",
        "sys/module/amdgpu/version",
    ),
    links=(_KFD,),
)
