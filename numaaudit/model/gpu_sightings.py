"""What each source says of which GPUs there are."""

import re
from collections.abc import Iterator

from numaaudit.bundle.tree import Tree
from numaaudit.model.gpus import Mig, Sighting, address_in
from numaaudit.model.sections.device_tables import DeviceTables
from numaaudit.model.sections.kfd import Kfd
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.hwloc_xml import HwlocPciDevice
from numaaudit.parse.parsers.nccl_xml import GPU
from numaaudit.parse.parsers.nvidia_numa_status import NvidiaNumaStatus

VENDORS = {0x10DE: "nvidia", 0x1002: "amd", 0x8086: "intel", 0x19E5: "huawei", 0x1D94: "hygon", 0x1DA3: "habana"}
_MANAGEMENT_VGA = {(0x1002, 0x515E), (0x1002, 0x4752), (0x19E5, 0x1711)}  # a server's management display, no accelerator
_ROCM_VENDORS = {"GPU": "amd", "HCU": "hygon", "DCU": "hygon"}
_INDEX_NAME = re.compile(r"(?:nvml|rsmi)(\d{1,4})")  # how hwloc names a device after the vendor's index


def sightings_of(
    tree: Tree, pci: PciFunctions, kfd: Kfd, tables: DeviceTables, statuses: tuple[Found[NvidiaNumaStatus], ...]
) -> Iterator[Sighting]:
    """All of them: those with an address first, so that those without find something to join."""
    yield from _in_pci(pci)
    yield from _in_driver(tables, statuses)
    yield from _in_kfd(kfd)
    yield from _in_hwloc(tables)
    yield from _in_nccl(tables)
    yield from _in_nvidia_smi(tables)
    yield from _in_rocm_smi(tables)
    yield from _in_npu_smi(tables)
    yield from _in_dev(tree)


def _in_pci(pci: PciFunctions) -> Iterator[Sighting]:
    for function in pci.of_class(0x03, 0x12):
        vendor = _accelerator_vendor(function.vendor, function.device)
        if vendor:
            yield Sighting(function.address, vendor=vendor)


def _accelerator_vendor(vendor: int | None, device: int | None) -> str | None:
    """The vendor's name; None for a display that is no accelerator."""
    return None if (vendor, device) in _MANAGEMENT_VGA else VENDORS.get(vendor or 0)


def _in_driver(tables: DeviceTables, statuses: tuple[Found[NvidiaNumaStatus], ...]) -> Iterator[Sighting]:
    for found in tables.informations:
        record = found.record
        if record.pci_address and not record.is_excluded:
            yield Sighting(record.pci_address, record.gpu_uuid, None, record.gpu_minor, record.model, "nvidia")
    for status in statuses:
        address = address_in(status.file.path)
        if address and status.record.numa_node is not None:
            yield Sighting(address, vendor="nvidia", gpu_memory_node=status.record.numa_node)


def _in_kfd(kfd: Kfd) -> Iterator[Sighting]:
    seen = set()
    for entry in kfd.nodes:
        if entry.is_gpu and entry.pci_address and entry.pci_address.slot not in seen:
            seen.add(entry.pci_address.slot)  # a partition of a device is not a device
            yield Sighting(entry.pci_address, vendor=VENDORS.get(entry.properties.vendor_id or 0, "amd"))


def _in_nvidia_smi(tables: DeviceTables) -> Iterator[Sighting]:
    for found in tables.queries:
        for row in found.record.gpus:
            yield Sighting(row.pci_address, row.gpu_uuid, row.index, None, row.model, "nvidia")

    for listing in tables.listings:
        for listed in listing.record.gpus:
            mig = tuple(Mig(part.profile, part.device, part.mig_uuid) for part in listed.mig)
            yield Sighting(None, listed.gpu_uuid, listed.index, None, listed.model, "nvidia", None, mig)
    for topo in tables.topos:
        for gpu in topo.record.gpus:
            yield Sighting(index=gpu.index, vendor="nvidia", gpu_memory_node=gpu.gpu_numa_id)


def _in_rocm_smi(tables: DeviceTables) -> Iterator[Sighting]:
    for found in tables.rocm:
        for row in found.record.gpus:
            yield Sighting(index=row.index, vendor=_ROCM_VENDORS[found.record.device])


def _in_npu_smi(tables: DeviceTables) -> Iterator[Sighting]:
    """By the logical id, which is what ASCEND_RT_VISIBLE_DEVICES counts, else by the physical one; a controller has neither."""
    for mapped in tables.npu_maps:
        for chip in mapped.record.chips:
            number = chip.phy_id if chip.logic_id is None else chip.logic_id
            if number is not None:
                yield Sighting(index=number, model=chip.chip_name, vendor="huawei")
    for found in tables.npus:
        for row in found.record.npus:
            yield Sighting(index=row.index, vendor="huawei")


def _in_dev(tree: Tree) -> Iterator[Sighting]:
    for path in tree.glob("root/dev/davinci[0-9]*"):
        number = path.rpartition("davinci")[2]
        if number.isascii() and number.isdigit():
            yield Sighting(index=int(number), vendor="huawei")


def _in_hwloc(tables: DeviceTables) -> Iterator[Sighting]:
    for found in tables.hwlocs:
        for device in found.record.pci_devices:
            vendor = _accelerator_vendor(_hexadecimal(device.vendor_id), _hexadecimal(device.device_id))
            if vendor and (device.class_code or "").startswith(("03", "12")):
                yield Sighting(device.pci_address, index=_named_index(device), vendor=vendor)


def _named_index(device: HwlocPciDevice) -> int | None:
    matches = (_INDEX_NAME.fullmatch(each.name) for each in device.os_devices)
    return next((int(match[1]) for match in matches if match), None)


def _in_nccl(tables: DeviceTables) -> Iterator[Sighting]:
    """``dev`` counts the devices of one job and is no index."""
    for found in tables.nccls:
        for device in found.record.devices:
            if device.kind == GPU:
                yield Sighting(device.pci_address, vendor=VENDORS.get(_hexadecimal(device.vendor_id) or 0))


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text and re.fullmatch(r"[0-9a-fA-F]{1,8}", text) else None
