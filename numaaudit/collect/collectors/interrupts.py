"""Interrupts: counts per CPU, and where each may and does go (Documentation/core-api/irq/irq-affinity.rst)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=(
        "proc/interrupts",
        "proc/irq/default_smp_affinity",
        "proc/irq/[0-9]*/{smp_affinity_list,effective_affinity_list,node}",
    ),
    window_ends=("proc/interrupts",),  # a line of 256 CPUs is 2.8 KiB, and a host has a thousand lines
)
