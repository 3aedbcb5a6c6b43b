"""The kernel's settings that move memory between NUMA nodes or keep it from them, with their lines.

``kernel.numa_balancing`` (Documentation/admin-guide/sysctl/kernel.rst), ``vm.zone_reclaim_mode`` (sysctl/vm.rst), and what
balancing did between the readings (``/proc/vmstat``).
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.vmstat import Vmstat

BALANCES = 1  # numa_balancing: 2 alone is memory tiering
RECLAIMS = 1  # zone_reclaim_mode: 2 writes pages out as well, 4 swaps


class Setting(NamedTuple):
    """A bit mask and its line."""

    value: int
    evidence: Evidence


class MemorySettings(NamedTuple):
    """A Gap where a setting is not known. ``hint_faults``: of balancing between the first and the last reading; None with one."""

    numa_balancing: Setting | Gap
    zone_reclaim_mode: Setting | Gap
    hint_faults: int | None


def join(tree: Tree, vmstats: tuple[Found[Vmstat], ...]) -> MemorySettings:
    """Settings of the first reading."""
    return MemorySettings(_setting(tree, "kernel/numa_balancing"), _setting(tree, "vm/zone_reclaim_mode"), _hint_faults(vmstats))


def _setting(tree: Tree, name: str) -> Setting | Gap:
    file = tree.get(f"root/proc/sys/{name}")
    if isinstance(file, Gap):
        return file
    match = re.fullmatch(r"(\d{1,9})\s{0,4}\0?", file.text, re.A)
    return Setting(int(match[1]), cite(file)) if match else Gap("unparsable", file.path, "not a number")


def _hint_faults(vmstats: tuple[Found[Vmstat], ...]) -> int | None:
    counts = [found.record.numa_hint_faults for found in sorted(vmstats, key=lambda found: found.reading)]
    if len(counts) < 2 or counts[0] is None or counts[-1] is None:
        return None
    return counts[-1] - counts[0]


JOINER = Joiner(join)
