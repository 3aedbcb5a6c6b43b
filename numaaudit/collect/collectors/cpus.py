"""Logical CPUs: which are online and isolated, cores and packages (Documentation/admin-guide/cputopology.rst)."""

from __future__ import annotations

from typing import Sequence

from numaaudit.bundle.tree import Tree
from numaaudit.collect.collector import Collector

_TOPOLOGY = "sys/devices/system/cpu/cpu[0-9]*/topology/"
# kernels from 5.3 on have the same list under both names
_OLD_NAMES = {"thread_siblings_list": "core_cpus_list", "core_siblings_list": "package_cpus_list"}


def each_list_once(tree: Tree, paths: Sequence[str]) -> Sequence[str]:  # noqa: ARG001 - as Collector.only_if is called
    """The paths without a list's old name where its new one is there too."""
    there = set(paths)
    return [path for path in paths if "%s/%s" % (path.rpartition("/")[0], _OLD_NAMES.get(path.rpartition("/")[2])) not in there]


COLLECTOR = Collector(
    files=(
        "sys/devices/system/cpu/{online,offline,possible,present,isolated,nohz_full}",
        "sys/devices/system/cpu/smt/{active,control}",
        _TOPOLOGY + "{physical_package_id,core_id,book_id,core_cpus_list,thread_siblings_list,package_cpus_list,core_siblings_list}",
    ),
    only_if=each_list_once,
)
