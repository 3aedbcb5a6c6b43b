"""CPU limits of control groups: time, not CPUs (cgroup-v2.rst, ``cpu.max``; v1 scheduler/sched-bwc.rst, ``cpu.cfs_quota_us``)."""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import File, Gap, Tree
from numaaudit.core.errors import ParseError
from numaaudit.model.evidence import Evidence, cite
from numaaudit.model.join import Joiner
from numaaudit.model.sections.cgroups import MOUNT, ancestors
from numaaudit.model.sections.window import Window
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cgroup_cpu_stat import CgroupCpuStat
from numaaudit.parse.parsers.cgroup_cpu_stat import parse as parse_cpu_stat
from numaaudit.parse.parsers.proc_cgroup import ProcCgroup

_V1 = (f"{MOUNT}/cpu,cpuacct", f"{MOUNT}/cpu")


class CpuLimit(NamedTuple):
    """The time one control group gets: ``cpus`` CPUs' worth of every period. ``stat`` None: not read, or never set.

    ``stat`` is that of the window where there is one, else since the group was made; ``window_s`` is how long that was.
    """

    path: str
    cpus: float
    stat: CgroupCpuStat | None
    evidence: tuple[Evidence, ...]
    window_s: float | None = None

    @property
    def throttled_share(self) -> float | None:
        """The part of its periods in which it ran out of time; None where it is not known."""
        if self.stat is None or not self.stat.nr_periods or self.stat.nr_throttled is None:
            return None
        return self.stat.nr_throttled / self.stat.nr_periods


class CpuLimits(NamedTuple):
    """``of_pid``: the limits above each process, its own group's first."""

    of_pid: dict[int, tuple[CpuLimit, ...]]


def join(tree: Tree, window: Window, cgroups: tuple[Found[ProcCgroup], ...]) -> CpuLimits:
    """Follow each process's cpu path up to the root."""
    known: dict[str, CpuLimit | None] = {}
    of_pid = {}
    for found in cgroups:
        path = found.record.path_of("cpu") or found.record.unified_path
        pid = re.search(r"/proc/(\d+)/cgroup$", found.file.path)
        if found.reading or path is None or not pid:
            continue
        for above in ancestors(path):
            if above not in known:
                known[above] = _limit(tree, window, above)
        of_pid[int(pid[1])] = tuple(limit for above in ancestors(path) if (limit := known[above]))
    return CpuLimits(of_pid)


def _limit(tree: Tree, window: Window, path: str) -> CpuLimit | None:
    for mount in (MOUNT, *_V1):
        folder = f"{mount}{path}".rstrip("/")
        found = _quota(tree, folder)
        if found:
            cpus, file = found
            grown = window.cpu_stats.get(folder.partition("/")[2])
            if grown and window.seconds:
                return CpuLimit(path, cpus, grown.stat, (cite(file), *grown.evidence), window.seconds)
            return CpuLimit(path, cpus, *_stat(tree, f"{folder}/cpu.stat", cite(file)))
    return None


def _quota(tree: Tree, folder: str) -> tuple[float, File] | None:
    """(CPUs' worth of time, file); None without a limit: ``max``, and -1 in v1."""
    file = tree.get(f"{folder}/cpu.max")
    text = "" if isinstance(file, Gap) else file.text
    if isinstance(file, Gap):
        file = tree.get(f"{folder}/cpu.cfs_quota_us")
        period = tree.text(f"{folder}/cpu.cfs_period_us")
        text = f"{'' if isinstance(file, Gap) else file.text.strip()} {period or ''}"
    match = re.fullmatch(r"(\d{1,12}) ([1-9]\d{0,11})", text.strip())
    return None if isinstance(file, Gap) or not match else (int(match[1]) / int(match[2]), file)


def _stat(tree: Tree, path: str, line: Evidence) -> tuple[CgroupCpuStat | None, tuple[Evidence, ...]]:
    file = tree.get(path)
    if isinstance(file, Gap):
        return None, (line,)
    try:
        return parse_cpu_stat(file.text), (line, cite(file, "nr_periods"), cite(file, "nr_throttled"))
    except ParseError:
        return None, (line,)


JOINER = Joiner(join)
