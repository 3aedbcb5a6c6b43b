"""PCI functions that matter for placement, with the bridges above them: where each hangs, and how wide its links are.

Documentation/ABI/testing/sysfs-bus-pci. The place in the tree is only in the target of the link in ``bus/pci/devices``; what
a link can carry is the least along the path, so the ports above a function count as much as the function.
"""

from __future__ import annotations

import re
from typing import List, Sequence

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.collect.collector import Collector

_DEVICES = "sys/bus/pci/devices/"
# the class codes of pciids: display, processing accelerator, network, NVMe
_WANTED = re.compile(r"0x(?:03|12|02|0108)")
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def wanted_and_their_bridges(tree: Tree, paths: Sequence[str]) -> Sequence[str]:
    """Of paths below ``sys/bus/pci/devices``, those of functions that matter and of what they hang on."""
    wanted = set()
    for address in {path[len(_DEVICES) :].partition("/")[0] for path in paths}:
        if _WANTED.match(tree.text("root/%s%s/class" % (_DEVICES, address)) or ""):
            wanted.update(_upwards(tree, address))
    return [path for path in paths if path[len(_DEVICES) :].partition("/")[0] in wanted]


def _upwards(tree: Tree, address: str) -> List[str]:
    target = tree.link("root/%s%s" % (_DEVICES, address))
    return [address] if isinstance(target, Gap) else _ADDRESS.findall(target)


COLLECTOR = Collector(
    files=(
        _DEVICES + "*/{class,vendor,device,subsystem_vendor,subsystem_device,numa_node,local_cpulist,enable}",
        _DEVICES + "*/{current_link_speed,current_link_width,max_link_speed,max_link_width}",
        _DEVICES + "*/power/runtime_status",
        _DEVICES + "*/msi_irqs/*",
    ),
    links=(_DEVICES + "*", _DEVICES + "*/{driver,physfn}"),
    only_if=wanted_and_their_bridges,
)
