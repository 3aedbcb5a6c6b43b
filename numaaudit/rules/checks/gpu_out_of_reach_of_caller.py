"""# gpu-out-of-reach-of-caller (NA607)

Whoever ran nvidia-smi, mostly a job or a container, may use no CPU of the NUMA node that one of its GPUs hangs on.

## What it checks

Each GPU row of `nvidia-smi topo -m`, where the evidence shows no rank whose own masks would tell more. It fails where "CPU
Affinity" is blank although "NUMA Affinity" names a NUMA node, and another GPU's row has CPUs: the driver's list holds only
CPUs that the caller may use, and none of them is local to this GPU. Silent where each row has CPUs, or none has; unknown where
the cells of a row cannot be told apart.

## Why it matters

Where a scheduler gives a job GPUs on two packages and cores on one, the ranks with a GPU of the other package are remote
whatever they ask for, and launchers that bind to the printed list get an empty one: most fail to start, some go on unbound.

## Evidence

`nvidia-smi topo -m`, as printed inside the job. That it shows the caller's CPUs is observed, not documented, so that this is
at most `likely`.

## How to fix

Ask for cores beside each GPU: Slurm's `gres.conf` Cores (or AutoDetect=nvml) with `--gpu-bind=closest`, or one task a GPU with
`--cpus-per-gpu`; kubelet's Topology Manager `single-numa-node`; `--cpuset-cpus` of the container runtime. Or take GPUs of one
package.

## How to verify

`nvidia-smi topo -m` inside the job prints CPUs in every row of a GPU, and `taskset -cp $$` holds some of each.

## False positives

A table that was pasted with cells lost, or printed by another process than the one that uses the GPU.

## References

- https://github.com/rapidsai/dask-cuda/issues/1381
- https://docs.nvidia.com/deploy/nvml-api/group__nvmlAffinity.html
- https://slurm.schedmd.com/gres.conf.html
"""

import re
from collections.abc import Iterator

from numaaudit.bundle.tree import File, Gap
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.nvidia_smi_topo import NvidiaSmiTopo, TopoGpu
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA607", gate=Gate.PLACEMENT, category="cpuset-clip", severity=Severity.MEDIUM)
MESSAGE = (
    "Whoever ran nvidia-smi may use no CPU of NUMA node {gpu_numa_node}, on which GPU {gpu} hangs: its row lists no CPUs, "
    "while that of GPU {other} lists {other_cpus}."
)
FIX = "Give the job CPUs of NUMA node {gpu_numa_node} beside GPU {gpu}, or GPUs of one NUMA node only."


def check(topos: tuple[Found[NvidiaSmiTopo], ...], devices: Devices, ranks: Ranks) -> Iterator[Judgement]:
    if ranks.all or not topos:
        yield not_applicable("host")
        return
    for row in topos[0].record.gpus:
        yield _judge(row, topos[0], devices)


def _judge(row: TopoGpu, found: Found[NvidiaSmiTopo], devices: Devices) -> Judgement:
    gpu = devices.gpu_named(f"#{row.index}")
    name = gpu.name if gpu else f"#{row.index}"
    other = next((each for each in found.record.gpus if each.cpu_affinity), None)
    if row.affinity_unreadable:
        return unknown(f"gpu:{name}", Gap("unparsable", found.file.path, f"the affinity cells of GPU {row.index} cannot be told apart"))
    if other is None or row.numa_affinity is None or row.cpu_affinity is not None:
        return ok(f"gpu:{name}", cpus=row.cpu_affinity) if row.cpu_affinity else not_applicable(f"gpu:{name}")
    return fail(
        f"gpu:{name}",
        confidence=Confidence.LIKELY,
        related=tuple(f"numa_node:{number}" for number in row.numa_affinity),
        evidence=(*_row_of(row, found.file), *_row_of(other, found.file)),
        canonical=gpu.canonical if gpu else f"gpu:{name}",
        gpu=name,
        gpu_numa_node=row.numa_affinity,
        other=f"#{other.index}",
        other_cpus=other.cpu_affinity,
    )


def _row_of(row: TopoGpu, file: File) -> tuple[Evidence, ...]:
    """The row's line: the second that names it, after the header."""
    lines = [number for number, line in enumerate(file.text.split("\n"), 1) if re.match(rf"\s*GPU{row.index}\s", line)]
    return tuple(cite_line(file, number) for number in lines[-1:])
