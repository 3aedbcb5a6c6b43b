"""AMD's kernel fusion driver: its list of devices and which CPUs each is linked to.

``/sys/class/kfd/kfd/topology/nodes/N`` (kernel ``drivers/gpu/drm/amd/amdkfd/kfd_topology.c``). KFD numbers CPU nodes first,
one per NUMA node that has CPUs; its numbers are not the kernel's NUMA node numbers.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.pci import PciAddress
from numaaudit.model.join import Joiner
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.kfd_link import PCIE, XGMI, KfdLink
from numaaudit.parse.parsers.kfd_node import KfdNode

NODES = "root/sys/class/kfd/kfd/topology/nodes"


class KfdEntry(NamedTuple):
    """One entry. ``cpu_weights``: weight of the link to each KFD CPU node; the lightest is the nearest."""

    number: int
    gpu_id: int | None
    properties: KfdNode
    cpu_weights: tuple[tuple[int, int], ...]

    @property
    def is_gpu(self) -> bool:
        return self.properties.simd_count > 0

    @property
    def pci_address(self) -> PciAddress | None:
        return self.properties.pci_address

    @property
    def nearest_cpu_node(self) -> int | None:
        """The KFD CPU node with the one lightest link; None where there is none or two are equal."""
        ordered = sorted(self.cpu_weights, key=lambda link: link[1])
        if not ordered or (len(ordered) > 1 and ordered[0][1] == ordered[1][1]):
            return None
        return ordered[0][0]


class Kfd(NamedTuple):
    nodes: tuple[KfdEntry, ...]

    @property
    def cpu_nodes(self) -> list[int]:
        """KFD numbers of the CPU nodes, ascending."""
        return sorted(entry.number for entry in self.nodes if not entry.is_gpu)


def join(tree: Tree, nodes: tuple[Found[KfdNode], ...], links: tuple[Found[KfdLink], ...]) -> Kfd:
    """Every node whose properties can be read, with its links to CPU nodes over PCI Express or xGMI."""
    properties = {_number(found.file.path): found.record for found in nodes if not found.reading}
    cpu_nodes = {number for number, each in properties.items() if each.cpu_cores_count and not each.simd_count}
    weights: dict[int, dict[int, int]] = {number: {} for number in properties}
    for found in links:
        link, number = found.record, _number(found.file.path)
        if number in weights and link.node_to in cpu_nodes and link.link_type in (PCIE, XGMI):
            weights[number][link.node_to] = link.weight
    return Kfd(
        tuple(KfdEntry(number, _gpu_id(tree, number), each, tuple(sorted(weights[number].items()))) for number, each in properties.items())
    )


def _number(path: str) -> int:
    """Of the node in a path below ``nodes/``."""
    return int(path.partition("/nodes/")[2].partition("/")[0])


def _gpu_id(tree: Tree, number: int) -> int | None:
    text = tree.text(f"{NODES}/{number}/gpu_id")
    return int(text) if text and re.fullmatch(r"\d{1,10}", text) else None


JOINER = Joiner(join)
