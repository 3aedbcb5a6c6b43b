"""``numaaudit.host/1``: the model for machines (``numaaudit inspect --format json``)."""

from collections.abc import Mapping
from typing import Any

from numaaudit.bundle.tree import Gap
from numaaudit.model.gpus import Gpu
from numaaudit.model.host import Host
from numaaudit.model.pick import Conflict
from numaaudit.model.sections.claims import Claims
from numaaudit.model.sections.devices import Devices
from numaaudit.model.sections.interrupts import Interrupts
from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.model.sections.memory import Memory
from numaaudit.model.sections.processes import Process, Processes, policy_text, whole_bytes_by_node
from numaaudit.model.sections.ranks import Rank, Ranks
from numaaudit.model.sections.system import System
from numaaudit.model.sections.tasks import Excerpt
from numaaudit.model.sections.topology import Topology
from numaaudit.model.sections.window import Window
from numaaudit.parse.claim import Claim
from numaaudit.report.kubernetes_json import kubernetes_document
from numaaudit.report.sampled_pages import sampled_document
from numaaudit.report.view import plain
from numaaudit.report.window_json import window_document

SCHEMA = "numaaudit.host/1"
PROCESS_KEYS = (
    "pid", "ns_pids", "comm", "container", "allowed_cpus", "effective_cpus", "allowed_mems", "policy", "policies", "cgroup", "gpus",
    "gpu_source", "rank", "local_rank", "launcher", "bytes_by_node", "anon_bytes_by_node", "sampled_pages", "threads",
)  # fmt: skip


def host_document(host: Host) -> dict[str, Any]:
    """Every key of the schema is there; what is not known is null or empty and has a gap."""
    system, topology, devices = host.section(System), host.section(Topology), host.section(Devices)
    ranks = {rank.process.pid: rank for rank in host.section(Ranks).all}
    return {
        "schema": SCHEMA,
        "host": {name: getattr(system, name) for name in ("hostname", "kernel", "arch", "boot_id", "collected_at", "view", "mark")},
        "cpus": {
            "online": text(topology.online),
            "present": text(topology.present),
            "isolated": text(topology.isolated),
            "threads_per_core": topology.threads_per_core,
            "cores": topology.cores,
            "packages": topology.num_packages,
        },
        "packages": [{"id": package.id, "cpus": str(package.cpus)} for package in topology.packages],
        "numa_nodes": _numa_nodes(host),
        "distances": {"nodes": list(topology.distances.nodes), "matrix": [list(row) for row in topology.distances.matrix]}
        if topology.distances
        else None,
        "gpus": [_gpu(gpu) for gpu in devices.gpus],
        "nics": [{**nic._asdict(), "pci_address": text(nic.pci_address)} for nic in devices.nics],
        "nvmes": [{**nvme._asdict(), "pci_address": text(nvme.pci_address)} for nvme in devices.nvmes],
        "links": [link._asdict() for link in devices.links],
        "interrupts": _interrupts(host),
        "processes": [
            *(_process(process, ranks.get(process.pid), topology) for process in host.section(Processes).all),
            *(_excerpt(excerpt) for excerpt in host.section(Processes).excerpts),
        ],
        "claims": _claims(host),
        "kubernetes": kubernetes_document(host.section(Kubernetes)),
        "window": window_document(host.section(Window), topology),
        "conflicts": [_conflict(conflict) for conflict in host.conflicts],
        "gaps": [gap._asdict() for gap in host.gaps],
    }


def text(value: Any) -> str | None:
    """A set or an address as text; None stays None, the empty set is the empty text."""
    return None if value is None else str(value)


def _numa_nodes(host: Host) -> list[dict[str, Any]]:
    counters = host.section(Memory).counters
    gpu_memory = {gpu.gpu_memory_node for gpu in host.section(Devices).gpus}
    return [
        {
            "id": numa_node.id,
            "cpus": text(numa_node.cpus),
            "memory_bytes": numa_node.memory_bytes,
            "free_bytes": numa_node.free_bytes,
            "kind": "gpu-memory" if numa_node.id in gpu_memory else numa_node.kind,
            "counters": counters.get(numa_node.id),
        }
        for numa_node in host.section(Topology).numa_nodes
    ]


