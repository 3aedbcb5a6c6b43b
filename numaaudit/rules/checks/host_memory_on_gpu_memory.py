"""# host-memory-on-gpu-memory (NA314)

A process's memory policy takes in the NUMA node that is a GPU's own memory, or a process without a GPU lies there.

## What it checks

Each process on a host where a GPU's memory is a NUMA node. It fails

- where the policy of its main thread (`bind`, `interleave`, `prefer`: the first mapping shows it) names such a NUMA node, and
  it is not that alone which the policy names; `medium`; or
- where the process uses no GPU that is known, and more than `host_mib` (256) MiB of its anonymous memory, shared memory and huge
  pages lie on such a NUMA node; `medium`.

Silent for pages of a process that uses the GPU: with coherent memory the driver moves pages to the GPU on purpose. Silent for a
policy that names GPU memory alone: somebody wants host memory there. Not applicable where no GPU's memory is a NUMA node.

## Why it matters

On Grace and POWER9 `--interleave=all` and `--membind=all` mean the GPUs' memory as well. Host buffers then fill memory that the
GPU's own allocator counts as free, which ends in an out-of-memory error of the GPU framework, and CPUs read them over the link
to the GPU.

## Evidence

`/proc/PID/numa_maps`, `/proc/driver/nvidia/gpus/*/numa_status` or "GPU NUMA ID" of `nvidia-smi topo -m`. Where
numa_maps was not read whole, the whole 95 % interval of `samples/pages-PID.json` has to be above or below `host_mib`; a failure is
then `likely`. Unknown where numa_maps was refused, or no sample decides and its policy is in order.

## How to fix

Name the NUMA nodes with CPUs: `numactl --interleave=0,1` in place of `all` (`numactl --hardware` shows which have CPUs). To keep
the kernel's default policy off GPU memory, set `cpuset.mems` of the service, or load the driver with
`NVreg_CoherentGPUMemoryMode=driver`, which keeps GPU memory out of the kernel's NUMA nodes.

## How to verify

The second column of `/proc/PID/numa_maps` names no NUMA node of `numa_status`, and `numastat -p PID` has 0 there.

## False positives

A program that uses GPU memory as a larger host memory, next to its own, on purpose.

## References

- https://docs.nvidia.com/grace-perf-tuning-guide/index.html
- https://man7.org/linux/man-pages/man8/numactl.8.html
- https://docs.kernel.org/admin-guide/mm/numa_memory_policy.html
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.core.mempolicy import MemPolicy
from numaaudit.core.units import MIB
from numaaudit.model.evidence import Evidence, cite_line
from numaaudit.model.resident import largest_off, shared_names, spreads
from numaaudit.model.sampled import counted_kinds, not_decided, percent, sample_of, sampled
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.processes import Process, Processes
from numaaudit.model.sections.ranks import Ranks
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.numa_maps import NumaMaps
from numaaudit.rules.finding import Confidence, Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown
from numaaudit.rules.gaps import cut_maps
from numaaudit.rules.naming import Naming, name_of

RULE = Rule("NA314", gate=Gate.PLACEMENT, category="memory-tier", severity=Severity.MEDIUM)
MESSAGE = "{who} (pid {pid}) has the memory policy {policy}, but NUMA node {gpu_nodes} is the memory of a GPU ({gpus})."
MESSAGES = {
    "sampled": "{who} (pid {pid}) uses no GPU, but {on_mib_low} to {on_mib_high} MiB of its memory (95 % interval of {num_pages} random "
    "pages) lie on NUMA node {gpu_nodes}, the memory of a GPU ({gpus}).",
    "pages": "{who} (pid {pid}) uses no GPU, but {on_mib} MiB of its memory lie on NUMA node {gpu_nodes}, the memory of a GPU ({gpus}).",
}
FIX = "Start {who_inside} with a policy that names the NUMA nodes with CPUs only."


class Thresholds(NamedTuple):
    """What a policy may change."""

    host_mib: int = 256


class _Around(NamedTuple):
    """What is known of the host."""

    gpu_of_node: dict[int, str]
    processes: tuple[Process, ...]
    shared: frozenset[str]
    limits: Thresholds

    def those_in(self, numa_nodes: NodeSet) -> NodeSet:
        return numa_nodes & NodeSet(self.gpu_of_node)


def check(processes: Processes, ranks: Ranks, devices: Devices, limits: Thresholds) -> Iterator[Judgement]:
    gpu_of_node = {gpu.gpu_memory_node: gpu.name for gpu in devices.gpus if gpu.gpu_memory_node is not None}
    if not gpu_of_node:
        yield not_applicable("host")
        return
    around = _Around(gpu_of_node, processes.all, shared_names(processes.all), limits)
    for process in processes.all:
        yield _judge(name_of(process, ranks), around)


def _judge(named: Naming, around: _Around) -> Judgement:
    maps = named.process.maps
    if isinstance(maps, Gap):
        return unknown(named.subject, maps, related=named.related)
    policy = maps.record.policy
    gpu_nodes = around.those_in(policy.numa_nodes) if policy else NodeSet()
    if policy and gpu_nodes and gpu_nodes != policy.numa_nodes:
        return _failure(named, maps, gpu_nodes, around, policy=policy)
    if named.rank or gpu_nodes:
        return ok(named.subject, related=named.related, policy=named.process.policy)
    if maps.record.is_partial:
        return _judge_sampled(named, maps, around)
    parts = spreads(maps.record.totals, around.shared, NodeSet())
    amounts = {number: sum(part.bytes_by_node.get(number, 0) for part in parts) for number in around.gpu_of_node}
    if sum(amounts.values()) > around.limits.host_mib * MIB:
        held = NodeSet(number for number, amount in amounts.items() if amount)
        return _failure(named, maps, held, around, on_mib=sum(amounts.values()) // MIB)
    return ok(named.subject, related=named.related, policy=named.process.policy)


def _judge_sampled(named: Naming, maps: Found[NumaMaps], around: _Around) -> Judgement:
    """By what the sample's interval leaves no doubt about."""
    sample = sample_of(named.process)
    if sample is None:
        return unknown(named.subject, cut_maps(maps), related=named.related)
    kinds = counted_kinds(named.process, around.processes)
    found = sampled(named.process, sample, kinds, lambda number: number in around.gpu_of_node)
    if isinstance(found, Gap):
        return unknown(named.subject, found, related=named.related)
    is_much = found.exceeds(0, around.limits.host_mib * MIB)
    if is_much is None:
        gap = not_decided(named.process, sample, f"{percent(found.share)} % of its memory lie on that of GPUs, which does not decide")
        return unknown(named.subject, gap, related=named.related)
    if not is_much:
        return ok(named.subject, related=named.related, policy=named.process.policy)
    mib = [int(amount) // MIB for amount in found.num_bytes]
    return fail(
        named.subject,
        confidence=Confidence.LIKELY,
        message="sampled",
        evidence=(Evidence(sample.file),),
        on_mib=mib[0],
        on_mib_low=mib[1],
        on_mib_high=mib[2],
        num_pages=found.num_pages,
        **_details(named, found.numa_nodes, around),
    )


def _failure(
    named: Naming, maps: Found[NumaMaps], gpu_nodes: NodeSet, around: _Around, policy: MemPolicy | None = None, on_mib: int = 0
) -> Judgement:
    lines = largest_off(maps.file, gpu_nodes, around.shared)
    return fail(
        named.subject,
        message=None if policy else "pages",
        evidence=lines or (cite_line(maps.file, 1),),
        policy=policy,
        on_mib=on_mib,
        **_details(named, gpu_nodes, around),
    )


def _details(named: Naming, gpu_nodes: NodeSet, around: _Around) -> dict[str, Any]:
    """The facts and fields that every failure has."""
    gpus = [around.gpu_of_node[number] for number in gpu_nodes]
    related = (*named.related, *(f"numa_node:{number}" for number in gpu_nodes), *(f"gpu:{gpu}" for gpu in gpus))
    return {"related": related, "gpu_nodes": gpu_nodes, "gpus": ", ".join(gpus), **named.details}
