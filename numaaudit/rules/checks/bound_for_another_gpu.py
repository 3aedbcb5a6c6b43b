"""# bound-for-another-gpu (NA420)

A rank is bound to the CPUs of the GPU that its environment's number stands for, and uses another one.

## What it checks

Each rank whose GPU the driver's own table, or its one open device, names, against the GPU that its environment stands for: the
local rank's place among the visible devices, as CUDA, ROCm or CANN count them. It fails where the two differ, all CPUs that the
rank may use hang with the GPU of the environment, and none with the one in use: `medium`. Silent where they differ and its CPUs
say nothing of the kind; `conflicts` of `numaaudit inspect` lists it. Not applicable where only one of the two is known.

## Why it matters

nvidia-smi counts GPUs by PCI address, CUDA the fastest first unless `CUDA_DEVICE_ORDER=PCI_BUS_ID`, a framework by the list it was
given, and a launcher by local rank. A mask, a NIC or a NUMA node that is looked up by one number and used with another belongs to
a neighbour, and every log says that it worked.

## Evidence

`nvidia-smi --query-compute-apps`, KFD's process table or DRM's fdinfo, `/proc/PID/fd`, `/proc/PID/environ` (as it was when the
program began: what it changed later is not there), `/proc/PID/status`. Unknown where the rank's GPU, or where the GPUs hang, is not
known.

## How to fix

Name GPUs by UUID (`CUDA_VISIBLE_DEVICES=GPU-...`), or set `CUDA_DEVICE_ORDER=PCI_BUS_ID` for the launcher and all ranks, and give
each rank one visible device, so that no number is left to be counted differently.

## How to verify

`nvidia-smi --query-compute-apps=pid,gpu_uuid --format=csv` names for each PID the GPU that its launcher bound it to.

## False positives

None known: that the CPUs are not local to the GPU in use is a fact (NA201); that the number is why is the likeliest explanation.

## References

- https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables
- https://docs.nvidia.com/deploy/nvidia-smi/index.html
- https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
"""

from collections.abc import Iterator

from numaaudit.bundle.tree import Gap
from numaaudit.model.locality import Home, home_of, home_of_gpus
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import missing_mask

RULE = Rule("NA420", gate=Gate.PLACEMENT, category="device-order", severity=Severity.MEDIUM, experimental=True)
MESSAGE = (
    "{who} (pid {pid}) uses GPU {gpu} on NUMA node {gpu_numa_node}, but is bound to CPUs {cpus} of NUMA node {named_numa_node}, where "
    "GPU {named} hangs, for which its environment stands."
)
FIX = "Name the GPU of {who_inside} by UUID, and bind it by the GPU that it opens."


def check(ranks: Ranks, devices: Devices, topology: Topology) -> Iterator[Judgement]:
    named = {conflict.subject: conflict.values[1][0] for conflict in ranks.conflicts if conflict.field == "gpus"}
    for rank in ranks.all:
        if topology.has_one_cpu_node() or rank.gpu_source == "environment":
            yield not_applicable(rank.subject)
        elif rank.gap:
            yield unknown(rank.subject, rank.gap, related=rank.related)
        else:
            yield _judge(rank, named.get(f"pid:{rank.process.pid}"), devices, topology)


def _judge(rank: Rank, named: str | None, devices: Devices, topology: Topology) -> Judgement:
    if named is None:
        return ok(rank.subject, related=rank.related, evidence=rank.gpu_evidence, source=rank.gpu_source)
    other = home_of_gpus(tuple(gpu for name in named.split() if (gpu := devices.gpu_named(name))), topology)
    home, cpus = home_of(rank, topology), rank.process.effective_cpus
    gap = next((each for each in (home, other) if isinstance(each, Gap)), None if cpus else missing_mask(rank.process))
    if gap or not cpus or isinstance(home, Gap) or isinstance(other, Gap):
        return unknown(rank.subject, gap, related=rank.related)
    if cpus <= other.cpus and cpus.isdisjoint(home.cpus):
        return _failure(rank, named, home, other)
    return ok(rank.subject, related=rank.related, evidence=rank.gpu_evidence, source=rank.gpu_source, named=named)


def _failure(rank: Rank, named: str, home: Home, other: Home) -> Judgement:
    return fail(
        rank.subject,
        confidence=Confidence.LIKELY,
        related=(*rank.related, *(f"gpu:{name}" for name in named.split())),
        evidence=(*rank.gpu_evidence, *rank.process.evidence, *other.evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        named=named,
        named_numa_node=other.numa_nodes,
        cpus=rank.process.effective_cpus,
    )
