"""The lines that the traits of a host at hand were read from, as far as the kernel's own files tell them."""

from collections.abc import Iterator

from numaaudit.bundle.tree import File, Tree
from numaaudit.model.evidence import Evidence, cite, cite_link
from numaaudit.model.hardware_class import HardwareClass

_CPU, _NUMA_NODE, _DEVICE = "sys/devices/system/cpu", "sys/devices/system/node/node{}", "sys/bus/pci/devices/{}"
_PLACES = {
    "present_cpus": (f"{_CPU}/present",),
    "online_cpus": (f"{_CPU}/online",),
    "isolated_cpus": (f"{_CPU}/isolated",),
    "cpus": (f"{_NUMA_NODE}/cpulist",),
    "memory_gib": (f"{_NUMA_NODE}/meminfo", "MemTotal"),
    "distances": (f"{_NUMA_NODE}/distance",),
    "path": (_DEVICE,),
    "numa_node": (f"{_DEVICE}/numa_node",),
    "pcie_width": (f"{_DEVICE}/current_link_width",),
    "pcie_max_gt_per_s": (f"{_DEVICE}/max_link_speed",),
    "pcie_gt_per_s": (f"{_DEVICE}/current_link_speed",),
    "numa_balancing": ("proc/sys/kernel/numa_balancing",),
    "zone_reclaim_mode": ("proc/sys/vm/zone_reclaim_mode",),
    "transparent_hugepages": ("sys/kernel/mm/transparent_hugepage/enabled",),
    "coherent_gpu_memory_mode": ("proc/driver/nvidia/params", "CoherentGPUMemoryMode"),
}


def evidence_of(tree: Tree, found: HardwareClass, part: str, subject: str, aspect: str) -> Iterator[Evidence]:
    """The lines with one aspect of a subject; without an aspect with all of them."""
    for name in (aspect,) if aspect else (found.part(part) or {}).get(subject, {}):
        if name in _PLACES:
            place, *needles = _PLACES[name]
            yield from _lines(tree, f"root/{place.format(subject)}", *needles)


def _lines(tree: Tree, path: str, *needles: str) -> Iterator[Evidence]:
    target = tree.link(path)
    if isinstance(target, str):
        yield cite_link(path, target)
        return
    file = tree.get(path)
    if isinstance(file, File):
        yield cite(file, *needles)
