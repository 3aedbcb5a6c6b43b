"""Network functions and NVMe controllers: their names and where they hang."""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.pci import PciAddress
from numaaudit.model.gpu_places import numa_node_of_cpus, only_with_cpus
from numaaudit.model.gpus import address_in
from numaaudit.model.sections.device_tables import DeviceTables
from numaaudit.model.sections.pci_functions import PciFunction, PciFunctions
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parsers.hwloc_xml import HwlocPciDevice
from numaaudit.parse.parsers.nccl_xml import NIC


class Nic(NamedTuple):
    """A network function. ``name`` is the RDMA device where there is one, else the interface, else the PCI address."""

    name: str
    netdev: str | None
    pci_address: PciAddress | None
    numa_node: int | None
    numa_node_source: str | None


class Nvme(NamedTuple):
    """An NVMe controller, by its kernel name."""

    name: str
    pci_address: PciAddress | None
    numa_node: int | None
    numa_node_source: str | None


def nics_of(tree: Tree, pci: PciFunctions, topology: Topology, tables: DeviceTables) -> tuple[Nic, ...]:
    """Those of the kernel, else those that a topology file lists, else the names in the header of a matrix."""
    by_address: dict[PciAddress | None, Nic] = {}
    for nic in (*_of_kernel(tree, pci, topology), *_of_hwloc(topology, tables), *_of_nccl(tables)):
        by_address.setdefault(nic.pci_address, nic)
    found = sorted(by_address.values(), key=lambda nic: nic.pci_address or ())
    return tuple(found) or tuple(_of_matrix(tables))


def nvmes_of(tree: Tree, pci: PciFunctions, topology: Topology, tables: DeviceTables) -> tuple[Nvme, ...]:
    """Those of the kernel, else those of a topology file."""
    names = _by_address(tree, "root/sys/class/nvme")
    kernel = (
        Nvme(names.get(function.address, str(function.address)), function.address, *_kernel_place(function, topology))
        for function in pci.of_class(0x0108)
    )
    listed = (
        Nvme(_name(device, "block") or str(device.pci_address), device.pci_address, *_hwloc_place(device, topology))
        for device in _hwloc_devices(tables, "0108")
    )
    return tuple(kernel) or tuple(listed)


def _of_kernel(tree: Tree, pci: PciFunctions, topology: Topology) -> Iterator[Nic]:
    rdma, netdevs = _by_address(tree, "root/sys/class/infiniband"), _by_address(tree, "root/sys/class/net")
    for function in pci.of_class(0x02):
        address = function.address
        name = rdma.get(address) or netdevs.get(address) or str(address)
        yield Nic(name, netdevs.get(address), address, *_kernel_place(function, topology))


def _by_address(tree: Tree, folder: str) -> dict[PciAddress, str]:
    """PCI address to name for a class directory whose entries, or their ``device`` links, lead to the function."""
    names: dict[PciAddress, str] = {}
    for name in tree.names(folder):
        links = [tree.link(f"{folder}/{name}/device"), tree.link(f"{folder}/{name}"), tree.text(f"{folder}/{name}/address") or ""]
        address = next((found for link in links if isinstance(link, str) and (found := address_in(link))), None)
        if address:
            names.setdefault(address, name)
    return names


def _kernel_place(function: PciFunction, topology: Topology) -> tuple[int | None, str | None]:
    if function.numa_node is not None:
        return function.numa_node, "sysfs"
    near = numa_node_of_cpus(function.local_cpus, topology)
    if near is not None:
        return near, "local-cpus"
    only = topology.only_numa_node()
    return (only.id, "derived") if only else (None, None)


def _of_hwloc(topology: Topology, tables: DeviceTables) -> Iterator[Nic]:
    for device in _hwloc_devices(tables, "02"):
        netdev = _name(device, "network")
        yield Nic(
            _name(device, "openfabrics") or netdev or str(device.pci_address),
            netdev,
            device.pci_address,
            *_hwloc_place(device, topology),
        )


def _hwloc_devices(tables: DeviceTables, class_code: str) -> Iterator[HwlocPciDevice]:
    for found in tables.hwlocs:
        yield from (device for device in found.record.pci_devices if (device.class_code or "").startswith(class_code))


def _name(device: HwlocPciDevice, kind: str) -> str | None:
    return next((each.name for each in device.os_devices if kind in each.kinds), None)


def _hwloc_place(device: HwlocPciDevice, topology: Topology) -> tuple[int | None, str | None]:
    one = only_with_cpus(device.numa_nodes or (), topology)
    return (None, None) if one is None else (one, "hwloc-xml")


def _of_nccl(tables: DeviceTables) -> Iterator[Nic]:
    for found in tables.nccls:
        for device in found.record.devices:
            if device.kind == NIC:
                number = device.cpu.numa_node
                name = next(iter(device.names), str(device.pci_address))
                yield Nic(name, None, device.pci_address, number, None if number is None else "nccl-xml")


def _of_matrix(tables: DeviceTables) -> Iterator[Nic]:
    """The columns of nvidia-smi's first matrix that are no GPUs; without a legend all there is are labels."""
    for found in tables.topos[:1]:
        for nic in found.record.nics:
            yield Nic(nic.name or nic.label, None, None, None, None)
