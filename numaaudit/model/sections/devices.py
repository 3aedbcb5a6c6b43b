"""GPUs, NICs and NVMe controllers: which there are and which NUMA node each hangs on."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.gpu_places import placed
from numaaudit.model.gpu_sightings import sightings_of
from numaaudit.model.gpus import Gpu, address_in, merged
from numaaudit.model.join import Joiner
from numaaudit.model.nics import Nic, Nvme, nics_of, nvmes_of
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.device_tables import DeviceTables
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_numa_status import NvidiaNumaStatus

_DRM = "root/sys/class/drm"
# The kernel's accel class (Documentation/accel/introduction.rst), and that of habanalabs before it: folder, device, and its file.
_ACCEL = (
    ("root/sys/class/accel", r"(?a)accel\d{1,5}", "/dev/accel/"),
    ("root/sys/class/habanalabs", r"(?a)hl\d{1,5}", "/dev/"),
)


class DeviceLink(NamedTuple):
    """A path between two devices as the vendor's tool names it: ``NV18``, ``PIX``, ``SYS``."""

    a: str
    b: str
    level: str


class Devices(NamedTuple):
    gpus: tuple[Gpu, ...]
    nics: tuple[Nic, ...]
    nvmes: tuple[Nvme, ...]
    links: tuple[DeviceLink, ...]
    gaps: tuple[Gap, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def gpu_memory_nodes(self) -> NodeSet:
        """The NUMA nodes that are memory of a GPU."""
        return NodeSet(gpu.gpu_memory_node for gpu in self.gpus if gpu.gpu_memory_node is not None)

    def gpu_named(self, name: str) -> Gpu | None:
        """By PCI address, UUID or ``#INDEX``."""
        return next((gpu for gpu in self.gpus if name in _names(gpu)), None)

    def gpu_of_file(self, path: str) -> Gpu | None:
        """The GPU behind a device file such as ``/dev/nvidia0``."""
        return next((gpu for gpu in self.gpus if path in gpu.device_files), None)


def _names(gpu: Gpu) -> Iterator[str]:
    """All by which it is known."""
    yield from (str(each) for each in (gpu.pci_address, gpu.gpu_uuid) if each is not None)
    if gpu.index is not None:
        yield f"#{gpu.index}"


def join(
    tree: Tree, pci: PciFunctions, topology: Topology, kfd: Kfd, tables: DeviceTables, statuses: tuple[Found[NvidiaNumaStatus], ...]
) -> Devices:
    """Merge every sighting of a GPU by address, UUID or index, then place each by the most trusted source."""
    found = [placed(gpu, tree, pci, topology, kfd, tables) for gpu in merged(sightings_of(tree, pci, kfd, tables, statuses))]
    gpus = tuple(each.gpu._replace(device_files=_device_files(each.gpu, tree, kfd)) for each in found)
    gaps = [gap for each in found for gap in (each.gpu.gap, *each.gaps) if gap]
    return Devices(
        gpus,
        nics_of(tree, pci, topology, tables),
        nvmes_of(tree, pci, topology, tables),
        tuple(_links(tables)),
        tuple(dict.fromkeys(gaps)),
        tuple(each.conflict for each in found if each.conflict),
    )


def _links(tables: DeviceTables) -> Iterator[DeviceLink]:
    """Of the first matrix of each vendor."""
    for topo in tables.topos[:1]:
        yield from (DeviceLink(*link) for link in topo.record.links)
    for npus in tables.npus[:1]:
        yield from (DeviceLink(*link) for link in npus.record.links)
    for rocm in tables.rocm[:1]:
        yield from (DeviceLink(link.a, link.b, link.link_type) for link in rocm.record.links if link.link_type)


def _device_files(gpu: Gpu, tree: Tree, kfd: Kfd) -> tuple[str, ...]:
    """NVIDIA's by minor number, Ascend's by index, those of others are render nodes of the DRM or of the accel class (Gaudi)."""
    if gpu.vendor == "nvidia":
        return () if gpu.gpu_minor is None else (f"/dev/nvidia{gpu.gpu_minor}",)
    if gpu.vendor == "huawei":
        return () if gpu.index is None else (f"/dev/davinci{gpu.index}",)
    accel = [prefix + name for folder, pattern, prefix in _ACCEL for name in _in_class(folder, pattern, gpu, tree)]
    return (*(f"/dev/dri/renderD{minor}" for minor in sorted(set(_render_minors(gpu, tree, kfd)))), *accel)


def _render_minors(gpu: Gpu, tree: Tree, kfd: Kfd) -> Iterator[int]:
    """By the link of each render node, else by KFD's own number of it; a partition of a GPU has one of its own."""
    if gpu.pci_address is None:
        return
    yield from (int(name.removeprefix("renderD")) for name in _in_class(_DRM, r"(?a)renderD\d{1,5}", gpu, tree))
    yield from {
        entry.properties.drm_render_minor
        for entry in kfd.nodes
        if entry.properties.drm_render_minor and entry.pci_address and entry.pci_address.slot == gpu.pci_address.slot
    }


def _in_class(folder: str, pattern: str, gpu: Gpu, tree: Tree) -> Iterator[str]:
    """The devices of a class that link to the GPU's PCI function."""
    for name in tree.names(folder):
        links = [tree.link(f"{folder}/{name}/device"), tree.link(f"{folder}/{name}")] if re.fullmatch(pattern, name) else []
        if gpu.pci_address and gpu.pci_address in [address_in(link) for link in links if isinstance(link, str)]:
            yield name


JOINER = Joiner(join)
