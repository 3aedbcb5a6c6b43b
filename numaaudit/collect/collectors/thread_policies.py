"""Each thread's memory policy: it is its own, while the pages in ``numa_maps`` are those of the whole process.

All are read, but only those that differ from the main thread's are kept: a thread without one has the same.
"""

from __future__ import annotations

from numaaudit.collect.collector import Collector

COLLECTOR = Collector(files=("numa_maps",), scope="thread", locks_memory=True, walks_pages=True)
