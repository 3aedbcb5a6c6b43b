"""# nic-far-from-gpu (NA501)

A rank is told to use NICs of another NUMA node than its GPU's, and the GPU's own has NICs too.

## What it checks

For each rank with a GPU whose NUMA node is known and an environment that names NICs (`NCCL_IB_HCA`, `NVSHMEM_HCA_LIST`,
`UCX_NET_DEVICES`): whether one of them hangs on the GPU's NUMA node. It fails where none does, although RDMA devices hang there.
`medium` where one of those is named by some rank of this host, so that it belongs to the same network; else `low`. `info` where
the named NICs' NUMA nodes and the GPU's share a package.

A list with a NIC of every NUMA node is silent: the library picks the nearest. Not applicable for a rank that names none, on a
host without RDMA devices, or where one NUMA node has all CPUs.

## Why it matters

GPUDirect RDMA between a GPU and a NIC of different packages crosses the link between them, at a fraction of the bandwidth under
one PCIe switch, or falls back to a copy through host memory. NICs are numbered in PCI order of their own, GPUs in theirs: GPU N
and NIC N are neighbours on some boards only.

## Evidence

`/proc/PID/environ` as it was at exec, `/sys/class/infiniband`, `numa_node` of both functions. Unknown where the NUMA node of the
GPU or of every named NIC is not known. Which NIC a library picked of several it says in its log only.

## How to fix

Name the NIC that hangs with the GPU: the columns of `nvidia-smi topo -m` (`PIX`, `PXB`), or `/sys/class/infiniband/*/device` and
`numa_node`. Or name all of them and let NCCL choose (`NCCL_IB_HCA=mlx5`), with `NCCL_NET_GDR_LEVEL` left alone.

## How to verify

`NCCL_DEBUG=INFO` prints `NET/IB/N/GDRDMA` for each channel; the new bundle is silent.

## False positives

NICs of another network (storage, management) on the GPU's NUMA node: then `low` unless a rank uses them.

## References

- https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
- https://openucx.readthedocs.io/en/master/faq.html
- https://docs.nvidia.com/cuda/gpudirect-rdma/index.html
"""

from collections.abc import Iterator
from typing import NamedTuple

from numaaudit.bundle.tree import Gap
from numaaudit.core.cpuset import NodeSet
from numaaudit.model.evidence import Evidence, cite_entry
from numaaudit.model.locality import Home, home_of
from numaaudit.model.named_nics import NamedNics, named_nics
from numaaudit.model.nics import Nic
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.pci_functions import PciFunctions
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.topology import Topology
from numaaudit.rules.finding import Gate, Judgement, Rule, Severity, fail, not_applicable, ok, unknown

RULE = Rule("NA501", gate=Gate.PLACEMENT, category="nic-gpu-distance", severity=Severity.MEDIUM)
MESSAGE = (
    "{who} (pid {pid}) is told to use {nics} of NUMA node {nic_numa_nodes} ({variable}), "
    "but its GPU {gpu} hangs on NUMA node {gpu_numa_node}, as {near} do."
)
FIX = "Let {variable} name {near} for {who_inside}."


class _Around(NamedTuple):
    """What is known of the host; ``used`` are the NICs that some rank names."""

    topology: Topology
    devices: Devices
    pci: PciFunctions
    used: frozenset[str]


def check(ranks: Ranks, devices: Devices, topology: Topology, pci: PciFunctions) -> Iterator[Judgement]:
    named = {rank.subject: named_nics(rank.process.variables, devices.nics) for rank in ranks.all}
    used = frozenset(nic.name for each in named.values() if each for nic in each.nics)
    around = _Around(topology, devices, pci, used)
    for rank in ranks.all:
        yield _judge(rank, named[rank.subject], around)


def _judge(rank: Rank, named: NamedNics | None, around: _Around) -> Judgement:
    if around.topology.has_one_cpu_node() or not any(_is_rdma(nic) for nic in around.devices.nics):
        return not_applicable(rank.subject)
    if isinstance(rank.process.environ, Gap):
        return unknown(rank.subject, rank.process.environ, related=rank.related)
    if named is None:
        return not_applicable(rank.subject)
    home = home_of(rank, around.topology)
    if isinstance(home, Gap):
        return unknown(rank.subject, home, related=rank.related)
    placed = [nic for nic in named.nics if nic.numa_node is not None]
    if not placed:
        path = f"root/sys/bus/pci/devices/{named.nics[0].pci_address}/numa_node"
        return unknown(rank.subject, Gap("absent", path, "no NUMA node of the NICs it names is known"), related=rank.related)
    near = [nic for nic in around.devices.nics if nic.numa_node in home.numa_nodes and _is_rdma(nic)]
    if len(placed) < len(named.nics) or any(nic.numa_node in home.numa_nodes for nic in placed) or not near:
        return ok(rank.subject, related=rank.related, evidence=_entry(rank, named), nics=_names(named.nics))
    return _failure(rank, named, near, home, around)


def _is_rdma(nic: Nic) -> bool:
    """An RDMA device has another name than its interface and its address."""
    return nic.name not in (nic.netdev, str(nic.pci_address))


def _entry(rank: Rank, named: NamedNics) -> tuple[Evidence, ...]:
    return () if isinstance(rank.process.environ, Gap) else (cite_entry(rank.process.environ.file, named.variable),)


def _names(nics: tuple[Nic, ...] | list[Nic]) -> str:
    return ", ".join(nic.name for nic in nics)


def _failure(rank: Rank, named: NamedNics, near: list[Nic], home: Home, around: _Around) -> Judgement:
    numa_nodes = NodeSet(nic.numa_node for nic in named.nics if nic.numa_node is not None)
    function = around.pci.by_address.get(named.nics[0].pci_address) if named.nics[0].pci_address else None
    return fail(
        rank.subject,
        severity=_severity(numa_nodes, near, home, around),
        related=(*rank.related, *(f"nic:{nic.name}" for nic in named.nics)),
        evidence=(*_entry(rank, named), *(function.evidence if function else ()), *home.evidence),
        canonical=rank.canonical,
        who=rank.title,
        who_inside=rank.title_inside,
        rank=rank.number,
        pid=rank.process.pid,
        variable=named.variable,
        nics=_names(named.nics),
        nic_numa_nodes=numa_nodes,
        gpu=rank.gpus[0].name,
        gpu_numa_node=home.numa_nodes,
        near=_names(near),
    )


def _severity(numa_nodes: NodeSet, near: list[Nic], home: Home, around: _Around) -> Severity | None:
    if around.topology.same_package(around.topology.cpus_of(numa_nodes), home.cpus):
        return Severity.INFO
    return None if any(nic.name in around.used for nic in near) else Severity.LOW
