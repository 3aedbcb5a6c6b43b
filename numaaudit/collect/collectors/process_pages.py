"""Where a process's pages are, and under which policies (numa(7)). Costs about 9 ms per GiB of small pages, hence the guard."""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("numa_maps",), scope="process", locks_memory=True, walks_pages=True)
