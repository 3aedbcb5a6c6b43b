"""MLPerf ``bindpcie``: arithmetic on the numbers of GPUs, NUMA nodes and cores, without a look at where a GPU hangs.

Source: NVIDIA/mlperf-common @ 85516e5, ``client/bindpcie``. The local rank divided by GPUs per NUMA node is the NUMA node. The
second range of ``exclusive`` begins at the number of cores that are handed out: the siblings only if the division has no rest.
"""

from typing import NamedTuple

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job, Option
from numaaudit.launchers.numactl_checks import refused_cpunodebind, refused_numa_node, refused_range
from numaaudit.launchers.prediction import (
    DEFAULT_POLICY,
    Binding,
    Launcher,
    NotKnownError,
    Prediction,
    bind_to,
    for_each_rank,
    refused,
)

LAUNCHER = Launcher(
    version="mlperf-common 85516e5",
    source="client/bindpcie",
    options=(
        Option("cpu", "node", "--cpu", ("node", "exclusive", "exclusive,nosmt", "off")),
        Option("mem", "node", "--mem", ("node", "off")),
    ),
)


def predict(view: HostView, job: Job) -> Prediction:
    """numactl in front of the command."""
    return Prediction(for_each_rank(job, lambda rank: _rank(view, job, rank)))


class _Counts(NamedTuple):
    """What the script computes from nvidia-smi and lscpu."""

    gpus_per_numa_node: int
    cores_per_gpu: int
    num_numa_nodes: int


def _counted(view: HostView) -> _Counts:
    num_gpus, num_numa_nodes = len(view.gpus), len(view.cpu_nodes)
    if not num_numa_nodes:
        raise NotKnownError("the number of NUMA nodes")
    cores_per_numa_node = view.num_cores // num_numa_nodes
    if num_gpus > 1 and num_gpus >= num_numa_nodes:
        return _Counts(num_gpus // num_numa_nodes, cores_per_numa_node // (num_gpus // num_numa_nodes), num_numa_nodes)
    return _Counts(1, cores_per_numa_node, num_gpus)


def _rank(view: HostView, job: Job, rank: int) -> Binding:
    if rank >= len(view.gpus):
        return refused(f"bindpcie exits 1: there are only {len(view.gpus)} GPUs")
    counts = _counted(view)
    numa_node = rank // counts.gpus_per_numa_node
    cpus, reason = _cpus(view, job, rank, counts)
    policy = bind_to((numa_node,)) if job.text("mem") == "node" else DEFAULT_POLICY
    if job.text("mem") == "node":
        reason = reason or refused_numa_node(view, (numa_node,))
    return refused(reason, cpus, policy) if reason else Binding(cpus, policy)


def _cpus(view: HostView, job: Job, rank: int, counts: _Counts) -> tuple[CpuSet, str | None]:
    """The CPUs, and why numactl refuses them."""
    mode, numa_node = job.text("cpu"), rank // counts.gpus_per_numa_node
    if mode == "off":
        return view.allowed_cpus, None
    if mode == "node":
        return view.cpus_of(numa_node), refused_cpunodebind(view, numa_node)
    first, offset = rank * counts.cores_per_gpu, counts.cores_per_gpu * counts.gpus_per_numa_node * counts.num_numa_nodes
    cpus = CpuSet(range(first, first + counts.cores_per_gpu))
    if mode == "exclusive":
        cpus |= CpuSet(range(first + offset, first + offset + counts.cores_per_gpu))
    return cpus, refused_range(view, cpus.runs())
