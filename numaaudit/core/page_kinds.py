"""The kinds of mappings whose pages are sampled: those that numa_maps is read by, with shared memory in three parts.

========= ====================================================================================================================
anon      heap, stacks, everything without a file (``fs/proc/task_mmu.c``: whatever its name)
pinned    ``/dev/zero``: shared anonymous memory, of which CUDA's pinned buffers are made
shm       ``/memfd:``
named-shm ``/dev/shm/`` and System V segments, which other processes may have filled
driver    ``/dev/nvidiactl``: the driver's own system memory (kernel-open/nvidia/nv-mmap.c)
hugetlb   pages from the pool: ``/anon_hugepage``, files of a hugetlbfs, and what shares a device with either
file      private writable mappings of files: their copied pages count as anonymous in ``RssAnon``
========= ====================================================================================================================
"""

from __future__ import annotations

ANON, PINNED, SHM, NAMED_SHM, DRIVER, HUGETLB, FILE = KINDS = ("anon", "pinned", "shm", "named-shm", "driver", "hugetlb", "file")
