"""The shape of a host: how many packages, NUMA nodes and CPUs, how CPUs are numbered, which device hangs where."""

from functools import lru_cache
from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet

FIRST_BUSES = ((0x18, 0x29, 0x3A, 0x4B, 0x5B), (0x98, 0xA9, 0xBA, 0xCB, 0xDB))  # of the host bridges of packages 0 and 1
NVME_BUSES = (0x64, 0xE4)


class Cpu(NamedTuple):
    """A logical CPU; ``core_id`` is unique within its package only, as on real hosts."""

    number: int
    package: int
    core_id: int
    numa_node: int


class Slot(NamedTuple):
    """A PCI slot below a host bridge; ``path`` leads from the bridge to the function, both included."""

    numa_node: int
    path: tuple[str, ...]

    @property
    def address(self) -> str:
        return self.path[-1]

    @property
    def folder(self) -> str:
        return "sys/devices/" + "/".join(self.path)


class HostShape(NamedTuple):
    """``numbering``: ``contiguous`` (package 0's cores first) or ``interleaved`` (cores counted round the packages).

    SMT siblings follow all first threads. With ``firmware_names_nodes`` False every PCI function's numa_node reads -1.
    """

    hostname: str
    packages: int = 2
    numa_nodes_per_package: int = 1
    cores_per_package: int = 32
    threads_per_core: int = 1
    numbering: str = "contiguous"
    gpus: tuple[int, ...] = (0, 0, 0, 0, 1, 1, 1, 1)  # the NUMA node of each
    nics: tuple[int, ...] = (0, 0, 1, 1)
    nvmes: tuple[int, ...] = (0, 1)
    firmware_names_nodes: bool = True
    gib_per_numa_node: int = 512

    @property
    @lru_cache  # noqa: B019  (a shape lives as long as its bundle is built)
    def cpus(self) -> tuple[Cpu, ...]:
        cores = self.packages * self.cores_per_package
        return tuple(self._cpu(core, thread * cores) for thread in range(self.threads_per_core) for core in range(cores))

    def _cpu(self, core: int, offset: int) -> Cpu:
        if self.numbering == "interleaved":
            core_id, package = divmod(core, self.packages)
        else:
            package, core_id = divmod(core, self.cores_per_package)
        cores_per_numa_node = self.cores_per_package // self.numa_nodes_per_package
        return Cpu(core + offset, package, core_id, package * self.numa_nodes_per_package + core_id // cores_per_numa_node)

    @property
    def online(self) -> CpuSet:
        return CpuSet(cpu.number for cpu in self.cpus)

    @property
    def numa_nodes(self) -> range:
        return range(self.packages * self.numa_nodes_per_package)

    def cpus_of_numa_node(self, numa_node: int) -> CpuSet:
        return CpuSet(cpu.number for cpu in self.cpus if cpu.numa_node == numa_node)

    def cpus_of_package(self, package: int) -> CpuSet:
        return CpuSet(cpu.number for cpu in self.cpus if cpu.package == package)

    def siblings(self, cpu: Cpu) -> CpuSet:
        return CpuSet(other.number for other in self.cpus if (other.package, other.core_id) == (cpu.package, cpu.core_id))

    def package_of(self, numa_node: int) -> int:
        return numa_node // self.numa_nodes_per_package

    def distance(self, a: int, b: int) -> int:
        """Values of the firmware tables (ACPI SLIT) of two-package servers; 12 within a package as with NPS4."""
        if a == b:
            return 10
        if self.package_of(a) == self.package_of(b):
            return 12
        return 21 if self.numa_nodes_per_package == 1 else 32

    def gpu_slots(self) -> list[Slot]:
        """Each GPU below a PCIe switch of its own, in order of bus."""
        return [Slot(numa_node, (*self._switch(bus), f"0000:{bus + 3:02x}:00.0")) for bus, numa_node in self._gpu_buses()]

    def nic_slots(self) -> list[Slot]:
        """Each NIC beside a GPU: below another port of the same switch."""
        free = self._gpu_buses()
        slots = []
        for numa_node in self.nics:
            bus = next(bus for bus, other in free if other == numa_node)
            free.remove((bus, numa_node))
            slots.append(Slot(numa_node, (*self._switch(bus, port=1), f"0000:{bus + 4:02x}:00.0")))
        return slots

    def nvme_slots(self) -> list[Slot]:
        buses = [NVME_BUSES[self.package_of(numa_node)] for numa_node in self.nvmes]
        return [
            Slot(numa_node, (f"pci0000:{bus:02x}", f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0"))
            for bus, numa_node in zip(buses, self.nvmes, strict=True)
        ]

    def vga_slot(self) -> Slot:
        """The management controller's display, a PCI function of class 03 that is no accelerator."""
        return Slot(0, ("pci0000:00", "0000:00:1c.0", "0000:02:00.0", "0000:03:00.0"))

    def _gpu_buses(self) -> list[tuple[int, int]]:
        free = [list(buses) for buses in FIRST_BUSES]
        return [(free[self.package_of(numa_node)].pop(0), numa_node) for numa_node in self.gpus]

    @staticmethod
    def _switch(bus: int, port: int = 0) -> tuple[str, ...]:
        return (f"pci0000:{bus:02x}", f"0000:{bus:02x}:01.0", f"0000:{bus + 1:02x}:00.0", f"0000:{bus + 2:02x}:{port:02x}.0")
