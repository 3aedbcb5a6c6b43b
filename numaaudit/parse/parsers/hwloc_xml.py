"""hwloc topologies (``lstopo --of xml``), format versions 1, 2 and 3 (hwloc.dtd, hwloc ``topology-xml.c``).

``os_index`` is the kernel's number, logical order is hwloc's own. A memory-only NUMA node carries the CPUs nearest to it. CPUs
outside the cgroup of the process that wrote the file are missing unless it asked for all. Version 1 says Socket for Package.
"""

import re
from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID, CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parser import Parser
from numaaudit.parse.parsers.numactl_hardware import DistanceMatrix
from numaaudit.parse.text import int_or_none, known
from numaaudit.parse.xml_text import cpus_of, nodes_of, root_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PCI_TYPE = r"([0-9a-fA-F]{4}) \[([0-9a-fA-F]{4}):([0-9a-fA-F]{4})\]"
_LATENCY_KIND = 4
_NO_INDEX = 4_294_967_295  # HWLOC_UNKNOWN_INDEX
# osdev_type: an enumeration up to format version 2, bits from version 3 on
_KINDS = {0: "block", 1: "gpu", 2: "network", 3: "openfabrics", 4: "dma", 5: "coprocessor"}
_KIND_BITS = {1: "block", 2: "memory", 4: "gpu", 8: "coprocessor", 16: "network", 32: "openfabrics", 64: "dma"}


class HwlocNumaNode(NamedTuple):
    """``cpus``: those nearest to it; ``complete_cpus`` with offline and disallowed ones; ``subtype`` such as ``GPUMemory``."""

    id: int
    cpus: CpuSet | None
    complete_cpus: CpuSet | None
    memory_bytes: int | None
    subtype: str | None


class HwlocPackage(NamedTuple):
    """``id`` is None where the kernel gave none."""

    id: int | None
    cpus: CpuSet


class HwlocCore(NamedTuple):
    """Core ids repeat between packages on some hosts."""

    id: int | None
    cpus: CpuSet


class HwlocOsDevice(NamedTuple):
    """What the kernel calls a device: ``mlx5_0``, ``nvme0n1``, ``cuda0``."""

    name: str
    kinds: tuple[str, ...]


class HwlocPciDevice(NamedTuple):
    """``class_code`` as in ``0302``; ``cpus`` and ``numa_nodes`` of the nearest object that has CPUs."""

    pci_address: PciAddress
    class_code: str | None
    vendor_id: str | None
    device_id: str | None
    cpus: CpuSet | None
    numa_nodes: NodeSet | None
    os_devices: tuple[HwlocOsDevice, ...]


class HwlocTopology(NamedTuple):
    """``cpus``: online and allowed to the writer; ``complete_cpus``: every CPU hwloc knew of."""

    version: str
    architecture: str | None
    hostname: str | None
    cpus: CpuSet | None
    complete_cpus: CpuSet | None
    numa_nodes: tuple[HwlocNumaNode, ...]
    packages: tuple[HwlocPackage, ...]
    cores: tuple[HwlocCore, ...]
    distances: DistanceMatrix | None
    pci_devices: tuple[HwlocPciDevice, ...]


class _Object(NamedTuple):
    element: "Element"
    kind: str
    home: "Element"  # the nearest object at or above it that has CPUs


def parse(text: str) -> HwlocTopology:
    """ParseError where it is not XML, declares entities, or has no object of type Machine."""
    root = root_of(text, "topology")
    machine = root.find("object[@type='Machine']")
    if machine is None:
        raise ParseError("no object of type Machine", 1)
    version = root.get("version", "1")
    objects = list(_objects(machine))
    infos = {info.get("name"): info.get("value") for info in [*root.findall("info"), *machine.findall("info")]}
    nodes = tuple(numa_node for found in objects if found.kind == "NUMANode" and (numa_node := _numa_node(found.element)))
    return HwlocTopology(
        version,
        infos.get("Architecture"),
        infos.get("HostName"),
        _usable(machine),
        cpus_of(machine.get("complete_cpuset")),
        nodes,
        tuple(HwlocPackage(*_numbered(found.element)) for found in objects if found.kind in ("Package", "Socket")),
        tuple(HwlocCore(*_numbered(found.element)) for found in objects if found.kind == "Core"),
        _distances_2(root, objects) or _distances_1(machine, [numa_node.id for numa_node in nodes]),
        tuple(device for found in objects if found.kind == "PCIDev" and (device := _pci_device(found, version))),
    )


def _objects(machine: "Element") -> Iterator[_Object]:
    """Every object in the order of the file. Input/output and memory objects have no CPUs of their own."""
    stack = [_Object(machine, "Machine", machine)]
    while stack:
        found = stack.pop()
        yield found
        for child in reversed(found.element.findall("object")):
            kind = child.get("type", "")
            memory = kind in ("NUMANode", "MemCache") and child.find("object") is None  # in version 1 a NUMA node holds its cores
            own = child.get("cpuset") is not None and not memory
            stack.append(_Object(child, kind, child if own else found.home))


