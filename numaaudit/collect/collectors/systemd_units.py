"""What systemd gives the units of the processes: CPU and memory masks, quota, slice (systemd.exec(5), systemd.resource-control(5)).

The units are in a process's cgroup path: its slices and the first service or scope. What is below belongs to that unit, and a user's
own units to the user's own systemd.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, Sequence

from numaaudit.bundle.tree import Tree
from numaaudit.collect.collector import Collector
from numaaudit.core.procfs import cgroup_rows

_PROPERTIES = (
    "Id,CPUAffinity,NUMAPolicy,NUMAMask,AllowedCPUs,EffectiveCPUs,AllowedMemoryNodes,EffectiveMemoryNodes,CPUQuotaPerSecUSec,Slice,"
    "ControlGroup,Delegate"
)
_MOST = 64  # of one command each; eight pods have about 30
_SLICE = re.compile(r"[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,240}\.slice", re.A)
_UNIT = re.compile(r"[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,240}\.(?:service|scope)", re.A)


def units_of_processes(tree: Tree, pids: Sequence[int]) -> Sequence[str]:
    """The units of the cgroups of these processes, outer ones first, once each."""
    units: Dict[str, None] = {}
    for text in (tree.text("root/proc/%d/cgroup" % pid) or "" for pid in pids):
        units.update(dict.fromkeys(_units(text)))
    return list(units)[:_MOST]


def _units(cgroup: str) -> Iterator[str]:
    """systemd's own hierarchy is that of v2, or the one called ``name=systemd``; the others repeat it or have their own folders."""
    paths = [path for _, controllers, path in cgroup_rows(cgroup) if controllers in ("", "name=systemd")]
    for parts in (path.split("/")[1:] for path in paths):
        for part in parts:
            if not _SLICE.fullmatch(part) and not _UNIT.fullmatch(part):
                break
            yield part
            if _UNIT.fullmatch(part):
                break


COLLECTOR = Collector(commands=(("systemctl", "show", "--no-pager", "--property=" + _PROPERTIES),), operands=units_of_processes)
