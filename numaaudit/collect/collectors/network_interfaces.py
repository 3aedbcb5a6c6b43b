"""Network interfaces that are devices (/sys/class/net); bridges, tunnels and container ends have no place."""

from __future__ import annotations

from typing import Sequence

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.collector import Collector

_CLASS = "sys/class/net/"


def of_devices(tree: Tree, paths: Sequence[str]) -> Sequence[str]:
    names = {path[len(_CLASS) :].partition("/")[0] for path in paths}
    real = {name for name in names if not isinstance(tree.link("root/%s%s/device" % (_CLASS, name)), Gap)}
    return [path for path in paths if path[len(_CLASS) :].partition("/")[0] in real]


COLLECTOR = Collector(
    files=(_CLASS + "*/{operstate,mtu,type}",),
    links=(_CLASS + "*", _CLASS + "*/{device,master}"),
    only_if=of_devices,
)
