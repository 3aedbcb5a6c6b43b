"""What lscpu 2.38, numactl 2.0.16, uname and nvidia-smi 570 print on a host of a given shape."""

from collections.abc import Iterable

from device_files import DRIVER, GPU_MODEL, gpu_uuid
from evidence import Evidence
from host_shape import HostShape, Slot
from kernel_files import MODEL, RELEASE, VERSION, memory_kb

_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""
_QUERY_GPU = ("nvidia-smi", "--query-gpu=index,uuid,pci.bus_id,name,driver_version", "--format=csv")
_QUERY_APPS = ("nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv")


def add_tools(evidence: Evidence, shape: HostShape, pid_of_gpu: dict[int, int]) -> None:
    """``pid_of_gpu``: GPU index to the PID of the process that computes on it, as the driver of the host counts PIDs."""
    tools = "topology_tools"
    evidence.command(tools, ("lscpu",), _lscpu(shape))
    evidence.command(tools, ("lscpu", "--extended=CPU,NODE,SOCKET,CORE,ONLINE"), _lscpu_extended(shape))
    evidence.command(tools, ("numactl", "--hardware"), _numactl(shape), 4.0)
    evidence.command(tools, ("uname", "-a"), f"Linux {shape.hostname} {RELEASE} {VERSION} x86_64 GNU/Linux\n", 1.0)
    slots = shape.gpu_slots()
    listing = [f"GPU {index}: {GPU_MODEL} (UUID: {gpu_uuid(index)})" for index in range(len(slots))]
    gpus = [f"{index}, {gpu_uuid(index)}, 0000{slot.address.upper()}, {GPU_MODEL}, {DRIVER}" for index, slot in enumerate(slots)]
    apps = [f"{gpu_uuid(index)}, {pid}, /usr/bin/python3.11, 71232 MiB" for index, pid in sorted(pid_of_gpu.items())]
    evidence.command("nvidia_smi", ("nvidia-smi", "topo", "-m"), _topo(shape), 412.0)
    evidence.command("nvidia_smi", _QUERY_GPU, _lines(["index, uuid, pci.bus_id, name, driver_version", *gpus]), 380.0)
    evidence.command("nvidia_smi", _QUERY_APPS, _lines(["gpu_uuid, pid, process_name, used_gpu_memory [MiB]", *apps]), 391.0)
    evidence.command("nvidia_smi", ("nvidia-smi", "-L"), _lines(listing), 365.0)


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _lscpu(shape: HostShape) -> str:
    rows = {
        "Architecture": "x86_64", "CPU op-mode(s)": "32-bit, 64-bit", "Address sizes": "52 bits physical, 57 bits virtual",
        "Byte Order": "Little Endian", "CPU(s)": len(shape.cpus), "On-line CPU(s) list": shape.online, "Vendor ID": "GenuineIntel",
        "Model name": MODEL, "CPU family": 6, "Model": 207, "Thread(s) per core": shape.threads_per_core,
        "Core(s) per socket": shape.cores_per_package, "Socket(s)": shape.packages, "Stepping": 2, "NUMA node(s)": len(shape.numa_nodes),
        **{f"NUMA node{number} CPU(s)": shape.cpus_of_numa_node(number) for number in shape.numa_nodes},
    }  # fmt: skip
    return _lines(f"{key + ':':<33}{value}" for key, value in rows.items())


def _lscpu_extended(shape: HostShape) -> str:
    num_cores = shape.packages * shape.cores_per_package
    rows = [f"{cpu.number:>3} {cpu.numa_node:>4} {cpu.package:>6} {cpu.number % num_cores:>4} {'yes':>6}" for cpu in shape.cpus]
    return _lines(["CPU NODE SOCKET CORE ONLINE", *rows])


def _numactl(shape: HostShape) -> str:
    last = len(shape.numa_nodes) - 1
    lines = [f"available: {last + 1} nodes (0-{last})" if last else "available: 1 nodes (0)"]
    for number in shape.numa_nodes:
        memory = memory_kb(shape, number)
        lines += [
            f"node {number} cpus: {' '.join(map(str, shape.cpus_of_numa_node(number)))}",
            f"node {number} size: {memory['MemTotal'] // 1024} MB", f"node {number} free: {memory['MemFree'] // 1024} MB",
        ]  # fmt: skip
    lines += ["node distances:", "node " + "".join(f"{number:>4}" for number in shape.numa_nodes)]
    return _lines(lines + [
        f"{a:>4}: " + "".join(f"{shape.distance(a, b):>4}" for b in shape.numa_nodes) for a in shape.numa_nodes
    ])  # fmt: skip


def _topo(shape: HostShape) -> str:
    gpus, nics = shape.gpu_slots(), shape.nic_slots()
    names = [f"GPU{index}" for index in range(len(gpus))] + [f"NIC{index}" for index in range(len(nics))]
    slots = gpus + nics
    lines = ["\t\x1b[4m" + "\t".join([*names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]) + "\x1b[0m"]
    for name, slot in zip(names, slots, strict=True):
        cells = [name, *(_level(slot, other, gpus) for other in slots)]
        if slot in gpus and shape.firmware_names_nodes:
            cells += [str(shape.cpus_of_numa_node(slot.numa_node)), str(slot.numa_node), "", "N/A"]
        elif slot in gpus:
            cells += [str(shape.online), "N/A", "", "N/A"]
        lines.append("\t".join(cells) + ("" if slot in gpus else "\t" * 4))
    return _lines(lines) + _LEGEND + _lines(f"  NIC{index}: mlx5_{index}" for index in range(len(nics)))


def _level(one: Slot, other: Slot, gpus: list[Slot]) -> str:
    if one == other:
        return " X "
    if one in gpus and other in gpus:
        return "NV18"
    if one.path[:3] == other.path[:3]:
        return "PIX"
    return "NODE" if one.numa_node == other.numa_node else "SYS"
