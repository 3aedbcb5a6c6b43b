"""# visible-devices-name-numa-nodes (NA312)

A process was told by NUMA node numbers which GPUs to use: one of the numbers is no GPU, but the memory of one.

## What it checks

For each process: the numbers in `CUDA_VISIBLE_DEVICES`, as its environment was at exec. It fails where each of them is the
number of a NUMA node of the host, and at least one of them is no GPU's (there are fewer GPUs) but that of a NUMA node which is
a GPU's memory, by the driver. Silent about other numbers that name no GPU, and about UUIDs.

## Why it matters

Where a GPU's memory is a NUMA node (Grace, POWER9), tools that list the NUMA nodes of a package, such as hwloc-calc, list the
GPU's too: `0,4`, not `0`. Used as a list of GPUs it starts with the right one, by luck, on the first package only. CUDA drops a
number that names no GPU and all behind it without a word; on the other packages the first number is already wrong, and the
ranks see no GPU or somebody else's.

## Evidence

`/proc/PID/environ` (CUDA_VISIBLE_DEVICES), `/proc/driver/nvidia/gpus/*/numa_status` or `nvidia-smi topo -m` (GPU NUMA ID),
the list of GPUs. Unknown where a number names no GPU and the environment's GPUs are not known.

## How to fix

Number GPUs by their own order: the local rank (`CUDA_VISIBLE_DEVICES=$SLURM_LOCALID`), the launcher's or Slurm's own binding
(`--gpus-per-task`, `--gpu-bind`), or UUIDs from `nvidia-smi -L`. Take NUMA nodes with CPUs only:
`hwloc-calc --intersect NUMAnode` names all, `numactl --hardware` shows which have CPUs.

## How to verify

`nvidia-smi -L` lists a GPU for each number in `/proc/PID/environ`, and every rank of the host has another one.

## False positives

A host from which GPUs were taken out after the process was started.

## References

- https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables
- https://www.open-mpi.org/projects/hwloc/doc/
- https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceQueries.html
"""

import re
from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import Evidence, cite, cite_entry
from numaaudit.model.gpus import Gpu
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.model.visible_devices import CUDA
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_numa_status import NvidiaNumaStatus
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA312", gate=Gate.IDENTITY, category="memory-tier", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) was started with {variable}={value}, but the host's {num_gpus} GPUs are 0-{last_gpu}: "
    "{number} is the NUMA node that is the memory of GPU {gpu}."
)
FIX = "Give {who_inside} the number or UUID of its GPU in {variable}, not NUMA nodes."

_NUMBERS = re.compile(r"\d{1,4}(?:,\d{1,4}){0,63}")


def check(
    processes: Processes, ranks: Ranks, devices: Devices, topology: Topology, statuses: tuple[Found[NvidiaNumaStatus], ...]
) -> Iterator[Judgement]:
    lines = {found.record.numa_node: cite(found.file, "Node:") for found in statuses if found.reading == 0}
    gpus = [gpu for gpu in devices.gpus if gpu.vendor == "nvidia"]
    told = [process for process in processes.all if _NUMBERS.fullmatch(process.variables.get(CUDA, ""))]
    for process in told:
        yield _judge(process, name_of(process, ranks), gpus, topology, lines)
    if not told:
        yield not_applicable("host")


def _judge(process: Process, named: Naming, gpus: list[Gpu], topology: Topology, lines: dict[int | None, Evidence]) -> Judgement:
    value = process.variables[CUDA]
    if not gpus:
        return unknown(named.subject, Gap("absent", "", f"how many GPUs there are is not known, and {CUDA} is {value}"))
    numbers = NodeSet(map(int, value.split(",")))
    is_numa_node = all(topology.numa_node(number) for number in numbers)
    wrong = next((gpu for gpu in gpus if gpu.gpu_memory_node in numbers and (gpu.gpu_memory_node or 0) >= len(gpus)), None)
    if not is_numa_node or wrong is None:
        return ok(named.subject, related=named.related, value=value)
    line = lines.get(wrong.gpu_memory_node)
    return _failure(process, named, wrong, len(gpus), (line,) if line else ())


def _failure(process: Process, named: Naming, gpu: Gpu, num_gpus: int, lines: tuple[Evidence, ...]) -> Judgement:
    told = () if isinstance(process.environ, Gap) else (cite_entry(process.environ.file, CUDA),)
    return fail(
        named.subject,
        related=(*named.related, f"gpu:{gpu.name}", f"numa_node:{gpu.gpu_memory_node}"),
        evidence=(*told, *lines),
        variable=CUDA,
        value=process.variables[CUDA],
        num_gpus=num_gpus,
        last_gpu=num_gpus - 1,
        number=gpu.gpu_memory_node,
        gpu=gpu.name,
        **named.details,
    )
