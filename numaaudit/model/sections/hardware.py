"""The hardware class of the host at hand, and its drivers."""

import re
from typing import NamedTuple

from numaaudit.bundle.tree import Tree
from numaaudit.core.pci import PciAddress
from numaaudit.core.units import GIB
from numaaudit.model.gpus import Gpu
from numaaudit.model.hardware_class import LINK_TO, Aspects, HardwareClass, Part, Value
from numaaudit.model.join import Joiner
from numaaudit.model.nics import Nic, Nvme
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.memory import Memory
from numaaudit.model.sections.pci_functions import PciFunction, PciFunctions
from numaaudit.model.sections.system import System
from numaaudit.model.sections.topology import Topology
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_params import NvidiaParams

_MODULES = ("nvidia", "amdgpu")
_NVRM = re.compile(r"NVRM version: .*?  (\d{1,5}(?:\.\d{1,5}){1,3})  ")


class Hardware(NamedTuple):
    """``found``: the traits of this host. ``drivers``: kernel module to version, only those that say one. ``tree``: what proves them."""

    found: HardwareClass
    drivers: dict[str, str]
    tree: Tree


def join(
    tree: Tree,
    topology: Topology,
    devices: Devices,
    pci: PciFunctions,
    memory: Memory,
    system: System,
    params: tuple[Found[NvidiaParams], ...],
) -> Hardware:
    """Every trait that the model knows."""
    parts = {
        "cpus": {"host": {"present_cpus": _text(topology.present), "packages": topology.num_packages}},
        "numa_nodes": _numa_nodes(topology),
        "gpus": _listed(pci, {slot_of(gpu): _gpu(gpu, pci) for gpu in devices.gpus}),
        "gpu_links": _listed(pci, _gpu_links(devices, pci)),
        "nics": _listed(pci, {str(nic.pci_address): _device(nic, pci) for nic in devices.nics if nic.pci_address}),
        "nvmes": _listed(pci, {str(nvme.pci_address): _device(nvme, pci) for nvme in devices.nvmes if nvme.pci_address}),
        "settings": {"host": {**_settings(topology, memory, system), **_driver_settings(params)}},
    }
    return Hardware(HardwareClass(parts), _drivers(tree), tree)


def slot_of(gpu: Gpu) -> str:
    """Where a GPU sits: its PCI address, else ``#INDEX``."""
    return str(gpu.pci_address) if gpu.pci_address else f"#{gpu.index}"


def path_of(function: PciFunction | None) -> str | None:
    """The slot by its place below the host bridge, which no renumbering of buses moves: ``0000:15/01.0/00.0/00.0/00.0``.

    None where the evidence has no link that leads there.
    """
    if function is None or not function.upstream:
        return None
    first = function.upstream[0]
    hops = (f"{each.device:02x}.{each.function:x}" for each in (*function.upstream, function.address))
    return "/".join([f"{first.domain:04x}:{first.bus:02x}", *hops])


def _listed(pci: PciFunctions, part: dict[str, Aspects]) -> Part:
    """A part that is empty is known to be so only where the PCI functions are listed."""
    return part if part or pci.by_address else None


def _numa_nodes(topology: Topology) -> Part:
    distances = topology.distances
    made: dict[str, Aspects] = {}
    for numa_node in topology.numa_nodes:
        rows = [distances.between(numa_node.id, other) for other in distances.nodes] if distances else []
        made[str(numa_node.id)] = {
            "cpus": _text(numa_node.cpus),
            "memory_gib": None if numa_node.memory_bytes is None else float(round(numa_node.memory_bytes / GIB, 1)),
            "distances": " ".join(map(str, rows)) if rows and None not in rows else None,
        }
    return made or None


def _gpu(gpu: Gpu, pci: PciFunctions) -> Aspects:
    function = pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
    return {"model": model_name(gpu.model), "path": path_of(function), "numa_node": gpu.numa_node}


def model_name(model: str | None) -> str | None:
    """Without the vendor, which NVIDIA's tools print since driver 470 only."""
    return model and model.removeprefix("NVIDIA ")