def _usable(machine: "Element") -> CpuSet | None:
    """Online and allowed CPUs. Only version 1 keeps apart which are online and allowed."""
    masks = [cpus_of(machine.get(name)) for name in ("cpuset", "online_cpuset", "allowed_cpuset") if machine.get(name)]
    known = [mask for mask in masks if mask is not None]
    return reduce(and_, known) if known else None


def _os_index(element: "Element") -> int | None:
    number = int_or_none(element.get("os_index"))
    return number if number is not None and number < _NO_INDEX else None


def _numbered(element: "Element") -> tuple[int | None, CpuSet]:
    return _os_index(element), cpus_of(element.get("cpuset")) or CpuSet()


def _numa_node(element: "Element") -> HwlocNumaNode | None:
    number = _os_index(element)
    if number is None or number > MAX_NUMA_NODE_ID:
        return None
    subtype = element.get("subtype") or next((info.get("value") for info in element.findall("info") if info.get("name") == "Type"), None)
    memory = int_or_none(element.get("local_memory")) or None  # the attribute is left out for 0, and where it is not known
    return HwlocNumaNode(number, cpus_of(element.get("cpuset")), cpus_of(element.get("complete_cpuset")), memory, subtype)


def _pci_device(found: _Object, version: str) -> HwlocPciDevice | None:
    try:
        address = PciAddress.parse(found.element.get("pci_busid", ""))
    except ParseError:
        return None
    ids = re.match(_PCI_TYPE, found.element.get("pci_type", ""))
    class_code, vendor, device = (ids[1].lower(), ids[2].lower(), ids[3].lower()) if ids else (None, None, None)
    children = (child for child in found.element.findall("object[@type='OSDev']") if known(child.get("name", "")))
    names = tuple(_os_device(child, version) for child in children)
    home = found.home
    return HwlocPciDevice(address, class_code, vendor, device, cpus_of(home.get("cpuset")), nodes_of(home.get("nodeset")), names)


def _os_device(element: "Element", version: str) -> HwlocOsDevice:
    number = int_or_none(element.get("osdev_type"))
    kinds: tuple[str, ...]
    if version in ("1", "2.0"):
        kinds = (_KINDS[number],) if number in _KINDS else ()
    else:
        kinds = tuple(kind for bit, kind in _KIND_BITS.items() if number and number & bit)
    return HwlocOsDevice(element.get("name", ""), kinds)


def _distances_2(root: "Element", objects: list[_Object]) -> DistanceMatrix | None:
    """The latencies between NUMA nodes, as rows by the kernel's numbers."""
    by_gp = {found.element.get("gp_index"): _os_index(found.element) for found in objects if found.kind == "NUMANode"}
    for table in root.findall("distances2"):
        kind = int_or_none(table.get("kind"))
        if table.get("type") != "NUMANode" or not kind or not kind & _LATENCY_KIND:
            continue
        words, values = (" ".join(part.text or "" for part in table.findall(tag)).split() for tag in ("indexes", "u64values"))
        ids = [int_or_none(word) if table.get("indexing") == "os" else by_gp.get(word) for word in words]
        matrix = _matrix(ids, [int_or_none(value) for value in values])
        if matrix:
            return matrix
    return None


def _distances_1(machine: "Element", ids: list[int]) -> DistanceMatrix | None:
    """Version 1: latencies relative to a base, of all the objects at one depth; taken where there are as many NUMA nodes."""
    for table in machine.iter("distances"):
        values = [_scaled(latency.get("value"), table.get("latency_base")) for latency in table.findall("latency")]
        matrix = _matrix(list(ids), values) if int_or_none(table.get("nbobjs")) == len(ids) else None
        if matrix:
            return matrix
    return None


def _scaled(value: str | None, base: str | None) -> int | None:
    try:
        distance = float(value or "") * float(base or "")
        return round(distance) if 0 < distance < 1e6 else None
    except ValueError:
        return None


def _matrix(ids: list[int | None] | list[int], values: list[int | None]) -> DistanceMatrix | None:
    numbers = tuple(number for number in ids if number is not None)
    if not numbers or len(numbers) != len(ids) or len(set(numbers)) != len(ids) or len(values) != len(ids) ** 2:
        return None
    return DistanceMatrix(numbers, tuple(tuple(values[at : at + len(ids)]) for at in range(0, len(values), len(ids))))


PARSER = Parser(
    parse,
    reads=(),
    looks_like=r"^(?:<\?xml[^\n]*\?>\s*)?(?:<!DOCTYPE topology[^>\[]{0,200}>\s*)?<topology[ >]",
)
