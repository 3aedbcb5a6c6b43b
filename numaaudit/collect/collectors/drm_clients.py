"""Which PCI function an open DRM file is, by the driver's word (kernel Documentation/gpu/drm-usage-stats.rst)."""

from __future__ import annotations

from numaaudit.collect.collector import Collector
from numaaudit.collect.devices import is_drm_client

COLLECTOR = Collector(links=("fd/*",), files=("fdinfo/*",), scope="process", keep_target=is_drm_client)
