"""Makes the guest's accelerators look like GPUs of a driver that is loaded.

Where a stand-in hangs (numa_node, local_cpulist, the path in sysfs) is the kernel's own answer; what it is (vendor, class, the
driver's procfs, device nodes, nvidia-smi) is laid over it here.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from shapes import HostShape, cpulist

DRIVER = Path("/proc/driver/nvidia")
TOOL_FOLDER = Path("/dev/shm/stand-ins")
MODEL = "NVIDIA H100 80GB HBM3"
DRIVER_VERSION = "550.54.15"
_MAJOR = 195  # of /dev/nvidiaN
_IDENTITY = {"vendor": "0x10de", "device": "0x2330", "class": "0x030200"}


class StandIn(NamedTuple):
    """An accelerator under its four names, all different but for the address behind them."""

    pci_address: str
    gpu_uuid: str
    gpu_minor: int
    nvml_index: int
    numa_node: int | None


def stand_ins(shape: HostShape) -> list[StandIn]:
    """In the order of the shape's devices, which is that of the minors; nvidia-smi numbers them by PCI address."""
    placed = shape.placed("accelerator")
    by_address = sorted(place.pci_address for place in placed)
    return [
        StandIn(
            place.pci_address,
            f"GPU-5a5a0000-0000-4000-8000-{minor:012x}",
            minor,
            by_address.index(place.pci_address),
            place.device.numa_node,
        )
        for minor, place in enumerate(placed)
    ]


def install(shape: HostShape) -> None:
    """Needs /proc/driver to be writable (a tmpfs)."""
    TOOL_FOLDER.mkdir()
    for gpu in stand_ins(shape):
        _identify(gpu)
        folder = DRIVER / "gpus" / gpu.pci_address
        folder.mkdir(parents=True)
        (folder / "information").write_text(_information(gpu))
        os.mknod(f"/dev/nvidia{gpu.gpu_minor}", 0o666 | 0o020000, os.makedev(_MAJOR, gpu.gpu_minor))
    (DRIVER / "version").write_text(f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {DRIVER_VERSION}  Sun Nov 29 00:00:00 UTC 2026\n")
    _install_tool(shape)


def _identify(gpu: StandIn) -> None:
    """Cover the files of sysfs that say what the function is."""
    for name, text in _IDENTITY.items():
        file = TOOL_FOLDER / name
        file.write_text(text + "\n")
        subprocess.run(["mount", "--bind", str(file), f"/sys/bus/pci/devices/{gpu.pci_address}/{name}"], check=True)


def _information(gpu: StandIn) -> str:
    lines = {
        "Model": f"\t\t {MODEL}",
        "IRQ": "\t\t 16",
        "GPU UUID": f"\t {gpu.gpu_uuid}",
        "Video BIOS": "\t 96.00.74.00.01",
        "Bus Type": "\t PCIe",
        "DMA Size": "\t 52 bits",
        "DMA Mask": "\t 0xfffffffffffff",
        "Bus Location": f"\t {gpu.pci_address}",
        "Device Minor": f"\t {gpu.gpu_minor}",
        "GPU Firmware": f"\t {DRIVER_VERSION}",
        "GPU Excluded": "\t No",
    }
    return "".join(f"{label}: {value}\n" for label, value in lines.items())


def _install_tool(shape: HostShape) -> None:
    """An nvidia-smi that knows the questions numaaudit asks and prints the answers left beside it."""
    gpus = sorted(stand_ins(shape), key=lambda gpu: gpu.nvml_index)
    (TOOL_FOLDER / "list").write_text("".join(f"GPU {gpu.nvml_index}: {MODEL} (UUID: {gpu.gpu_uuid})\n" for gpu in gpus))
    (TOOL_FOLDER / "query-gpu").write_text(
        "index, uuid, pci.bus_id, name, driver_version\n"
        + "".join(f"{gpu.nvml_index}, {gpu.gpu_uuid}, 0000{gpu.pci_address.upper()}, {MODEL}, {DRIVER_VERSION}\n" for gpu in gpus)
    )
    (TOOL_FOLDER / "topo").write_text(_topo(shape, gpus))
    report_apps({})
    (TOOL_FOLDER / "doomed").touch()
    tool = TOOL_FOLDER / "nvidia-smi"
    tool.write_text(f"""#!/bin/sh
case "$*" in
    -L) cat {TOOL_FOLDER}/list ;;
    "topo -m") cat {TOOL_FOLDER}/topo ;;
    --query-gpu=*) cat {TOOL_FOLDER}/query-gpu ;;
    --query-compute-apps=*)
        for pid in $(cat {TOOL_FOLDER}/doomed); do kill -9 "$pid" 2>/dev/null; done
        cat {TOOL_FOLDER}/compute-apps ;;
    *) echo "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help."; exit 1 ;;
esac
""")
    tool.chmod(0o755)


def report_apps(gpu_of_pid: Mapping[int, StandIn]) -> None:
    """What the driver's process table says from now on."""
    rows = "".join(f"{gpu.gpu_uuid}, {pid}, python, 1024 MiB\n" for pid, gpu in gpu_of_pid.items())
    (TOOL_FOLDER / "compute-apps").write_text("gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n" + rows)


def end_when_asked(pid: int) -> None:
    """The tool ends this process when it is asked for the processes on GPUs."""
    with (TOOL_FOLDER / "doomed").open("a") as doomed:
        doomed.write(f"{pid}\n")


def _topo(shape: HostShape, gpus: Sequence[StandIn]) -> str:
    """``nvidia-smi topo -m``: tab-separated, double tab before the last column, N/A where the NUMA node is not known."""
    rows = [["", *(f"GPU{gpu.nvml_index}" for gpu in gpus), "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]]
    for gpu in gpus:
        affinity = ("N/A", "N/A") if gpu.numa_node is None else (cpulist(shape.numa_nodes[gpu.numa_node].cpus), str(gpu.numa_node))
        rows.append([f"GPU{gpu.nvml_index}", *(_level(gpu, other) for other in gpus), *affinity, "", "N/A"])
    return "\n".join("\t".join(row) for row in rows) + "\n\nLegend:\n\n  X    = Self\n"


def _level(one: StandIn, other: StandIn) -> str:
    if one == other:
        return " X "
    return "NODE" if one.numa_node == other.numa_node else "SYS"
