"""What the kubelet is set to, and what it gave to whom: state files that only root may read (kubernetes ``pkg/kubelet/cm``)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "var/lib/kubelet/{cpu_manager_state,memory_manager_state,config.yaml}",
        "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",
    ),
)
