"""DRM devices (/sys/class/drm): which PCI function each card and render node is."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

_NAMES = ("sys/class/drm/card[0-9]", "sys/class/drm/card[0-9][0-9]", "sys/class/drm/renderD[0-9]*")  # not card0-DP-1, a connector

COLLECTOR = Collector(
    links=_NAMES + tuple(name + "/device" for name in _NAMES),
)
