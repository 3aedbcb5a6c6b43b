"""Device nodes of accelerators: which exist here. Each is kept as an empty file, its numbers in the manifest."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    devices=(
        "dev/nvidia*",
        "dev/nvidia-caps/*",
        "dev/davinci*",
        "dev/kfd*",
        "dev/dri/renderD*",
        "dev/accel/accel*",
        "dev/hl[0-9]*",
        "dev/infiniband/*",
    ),
)
