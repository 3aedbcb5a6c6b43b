"""CPUs and packages as ``/sys/devices/system/cpu`` lists them (Documentation/admin-guide/cputopology.rst).

Real files end in NUL bytes, lack ``online``, or give package id -1; ``/proc/cpuinfo`` stands in where there is no sysfs.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpuinfo import Cpuinfo

CPU = "root/sys/devices/system/cpu"


class Package(NamedTuple):
    """A processor package (socket). ``id`` is the kernel's physical_package_id, None where it prints -1."""

    id: int | None
    cpus: CpuSet


def list_at(tree: Tree, path: str) -> CpuSet | None:
    text = tree.text(path)
    if text is None:
        return None
    try:
        return CpuSet.parse(text)
    except ParseError:
        return None


def mask_at(tree: Tree, path: str) -> CpuSet | None:
    text = tree.text(path)
    try:
        return CpuSet.from_mask(text) if text else None
    except ParseError:
        return None


def int_at(tree: Tree, path: str) -> int | None:
    text = tree.text(path)
    return int(text) if text and re.fullmatch(r"-?\d{1,12}", text) else None


class KernelCpus:
    """What /sys/devices/system/cpu says, or /proc/cpuinfo where that is not there."""

    def __init__(self, tree: Tree, cpuinfos: tuple[Found[Cpuinfo], ...]) -> None:
        self.gaps: list[Gap] = []
        self._tree = tree
        self._info = cpuinfos[0].record if cpuinfos else None
        self._numbers = sorted(int(name[3:]) for name in tree.names(CPU) if re.fullmatch(r"cpu\d{1,5}", name))
        self.present = list_at(tree, f"{CPU}/present") or (CpuSet(self._numbers) if self._numbers else None)
        self.online = self._online()
        self.isolated = list_at(tree, f"{CPU}/isolated")
        self._package_ids = {cpu: int_at(tree, f"{CPU}/cpu{cpu}/topology/physical_package_id") for cpu in self._online_numbers()}
        self.siblings = tuple(self._groups("core_cpus", "thread_siblings"))
        self._packages: tuple[Package, ...] | None = None

    def _online(self) -> CpuSet | None:
        online = list_at(self._tree, f"{CPU}/online")
        if online:
            return online
        switched_off = {cpu for cpu in self._numbers if self._tree.text(f"{CPU}/cpu{cpu}/online") == "0"}
        if self._numbers:
            self.gaps.append(Gap("absent", f"{CPU}/online", "online CPUs taken from the cpuN directories"))
            return CpuSet(cpu for cpu in self._numbers if cpu not in switched_off)
        self.gaps.append(Gap("absent", f"{CPU}/online", "no CPU directories"))
        return self._info.online if self._info else None

    def _online_numbers(self) -> list[int]:
        return [cpu for cpu in self._numbers if self.online is None or cpu in self.online]

    def _groups(self, *names: str) -> list[CpuSet]:
        """The distinct sets that the CPUs' files of the first name that exists hold, cut to the online CPUs."""
        groups: dict[CpuSet, None] = {}
        for cpu in self._online_numbers():
            for name in names:
                folder = f"{CPU}/cpu{cpu}/topology"
                cpus = list_at(self._tree, f"{folder}/{name}_list") or mask_at(self._tree, f"{folder}/{name}")
                if cpus:
                    groups[cpus & self.online if self.online else cpus] = None
                    break
        return list(groups)

    def packages(self) -> tuple[Package, ...]:
        ids = self._package_ids or {each.cpu: each.package_id for each in (self._info.cpus if self._info else ())}
        known = {cpu: number for cpu, number in ids.items() if number is not None and number >= 0}
        if known and len(known) == len(self._package_ids or known):
            members: dict[int, list[int]] = {}
            for cpu, number in known.items():
                members.setdefault(number, []).append(cpu)
            return tuple(Package(number, CpuSet(cpus)) for number, cpus in sorted(members.items()))
        self.gaps.append(Gap("absent", f"{CPU}/cpu*/topology/physical_package_id", "the kernel gives no package ids"))
        return tuple(Package(None, cpus) for cpus in self._groups("package_cpus", "core_siblings"))

    def cores(self) -> int | None:
        if self.siblings:
            return len(self.siblings)
        pairs = {
            (self._package_ids.get(cpu), core)
            for cpu in self._online_numbers()
            if (core := int_at(self._tree, f"{CPU}/cpu{cpu}/topology/core_id")) is not None
        }
        if pairs:
            return len(pairs)
        known = {(each.package_id, each.core_id) for each in (self._info.cpus if self._info else ()) if each.core_id is not None}
        return len(known) or None

    def threads_per_core(self) -> int | None:
        """Only where every core has the same number of online threads."""
        sizes = {len(cpus) for cpus in self.siblings}
        if len(sizes) == 1:
            return sizes.pop()
        cores, online = (None if self.siblings else self.cores()), len(self.online or ())
        return online // cores if cores and online % cores == 0 else None
