"""NCCL's topology XML, dumped (``NCCL_TOPO_DUMP_FILE``) or given (``NCCL_TOPO_FILE``); NVIDIA/nccl ``src/graph/xml.cc``, also RCCL.

``numaid`` and ``affinity`` of a ``<cpu>`` are sysfs's for the devices below it; a given file is an assertion and can be wrong.
A dump holds only the devices of its job, and ``dev`` is that job's number. Link speeds are of the moment or a fallback.
"""

from typing import TYPE_CHECKING, NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID, CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parser import Parser
from numaaudit.parse.text import int_or_none
from numaaudit.parse.xml_text import cpus_of, root_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

GPU, NIC = "gpu", "nic"
_GPU_CLASSES, _NIC_CLASSES = ("03", "12"), ("02",)


class NcclCpu(NamedTuple):
    """A ``<cpu>``: ``numa_node`` is None for -1, ``cpus`` where no affinity is given."""

    numa_node: int | None
    cpus: CpuSet | None
    architecture: str | None
    vendor: str | None


class NcclDevice(NamedTuple):
    """A PCI function that is a GPU or a NIC, and the ``<cpu>`` above it; ``names`` of its nets, such as ``mlx5_0``."""

    kind: str
    pci_address: PciAddress
    class_code: str | None
    vendor_id: str | None
    dev: int | None
    names: tuple[str, ...]
    cpu: NcclCpu


class NcclTopology(NamedTuple):
    """``cpus`` in the order of the file."""

    cpus: tuple[NcclCpu, ...]
    devices: tuple[NcclDevice, ...]


def parse(text: str) -> NcclTopology:
    """ParseError where it is not XML, declares entities, or has no ``<cpu>``."""
    root = root_of(text, "system")
    elements = root.findall("cpu")
    if not elements:
        raise ParseError("no <cpu> in <system>", 1)
    cpus = tuple(_cpu(element) for element in elements)
    functions = ((pci, cpu) for element, cpu in zip(elements, cpus, strict=True) for pci in element.iter("pci"))
    return NcclTopology(cpus, tuple(device for pci, cpu in functions if (device := _device(pci, cpu))))


def _cpu(element: "Element") -> NcclCpu:
    number = int_or_none(element.get("numaid"))
    known = number if number is not None and number <= MAX_NUMA_NODE_ID else None
    return NcclCpu(known, cpus_of(element.get("affinity") or None), element.get("arch"), element.get("vendor"))


def _device(pci: "Element", cpu: NcclCpu) -> NcclDevice | None:
    try:
        address = PciAddress.parse(pci.get("busid", ""))
    except ParseError:
        return None
    class_code = (pci.get("class") or "").removeprefix("0x")[:4].lower() or None
    gpu, nets = pci.find("gpu"), [*pci.findall("nic/net"), *pci.findall("net")]
    kind = _kind(pci, class_code)
    if kind is None:
        return None
    dev = int_or_none(gpu.get("dev")) if gpu is not None else None
    vendor = (pci.get("vendor") or "").removeprefix("0x").lower() or None
    return NcclDevice(kind, address, class_code, vendor, dev, tuple(name for net in nets if (name := net.get("name"))), cpu)


def _kind(pci: "Element", class_code: str | None) -> str | None:
    """By what NCCL put below it; in a file without such elements by its class, if it is no bridge to others."""
    if pci.find("gpu") is not None:
        return GPU
    if pci.find("nic") is not None or pci.find("net") is not None:
        return NIC
    if class_code is None or pci.find("pci") is not None:
        return None
    return GPU if class_code.startswith(_GPU_CLASSES) else NIC if class_code.startswith(_NIC_CLASSES) else None


PARSER = Parser(parse, reads=(), looks_like=r"^(?:<\?xml[^\n]*\?>\s*)?(?:<!--[^>]{0,1000}-->\s*)?<system version=[^\n]*>\s*<cpu[ >]")
