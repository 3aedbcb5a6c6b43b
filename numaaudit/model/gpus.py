"""Which GPUs there are: every source's sightings merged into one Gpu each.

A GPU has several numbers that differ: ``pci_address`` (identity on a host), ``gpu_uuid`` (identity across runs), ``index``
(the vendor tool's order) and ``gpu_minor`` (``/dev/nvidiaN``).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap, Tree
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_information import NvidiaInformation
from numaaudit.parse.parsers.nvidia_smi_list import NvidiaSmiList
from numaaudit.parse.parsers.nvidia_smi_query_gpu import NvidiaSmiQueryGpu
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo

VENDORS = {0x10DE: "nvidia", 0x1002: "amd", 0x8086: "intel", 0x19E5: "huawei", 0x1D94: "hygon", 0x1DA3: "habana"}
_MANAGEMENT_VGA = {(0x1002, 0x515E), (0x1002, 0x4752), (0x19E5, 0x1711)}  # a server's management display, no accelerator
_IN_PATH = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


class Mig(NamedTuple):
    """A MIG device: a part of a GPU, never a GPU of its own."""

    profile: str
    device: int
    mig_uuid: str | None


class Gpu(NamedTuple):
    """An accelerator. ``numa_node`` None: not known, or several (then ``numa_nodes`` has them); ``gap`` says why."""

    vendor: str | None
    pci_address: PciAddress | None
    index: int | None = None  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    gpu_minor: int | None = None
    gpu_uuid: str | None = None
    model: str | None = None
    numa_node: int | None = None
    numa_nodes: NodeSet | None = None
    numa_node_source: str | None = None
    local_cpus: CpuSet | None = None
    gpu_memory_node: int | None = None
    mig: tuple[Mig, ...] = ()
    gap: Gap | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def name(self) -> str:
        """PCI address, else UUID, else ``#INDEX``."""
        return str(self.pci_address) if self.pci_address else self.gpu_uuid or f"#{self.index}"


class Sighting(NamedTuple):
    """What one source says of one GPU; fields it does not know are None."""

    pci_address: PciAddress | None = None
    gpu_uuid: str | None = None
    index: int | None = None  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    gpu_minor: int | None = None
    model: str | None = None
    vendor: str | None = None
    gpu_memory_node: int | None = None
    mig: tuple[Mig, ...] = ()


def from_pci(pci: PciFunctions) -> Iterator[Sighting]:
    for function in pci.of_class(0x03, 0x12):
        vendor = VENDORS.get(function.vendor or 0)
        if vendor and (function.vendor, function.device) not in _MANAGEMENT_VGA:
            yield Sighting(function.address, vendor=vendor)


def from_driver(tree: Tree, informations: tuple[Found[NvidiaInformation], ...]) -> Iterator[Sighting]:
    for found in informations:
        record = found.record
        if record.pci_address and not record.is_excluded:
            yield Sighting(record.pci_address, record.gpu_uuid, None, record.gpu_minor, record.model, "nvidia")
    for path in tree.glob("root/proc/driver/nvidia/gpus/*/numa_status"):
        address, match = address_in(path), re.search(r"^Node:\s*(\d{1,4})$", tree.text(path) or "", re.M)
        if address and match:
            yield Sighting(address, vendor="nvidia", gpu_memory_node=int(match[1]))


def from_kfd(kfd: Kfd) -> Iterator[Sighting]:
    seen = set()
    for node in kfd.nodes:
        if node.is_gpu and node.pci_address and node.pci_address.slot not in seen:
            seen.add(node.pci_address.slot)  # a partition of a device is not a device
            yield Sighting(node.pci_address, vendor=VENDORS.get(node.vendor_id or 0, "amd"))


def from_query(queries: tuple[Found[NvidiaSmiQueryGpu], ...]) -> Iterator[Sighting]:
    for found in queries:
        for row in found.record.gpus:
            yield Sighting(row.pci_address, row.gpu_uuid, row.index, None, row.model, "nvidia")


def from_listing(listings: tuple[Found[NvidiaSmiList], ...]) -> Iterator[Sighting]:
    for found in listings:
        for row in found.record.gpus:
            mig = tuple(Mig(part.profile, part.device, part.mig_uuid) for part in row.mig)
            yield Sighting(None, row.gpu_uuid, row.index, None, row.model, "nvidia", None, mig)


def from_topo(topos: tuple[Found[NvidiaSmiTopo], ...]) -> Iterator[Sighting]:
    for found in topos:
        for row in found.record.gpus:
            yield Sighting(index=row.index, vendor="nvidia", gpu_memory_node=row.gpu_numa_id)


def merged(sightings: Iterable[Sighting]) -> list[Gpu]:
    """One Gpu for all sightings that share an address, a UUID or a vendor's index."""
    gpus: list[Gpu] = []
    for sighting in sightings:
        at = next((number for number, gpu in enumerate(gpus) if _same(gpu, sighting)), None)
        if at is None:
            gpus.append(Gpu(sighting.vendor, sighting.pci_address)._replace(**_known(sighting)))
        else:
            known = {name: value for name, value in _known(sighting).items() if not getattr(gpus[at], name)}
            gpus[at] = gpus[at]._replace(**{name: value for name, value in known.items() if getattr(gpus[at], name) != 0})
    ordered = sorted(gpus, key=lambda gpu: (gpu.pci_address is None, gpu.pci_address or (), -1 if gpu.index is None else gpu.index))
    return _numbered(ordered)


def _known(sighting: Sighting) -> dict[str, Any]:
    return {name: value for name, value in sighting._asdict().items() if value is not None and value != ()}


def _same(gpu: Gpu, sighting: Sighting) -> bool:
    if gpu.pci_address and sighting.pci_address:
        return gpu.pci_address == sighting.pci_address
    if gpu.gpu_uuid and sighting.gpu_uuid:
        return gpu.gpu_uuid == sighting.gpu_uuid
    return gpu.index is not None and gpu.index == sighting.index and gpu.vendor == sighting.vendor


def _numbered(gpus: list[Gpu]) -> list[Gpu]:
    """Where a table numbers GPUs and nothing ties numbers to addresses: NVML counts in order of PCI address.

    Only if there are as many of one as of the other; else both stay, each with what is known of it.
    """
    addressed = [gpu for gpu in gpus if gpu.vendor == "nvidia" and gpu.pci_address and gpu.index is None]
    indexed = [gpu for gpu in gpus if gpu.vendor == "nvidia" and not gpu.pci_address and gpu.index is not None]
    if not indexed or len(addressed) != len(indexed) or [gpu.index for gpu in indexed] != list(range(len(indexed))):
        return gpus
    pairs = dict(zip([gpu.pci_address for gpu in addressed], indexed, strict=True))
    return [
        gpu._replace(
            index=pairs[gpu.pci_address].index, gpu_memory_node=_first(gpu.gpu_memory_node, pairs[gpu.pci_address].gpu_memory_node)
        )
        if gpu.pci_address in pairs
        else gpu
        for gpu in gpus
        if gpu not in indexed
    ]


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def address_in(text: str) -> PciAddress | None:
    addresses = _IN_PATH.findall(text)
    return PciAddress.parse(addresses[-1]) if addresses else None
