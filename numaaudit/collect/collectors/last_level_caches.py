"""Which CPUs share a level 3 cache (Documentation/ABI/testing/sysfs-devices-system-cpu); its index is not 3 on every host."""

from __future__ import annotations

from typing import Sequence

from numaaudit.bundle.tree import Tree
from numaaudit.collect.collector import Collector

_CACHE = "sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/"


def of_level_3(tree: Tree, paths: Sequence[str]) -> Sequence[str]:
    """The files of caches whose level is 3."""
    folders = {path.rpartition("/")[0] for path in paths}
    chosen = {folder for folder in folders if tree.text("root/%s/level" % folder) == "3"}
    return [path for path in paths if path.rpartition("/")[0] in chosen]


COLLECTOR = Collector(files=(_CACHE + "{level,shared_cpu_list}",), only_if=of_level_3)
