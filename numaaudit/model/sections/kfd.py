"""AMD's kernel fusion driver: its list of devices and which CPUs each is linked to.

``/sys/class/kfd/kfd/topology/nodes/N`` (kernel ``drivers/gpu/drm/amd/amdkfd/kfd_topology.c``). KFD numbers CPU nodes first,
one per NUMA node that has CPUs; its numbers are not the kernel's NUMA node numbers.
"""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.pci import PciAddress
from numaaudit.model.join import Joiner

NODES = "root/sys/class/kfd/kfd/topology/nodes"
_XGMI, _PCIE = 11, 2  # io_links type


class KfdNode(NamedTuple):
    """One entry. ``cpu_weights``: weight of the link to each KFD CPU node; the lightest is the nearest."""

    number: int
    gpu_id: int | None
    pci_address: PciAddress | None
    vendor_id: int | None
    drm_render_minor: int | None
    is_gpu: bool
    cpu_weights: tuple[tuple[int, int], ...]

    @property
    def nearest_cpu_node(self) -> int | None:
        """The KFD CPU node with the one lightest link; None where there is none or two are equal."""
        ordered = sorted(self.cpu_weights, key=lambda link: link[1])
        if not ordered or (len(ordered) > 1 and ordered[0][1] == ordered[1][1]):
            return None
        return ordered[0][0]


class Kfd(NamedTuple):
    nodes: tuple[KfdNode, ...]

    @property
    def cpu_nodes(self) -> list[int]:
        """KFD numbers of the CPU nodes, ascending."""
        return sorted(entry.number for entry in self.nodes if not entry.is_gpu)


def join(tree: Tree) -> Kfd:
    """Read every node; one whose properties cannot be read is left out."""
    numbers = [int(name) for name in tree.names(NODES) if re.fullmatch(r"\d{1,4}", name)]
    properties = {number: _pairs(tree, f"{NODES}/{number}/properties") for number in numbers}
    cpu_nodes = {number for number, values in properties.items() if values.get("cpu_cores_count") and not values.get("simd_count")}
    return Kfd(tuple(_node(tree, number, values, cpu_nodes) for number, values in properties.items() if values))


def _pairs(tree: Tree, path: str) -> dict[str, int]:
    """``key value`` lines with decimal values."""
    return {key: int(value) for key, value in re.findall(r"^(\w+) (\d{1,20})$", tree.text(path) or "", re.M)}


def _node(tree: Tree, number: int, values: dict[str, int], cpu_nodes: set[int]) -> KfdNode:
    is_gpu = bool(values.get("simd_count"))
    address = PciAddress.from_kfd(values.get("domain", 0), values["location_id"]) if is_gpu and "location_id" in values else None
    gpu_id = tree.text(f"{NODES}/{number}/gpu_id")
    links = [_pairs(tree, path) for path in tree.glob(f"{NODES}/{number}/io_links/*/properties")]
    weights = {
        link["node_to"]: link.get("weight", 0) for link in links if link.get("node_to") in cpu_nodes and link.get("type") in (_PCIE, _XGMI)
    }
    return KfdNode(
        number,
        int(gpu_id) if gpu_id and re.fullmatch(r"\d{1,10}", gpu_id) else None,
        address,
        values.get("vendor_id"),
        values.get("drm_render_minor"),
        is_gpu,
        tuple(sorted(weights.items())),
    )


JOINER = Joiner(join)
