"""The accelerators and RDMA NICs a process holds open. No other descriptor is looked at twice."""

from __future__ import annotations

from numaaudit.collect.collector import Collector
from numaaudit.collect.devices import is_accelerator_or_rdma

COLLECTOR = Collector(links=("fd/*",), scope="process", keep_target=is_accelerator_or_rdma)
