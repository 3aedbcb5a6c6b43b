"""Unified-bus devices of Ascend hosts (/sys/class/ubcore); their ``numa`` is the vendor's number, not the kernel's."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(
    files=("sys/class/ubcore/*/device/{numa,ub_totalues}",),
    links=("sys/class/ubcore/*",),
)
