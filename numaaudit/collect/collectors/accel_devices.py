"""Devices of the accel class (/sys/class/accel), and of habanalabs before it: which PCI function each Gaudi or NPU is."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

_NAMES = ("sys/class/accel/accel[0-9]*", "sys/class/habanalabs/hl[0-9]*")  # not accel_controlD0, nor hl_controlD0

COLLECTOR = Collector(
    links=_NAMES + tuple(name + "/device" for name in _NAMES),
)
