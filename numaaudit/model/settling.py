"""Which commands would show what a text does not: what a host must tell before the placement of its ranks can be judged."""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.host import Host
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology

MOST_COMMANDS = 3

_TOPOLOGY_TOOLS = {"amd": "rocm-smi --showtopo", "hygon": "hy-smi --showtopo", "huawei": "npu-smi info -t topo"}
_COMPUTE_APPS = "nvidia-smi --query-compute-apps=gpu_uuid,pid --format=csv"
_COLLECT = "numaaudit collect --match NAME"  # for vendors whose tools print no table that names devices as well


def settling_commands(host: Host) -> tuple[str, ...]:
    """The first three that are missing, in the order in which one answer needs the others."""
    missing = (*_of_topology(host), *_of_devices(host), *_of_processes(host))
    return tuple(dict.fromkeys(missing))[:MOST_COMMANDS]


def _of_topology(host: Host) -> Iterator[str]:
    topology = host.section(Topology)
    if not topology.is_complete or not topology.numa_nodes or any(each.cpus is None for each in topology.numa_nodes):
        yield "lscpu"


def _of_devices(host: Host) -> Iterator[str]:
    gpus = host.section(Devices).gpus
    vendor = next((gpu.vendor for gpu in gpus if gpu.vendor), "nvidia")
    if not gpus or any(gpu.numa_node is None and not gpu.numa_nodes and gpu.local_cpus is None for gpu in gpus):
        yield _TOPOLOGY_TOOLS.get(vendor, "nvidia-smi topo -m")
    if not any(rank.gpus for rank in host.section(Ranks).all):
        yield _COMPUTE_APPS if vendor == "nvidia" else _COLLECT
        if vendor == "nvidia" and any(gpu.gpu_uuid is None for gpu in gpus):
            yield "nvidia-smi --query-gpu=index,uuid,pci.bus_id,name --format=csv"


def _of_processes(host: Host) -> Iterator[str]:
    """Of the ranks; where none is known, of the processes."""
    ranks = [rank.process for rank in host.section(Ranks).all if rank.gpus]
    processes = ranks or list(host.section(Processes).all)
    for process in processes[:1]:
        yield from _of_process(process)
    if not processes:
        yield "grep -H Cpus_allowed_list /proc/PID/task/*/status"
        yield "cat /proc/PID/numa_maps"


def _of_process(process: Process) -> Iterator[str]:
    if len(process.threads) < (process.status.record.num_threads or 2):
        yield f"grep -H Cpus_allowed_list /proc/{process.pid}/task/*/status"
    if isinstance(process.maps, Gap) or process.maps.record.is_partial:
        yield f"cat /proc/{process.pid}/numa_maps"
