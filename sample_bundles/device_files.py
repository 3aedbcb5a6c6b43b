"""What the kernel and its drivers say of PCI functions, GPUs, NICs, NVMe controllers and interrupts."""

from typing import NamedTuple

from evidence import Evidence
from host_shape import HostShape, Slot

from numaaudit.core.cpuset import CpuSet

DRIVER = "570.86.15"
GPU_MODEL = "NVIDIA H100 80GB HBM3"


class Kind(NamedTuple):
    """What a PCI function is: hexadecimal ids as in sysfs, its driver and its link."""

    class_code: str
    vendor: str
    device: str
    driver: str
    speed: str
    width: int
    irq_names: tuple[str, ...] = ()


GPU = Kind("0x030200", "0x10de", "0x2330", "nvidia", "32.0 GT/s PCIe", 16, ("nvidia",))
_NIC_IRQS = ("mlx5_async@pci:{0}", "mlx5_comp0@pci:{0}", "mlx5_comp1@pci:{0}")
NIC = Kind("0x020700", "0x15b3", "0x1021", "mlx5_core", "32.0 GT/s PCIe", 16, _NIC_IRQS)
NVME = Kind("0x010802", "0x144d", "0xa80a", "nvme", "16.0 GT/s PCIe", 4, ("{1}q0", "{1}q1", "{1}q2"))
VGA = Kind("0x030000", "0x1a03", "0x2000", "ast", "5.0 GT/s PCIe", 1)
PORT = Kind("0x060400", "0x8086", "0x352a", "pcieport", "32.0 GT/s PCIe", 16)
SWITCH = Kind("0x060400", "0x1000", "0xc030", "pcieport", "32.0 GT/s PCIe", 16)


_OTHER_INTERRUPTS = (
    ("LOC", 8_112_034, "Local timer interrupts"), ("RES", 40_122, "Rescheduling interrupts"), ("TLB", 9_214, "TLB shootdowns"),
)  # fmt: skip


class Interrupt(NamedTuple):
    number: int
    hardware_number: int
    name: str
    allowed: CpuSet
    numa_node: int


def gpu_uuid(index: int) -> str:
    """Invented, the same for a GPU of that index in every sample."""
    return f"GPU-6b1f0c{index:02x}-51d2-4e7a-9c3{index:x}-0f4a8d2e71{index:02x}"


def add_devices(evidence: Evidence, shape: HostShape) -> None:
    gpus, nics, nvmes = shape.gpu_slots(), shape.nic_slots(), shape.nvme_slots()
    named = [(slot, GPU, "") for slot in gpus] + [(slot, NIC, "") for slot in nics]
    named += [(slot, NVME, f"nvme{index}") for index, slot in enumerate(nvmes)] + [(shape.vga_slot(), VGA, "")]
    interrupts: list[Interrupt] = []
    done: set[str] = set()
    for slot, kind, name in named:
        for depth in range(1, len(slot.path) - 1):
            if slot.path[depth] not in done:
                done.add(slot.path[depth])
                _function(evidence, shape, slot._replace(path=slot.path[: depth + 1]), PORT if depth == 1 else SWITCH)
        _function(evidence, shape, slot, kind)
        interrupts += _interrupts_of(evidence, shape, slot, kind, name, 90 + len(interrupts))
    _nvidia(evidence, gpus)
    for index, slot in enumerate(nics):
        _rdma(evidence, slot, index)
    for index, slot in enumerate(nvmes):
        _nvme(evidence, shape, slot, index)
    evidence.link("drm_devices", "sys/class/drm/card0", f"../../{shape.vga_slot().folder[4:]}/drm/card0")
    evidence.link("drm_devices", f"{shape.vga_slot().folder}/drm/card0/device", f"../../../{shape.vga_slot().address}")
    _interrupt_files(evidence, shape, interrupts)


def _function(evidence: Evidence, shape: HostShape, slot: Slot, kind: Kind) -> None:
    evidence.link("pci_functions", f"sys/bus/pci/devices/{slot.address}", "../../../" + slot.folder[4:])
    evidence.link("pci_functions", f"{slot.folder}/driver", "../" * (len(slot.path) + 1) + f"bus/pci/drivers/{kind.driver}")
    evidence.files("pci_functions", slot.folder, {
        "class": kind.class_code, "vendor": kind.vendor, "device": kind.device,
        "subsystem_vendor": kind.vendor, "subsystem_device": kind.device,
        "numa_node": _numa_node(shape, slot), "local_cpulist": _local_cpus(shape, slot), "enable": 1,
        "current_link_speed": kind.speed, "current_link_width": kind.width, "max_link_speed": kind.speed, "max_link_width": kind.width,
    })  # fmt: skip
    evidence.files("pci_functions", f"{slot.folder}/power", {"runtime_status": "active"})


def _numa_node(shape: HostShape, slot: Slot) -> int:
    return slot.numa_node if shape.firmware_names_nodes else -1


def _local_cpus(shape: HostShape, slot: Slot) -> CpuSet:
    """What ``local_cpulist`` says: without a NUMA node that is every online CPU."""
    return shape.cpus_of_numa_node(slot.numa_node) if shape.firmware_names_nodes else shape.online