def _nearest_nic(function: PciFunction | None, devices: Devices, pci: PciFunctions) -> PciAddress | None:
    """The one NIC with the most bridges in common, of those below the same switch: at least two bridges."""
    if function is None:
        return None
    addresses = [nic.pci_address for nic in devices.nics if nic.pci_address in pci.by_address]
    common = [(_in_common(function, pci.by_address[address]), address) for address in addresses if address]
    best = sorted(common, key=lambda pair: -pair[0])[:2]
    if not best or best[0][0] < 2 or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    return best[0][1]


def _in_common(a: PciFunction, b: PciFunction) -> int:
    """How many bridges two functions share, from the host bridge down."""
    return next((at for at, pair in enumerate(zip(a.upstream, b.upstream)) if pair[0] != pair[1]), min(len(a.upstream), len(b.upstream)))


def _gpu_links(devices: Devices, pci: PciFunctions) -> dict[str, Aspects]:
    """Width as trained, the speed it is able to (an idle GPU slows its link down to save power), and the links to GPUs behind it.

    By address: the numbers of the tool's matrix move.
    """
    slots = {f"GPU{gpu.index}": slot_of(gpu) for gpu in devices.gpus if gpu.index is not None}
    levels: dict[str, dict[str, Value]] = {}
    for link in devices.links:
        if link.a in slots and link.b in slots:
            first, second = sorted((slots[link.a], slots[link.b]))
            levels.setdefault(first, {})[f"{LINK_TO}{second}"] = link.level
    return {slot: _gpu_link(gpu, devices, pci, levels.get(slot, {})) for gpu in devices.gpus for slot in [slot_of(gpu)]}


def _gpu_link(gpu: Gpu, devices: Devices, pci: PciFunctions, levels: dict[str, Value]) -> Aspects:
    function = pci.by_address.get(gpu.pci_address) if gpu.pci_address else None
    nic = _nearest_nic(function, devices, pci)
    return {
        "nearest_nic": str(nic) if nic else "none" if function and function.upstream else None,
        "pcie_width": function.link.width if function else None,
        "pcie_max_gt_per_s": function.link.max_speed_gts if function else None,
        **dict(sorted(levels.items())),
    }


def _device(device: Nic | Nvme, pci: PciFunctions) -> Aspects:
    function = pci.by_address.get(device.pci_address) if device.pci_address else None
    return {
        "numa_node": device.numa_node,
        "pcie_width": function.link.width if function else None,
        "pcie_gt_per_s": function.link.speed_gts if function else None,
    }


def _settings(topology: Topology, memory: Memory, system: System) -> Aspects:
    pools: dict[str, Value] = {f"hugepages_{pool.page_bytes >> 10}kb_node{pool.numa_node}": pool.total for pool in memory.hugepages}
    return {
        "online_cpus": _text(topology.online),
        "isolated_cpus": _text(topology.isolated),
        "threads_per_core": topology.threads_per_core,
        "numa_balancing": system.numa_balancing,
        "zone_reclaim_mode": system.zone_reclaim_mode,
        "transparent_hugepages": system.thp,
        **pools,
    }


def _driver_settings(params: tuple[Found[NvidiaParams], ...]) -> Aspects:
    """Whether the memory of coherent GPUs is a NUMA node of the kernel; most drivers have no such setting."""
    modes = [found.record.coherent_gpu_memory_mode for found in params if found.record.coherent_gpu_memory_mode]
    return {"coherent_gpu_memory_mode": modes[0]} if modes else {}


def _drivers(tree: Tree) -> dict[str, str]:
    """``/sys/module/NAME/version``, else the version line of ``/proc/driver/nvidia/version``."""
    found = {name: version for name in _MODULES if (version := tree.text(f"root/sys/module/{name}/version"))}
    nvrm = _NVRM.search(tree.text("root/proc/driver/nvidia/version") or "")
    return found if "nvidia" in found or not nvrm else {**found, "nvidia": nvrm[1]}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


JOINER = Joiner(join)
