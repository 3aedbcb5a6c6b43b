"""The lab's hosts, as data: what QEMU is told, and hence what the kernel, and numaaudit after it, have to say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

FIRST_BUS = 0x20  # of the host bridge on NUMA node 0; those of the next nodes follow in steps of BUSES_PER_BRIDGE
BUSES_PER_BRIDGE = 0x10
FIRST_SLOT_WITHOUT_NUMA_NODE = 0x10  # on bus 0, behind QEMU's own devices


class NumaNode(NamedTuple):
    """``cpus`` empty: memory only."""

    cpus: tuple[int, ...]
    memory_mib: int


class Device(NamedTuple):
    """A PCI function. ``numa_node`` None: on the bus of the chipset, for which the firmware names no NUMA node."""

    kind: str  # accelerator, nvme or nic
    numa_node: int | None


class Placed(NamedTuple):
    """A device and where it sits: the PCI address that firmware and kernel give it, and its slot on the parent bus."""

    device: Device
    pci_address: str
    slot: int


class HostShape(NamedTuple):
    """One machine. CPUs are numbered package by package, core by core, the threads of a core next to each other."""

    name: str
    packages: int
    cores_per_package: int
    threads_per_core: int
    numa_nodes: tuple[NumaNode, ...]
    distances: tuple[tuple[int, ...], ...]
    devices: tuple[Device, ...]

    @property
    def cpus(self) -> range:
        return range(self.packages * self.cores_per_package * self.threads_per_core)

    def placed(self, kind: str | None = None) -> list[Placed]:
        """Devices in the order of ``devices``. Buses behind a host bridge are numbered in the order of its ports."""
        counts: dict[int | None, int] = {}
        result = []
        for device in self.devices:
            nth = counts[device.numa_node] = counts.get(device.numa_node, -1) + 1
            result.append(_place(device, nth))
        return [place for place in result if kind in (None, place.device.kind)]


def _place(device: Device, nth: int) -> Placed:
    """The ``nth`` device of its NUMA node has a port of its own there, else a slot on bus 0."""
    if device.numa_node is None:
        slot = FIRST_SLOT_WITHOUT_NUMA_NODE + nth
        return Placed(device, f"0000:00:{slot:02x}.0", slot)
    return Placed(device, f"0000:{bridge_bus(device.numa_node) + 1 + nth:02x}:00.0", nth)


def bridge_bus(numa_node: int) -> int:
    """Bus number of the host bridge that serves a NUMA node."""
    return FIRST_BUS + numa_node * BUSES_PER_BRIDGE


def cpulist(cpus: Iterable[int]) -> str:
    """As the kernel prints a set of CPUs: ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


TWO_PACKAGES_5_3 = HostShape(
    name="two-packages-5-3",
    packages=2,
    cores_per_package=4,
    threads_per_core=2,
    numa_nodes=(NumaNode(tuple(range(8)), 2048), NumaNode(tuple(range(8, 16)), 2048)),
    distances=((10, 21), (21, 10)),
    devices=(
        *[Device("accelerator", 0)] * 5,
        *[Device("accelerator", 1)] * 3,
        Device("accelerator", None),
        Device("nvme", 1),
        Device("nic", 1),
        Device("nic", None),
    ),
)

# Neighbouring CPU numbers are on different NUMA nodes; a third NUMA node, such as a CXL expander, has memory and no CPUs.
INTERLEAVED_WITH_MEMORY_ONLY = HostShape(
    name="interleaved-with-memory-only",
    packages=2,
    cores_per_package=8,
    threads_per_core=1,
    numa_nodes=(NumaNode(tuple(range(0, 16, 2)), 1536), NumaNode(tuple(range(1, 16, 2)), 1536), NumaNode((), 1024)),
    distances=((10, 21, 24), (21, 10, 14), (24, 14, 10)),
    devices=(*[Device("accelerator", 1)] * 2, *[Device("accelerator", 0)] * 2, Device("nic", 0)),
)

# Four NUMA nodes a package, one GPU each, wired in an order of its own.
EIGHT_NUMA_NODES = HostShape(
    name="eight-numa-nodes",
    packages=2,
    cores_per_package=8,
    threads_per_core=1,
    numa_nodes=tuple(NumaNode((first, first + 1), 512) for first in range(0, 16, 2)),
    distances=tuple(tuple(10 if one == other else 12 if one // 4 == other // 4 else 32 for other in range(8)) for one in range(8)),
    devices=tuple(Device("accelerator", numa_node) for numa_node in (3, 1, 0, 2, 5, 7, 4, 6)),
)

SHAPES = (TWO_PACKAGES_5_3, INTERLEAVED_WITH_MEMORY_ONLY, EIGHT_NUMA_NODES)


def shape_named(name: str) -> HostShape:
    return next(shape for shape in SHAPES if shape.name == name)