def _gpu(gpu: Gpu) -> dict[str, Any]:
    return {
        "vendor": gpu.vendor,
        "index": gpu.index,
        "gpu_minor": gpu.gpu_minor,
        "gpu_uuid": gpu.gpu_uuid,
        "pci_address": text(gpu.pci_address),
        "model": gpu.model,
        "numa_node": gpu.numa_node,
        "numa_nodes": text(gpu.numa_nodes) if gpu.numa_nodes else text(gpu.numa_node),
        "numa_node_source": gpu.numa_node_source,
        "local_cpus": text(gpu.local_cpus),
        "gpu_memory_node": gpu.gpu_memory_node,
        "mig": [part._asdict() for part in gpu.mig],
    }


def _interrupts(host: Host) -> list[dict[str, Any]]:
    return [
        {
            "irq": each.irq,
            "total": each.total,
            "busiest_cpu": each.busiest_cpu,
            "device": each.device,
            "pci_address": text(each.pci_address),
            "numa_node": each.numa_node,
            "affinity": text(each.affinity),
            "effective_affinity": text(each.effective_affinity),
            "managed": each.managed,
        }
        for each in host.section(Interrupts).all
    ]


def _process(process: Process, rank: Rank | None, topology: Topology) -> dict[str, Any]:
    maps = None if isinstance(process.maps, Gap) else process.maps.record
    return {
        "pid": process.pid,
        "ns_pids": list(process.ns_pids),
        "comm": process.comm,
        "container": process.container,
        "allowed_cpus": text(process.allowed_cpus),
        "effective_cpus": text(process.effective_cpus),
        "allowed_mems": text(process.allowed_mems),
        "policy": process.policy,
        "policies": maps.policies() if maps and not maps.is_partial else None,
        "cgroup": process.cgroup_path,
        "gpus": [gpu.name for gpu in rank.gpus] if rank else [],
        "gpu_source": rank.gpu_source if rank else None,
        "rank": rank.rank if rank else None,
        "local_rank": rank.local_rank if rank else None,
        "launcher": rank.launcher if rank else None,
        "bytes_by_node": _by_node(process.bytes_by_node),
        "anon_bytes_by_node": _by_node(maps.bytes_by_node("anon")) if maps and not maps.is_partial else None,
        "sampled_pages": sampled_document(process, topology),
        "threads": [
            {
                "tid": thread.tid,
                "comm": thread.comm,
                "allowed_cpus": text(thread.allowed_cpus),
                "last_cpu": thread.last_cpu,
                "cpu_ticks": thread.cpu_ticks,
                "cpu_ticks_delta": thread.cpu_ticks_delta,
                "policy": thread.policy,
            }
            for thread in process.threads
        ],
    }


def _excerpt(excerpt: Excerpt) -> dict[str, Any]:
    """A pasted text that does not say whose it is, with the keys of a process."""
    status = excerpt.status.record if excerpt.status else None
    maps = excerpt.maps.record if excerpt.maps else None
    known: dict[str, Any] = {
        "ns_pids": [],
        "comm": status.name if status else None,
        "allowed_cpus": text(status.allowed_cpus) if status else None,
        "allowed_mems": text(status.allowed_mems) if status else None,
        "policy": policy_text(maps) if maps else None,
        "policies": maps.policies() if maps and not maps.is_partial else None,
        "gpus": [],
        "bytes_by_node": _by_node(whole_bytes_by_node(maps)) if maps else None,
        "anon_bytes_by_node": _by_node(maps.bytes_by_node("anon")) if maps and not maps.is_partial else None,
        "threads": [],
    }
    return {name: known.get(name) for name in PROCESS_KEYS}


def _by_node(sizes: Mapping[int, int] | None) -> dict[str, int] | None:
    return None if sizes is None else {str(number): size for number, size in sorted(sizes.items())}


def _claims(host: Host) -> list[dict[str, Any]]:
    return [_claim(made.claim) for made in host.section(Claims).all]


def _claim(claim: Claim) -> dict[str, Any]:
    named = {name: getattr(claim, name) for name in ("launcher", "kind", "role", "pid", "tid", "rank", "gpu")}
    return {**named, "cpus": text(claim.cpus), "mems": text(claim.mems)}


def _conflict(conflict: Conflict) -> dict[str, Any]:
    values = [{"value": plain(value), "source": source} for value, source in conflict.values]
    return {"subject": conflict.subject, "field": conflict.field, "used": values[0]["value"], "values": values}
