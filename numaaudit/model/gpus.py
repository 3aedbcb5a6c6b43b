"""Which GPUs there are: every source's sightings merged into one Gpu each.

A GPU has several numbers that differ: ``pci_address`` (identity on a host), ``gpu_uuid`` (identity across runs), ``index``
(the vendor tool's order) and ``gpu_minor`` (``/dev/nvidiaN``).
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.confidence import Confidence
from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.pci import PciAddress
from numaaudit.model.evidence import Evidence

_IN_PATH = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_IN_PCI_ORDER = ("nvidia", "amd", "hygon")


class Mig(NamedTuple):
    """A MIG device: a part of a GPU, never a GPU of its own."""

    profile: str
    device: int
    mig_uuid: str | None


class Gpu(NamedTuple):
    """An accelerator. ``numa_node`` None: not known, or several (then ``numa_nodes`` has them); ``gap`` says why.

    ``numa_node_confidence`` is possible where the one source's meaning is not documented. ``device_files``: what a process that
    uses it has open (``/dev/nvidia0``, ``/dev/dri/renderD128``, ``/dev/davinci0``).
    """

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
    numa_node_confidence: Confidence = Confidence.CERTAIN
    device_files: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """PCI address, else UUID, else ``#INDEX``."""
        return str(self.pci_address) if self.pci_address else self.gpu_uuid or f"#{self.index}"

    @property
    def canonical(self) -> str:
        """The subject that it is in whatever slot: by its UUID, else by its name."""
        return f"gpu:{self.gpu_uuid or self.name}"


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
    """Where a table numbers GPUs and nothing ties numbers to addresses: NVML and rocm-smi count in order of PCI address.

    Only if there are as many of one as of the other; else both stay, each with what is known of it.
    """
    for vendor in _IN_PCI_ORDER:
        addressed = [gpu for gpu in gpus if gpu.vendor == vendor and gpu.pci_address and gpu.index is None]
        indexed = [gpu for gpu in gpus if gpu.vendor == vendor and not gpu.pci_address and gpu.index is not None]
        if indexed and len(addressed) == len(indexed) and [gpu.index for gpu in indexed] == list(range(len(indexed))):
            pairs = dict(zip([gpu.pci_address for gpu in addressed], indexed, strict=True))
            gpus = [_with_index(gpu, pairs.get(gpu.pci_address)) for gpu in gpus if gpu not in indexed]
    return gpus


def _with_index(gpu: Gpu, numbered: Gpu | None) -> Gpu:
    if numbered is None:
        return gpu
    return gpu._replace(index=numbered.index, gpu_memory_node=_first(gpu.gpu_memory_node, numbered.gpu_memory_node))


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)


def address_in(text: str) -> PciAddress | None:
    addresses = _IN_PATH.findall(text)
    return PciAddress.parse(addresses[-1]) if addresses else None