def _interrupts_of(evidence: Evidence, shape: HostShape, slot: Slot, kind: Kind, name: str, first: int) -> list[Interrupt]:
    """The vectors of a function; hardware numbers as the kernel's PCI/MSI domain makes them, (bus, device, function) << 11 | vector."""
    bus, device, function = int(slot.address[5:7], 16), int(slot.address[8:10], 16), int(slot.address[11])
    made = []
    for vector, pattern in enumerate(kind.irq_names):
        number, hardware_number = first + vector, (bus << 8 | device << 3 | function) << 11 | vector
        shown = pattern.format(slot.address, name)
        made.append(Interrupt(number, hardware_number, shown, _local_cpus(shape, slot), _numa_node(shape, slot)))
        evidence.files("pci_functions", f"{slot.folder}/msi_irqs", {str(number): "msi" if kind is GPU else "msix"})
    return made


def _interrupt_files(evidence: Evidence, shape: HostShape, interrupts: list[Interrupt]) -> None:
    numbers = [cpu.number for cpu in shape.cpus]
    lines = [" " * 11 + "".join(f"CPU{number:<8}" for number in numbers).rstrip()]
    for irq in interrupts:
        busy = list(irq.allowed)[irq.number % 4]
        counts = "".join(f"{(41_207 + 13 * irq.number if number == busy else 0):>10} " for number in numbers)
        lines.append(f"{irq.number:>4}: {counts} IR-PCI-MSI {irq.hardware_number}-edge      {irq.name}")
        files = {"smp_affinity_list": irq.allowed, "effective_affinity_list": busy, "node": irq.numa_node}
        evidence.files("interrupts", f"proc/irq/{irq.number}", files)
    for key, count, what in _OTHER_INTERRUPTS:
        lines.append(f"{key:>4}: " + "".join(f"{count + 7 * number:>10} " for number in numbers) + f"  {what}")
    evidence.file("interrupts", "proc/interrupts", "\n".join(lines) + "\n")
    words = ",".join(["ffffffff"] * (len(numbers) // 32))
    evidence.file("interrupts", "proc/irq/default_smp_affinity", f"{words}\n")


def _nvidia(evidence: Evidence, gpus: list[Slot]) -> None:
    version = f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {DRIVER}  Release Build"
    evidence.files("nvidia_driver", "proc/driver/nvidia", {
        "version": f"{version}\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)",
        "params": 'ResmanDebugLevel: 4294967295\nEnableGpuFirmware: 18\nRegistryDwords: ""\nExcludedGpus: ""',
    })  # fmt: skip
    evidence.files("nvidia_driver", "sys/module/nvidia", {"version": DRIVER})
    for minor, slot in enumerate(gpus):
        folder = f"proc/driver/nvidia/gpus/{slot.address}"
        power = "Runtime D3 status:          Disabled by default\nVideo Memory:               Active"
        evidence.files("nvidia_driver", folder, {"information": _information(minor, slot), "power": power})
        evidence.device(f"dev/nvidia{minor}", 195, minor)
    evidence.device("dev/nvidiactl", 195, 255)
    evidence.device("dev/nvidia-uvm", 508, 0)
    evidence.device("dev/nvidia-uvm-tools", 508, 1)
    evidence.device("dev/nvidia-caps/nvidia-cap1", 511, 1)


def _information(minor: int, slot: Slot) -> str:
    rows = {
        "Model": GPU_MODEL, "IRQ": 90 + minor, "GPU UUID": gpu_uuid(minor), "Video BIOS": "96.00.99.00.01", "Bus Type": "PCIe",
        "DMA Size": "52 bits", "DMA Mask": "0xfffffffffffff", "Bus Location": slot.address, "Device Minor": minor,
        "GPU Firmware": DRIVER, "GPU Excluded": "No",
    }  # fmt: skip
    return "\n".join(f"{key + ':':<9}\t {value}" for key, value in rows.items())


def _rdma(evidence: Evidence, slot: Slot, index: int) -> None:
    name, netdev = f"mlx5_{index}", f"ibp{int(slot.address[5:7], 16)}s0"
    folder = f"{slot.folder}/infiniband/{name}"
    evidence.link("rdma_devices", f"sys/class/infiniband/{name}", f"../../{folder[4:]}")
    evidence.link("rdma_devices", f"{folder}/device", f"../../../{slot.address}")
    evidence.files("rdma_devices", folder, {"hca_type": "MT4129", "node_type": "1: CA", "fw_ver": "28.42.1000"})
    evidence.files("rdma_devices", f"{folder}/ports/1", {
        "state": "4: ACTIVE", "phys_state": "5: LinkUp", "link_layer": "InfiniBand", "rate": "400 Gb/sec (4X NDR)",
    })  # fmt: skip
    evidence.device(f"dev/infiniband/uverbs{index}", 231, 192 + index)
    folder = f"{slot.folder}/net/{netdev}"
    evidence.link("network_interfaces", f"sys/class/net/{netdev}", f"../../{folder[4:]}")
    evidence.link("network_interfaces", f"{folder}/device", f"../../../{slot.address}")
    evidence.files("network_interfaces", folder, {"operstate": "up", "mtu": 2044, "type": 32})


def _nvme(evidence: Evidence, shape: HostShape, slot: Slot, index: int) -> None:
    folder = f"{slot.folder}/nvme/nvme{index}"
    evidence.link("nvme_controllers", f"sys/class/nvme/nvme{index}", f"../../{folder[4:]}")
    evidence.link("nvme_controllers", f"{folder}/device", f"../../../{slot.address}")
    evidence.files("nvme_controllers", folder, {
        "address": slot.address, "numa_node": _numa_node(shape, slot), "transport": "pcie", "state": "live",
        "model": "SAMSUNG MZQL23T8HCLS-00A07",
    })  # fmt: skip
