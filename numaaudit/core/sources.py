"""Where a value came from, in order of trust (design: the first is believed where two disagree)."""

from __future__ import annotations

SOURCES = (
    "sysfs",
    "procfs",
    "kfd",
    "nvidia-smi",
    "rocm-smi",
    "npu-smi",
    "hwloc-xml",
    "nccl-xml",
    "numactl",
    "lscpu",
    "numastat",
    "local-cpus",
    "derived",
    "class-file",
)


def trust(source: str) -> int:
    """Rank of a source; 0 is the most trusted. ValueError for a name that is not in the table."""
    return SOURCES.index(source)
