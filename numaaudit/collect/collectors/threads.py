"""Each thread's name, mask, CPU times and last CPU."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("comm", "status", "stat"), scope="thread")
