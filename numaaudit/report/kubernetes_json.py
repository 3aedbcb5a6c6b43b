"""The kubelet's assignments in ``numaaudit.host/1``."""

from typing import Any

from numaaudit.model.sections.kubernetes import Kubernetes
from numaaudit.parse.parser import Found
from numaaudit.parse.parsers.cpu_manager_state import CpuManagerState
from numaaudit.parse.parsers.kubelet_checkpoint import KubeletCheckpoint
from numaaudit.parse.parsers.memory_manager_state import MemoryManagerState


def kubernetes_document(section: Kubernetes) -> dict[str, Any] | None:
    """The key ``kubernetes``; None on a host without a kubelet's files."""
    if not section:
        return None
    return {
        "cpu_manager": _cpu_manager(section.cpu_manager),
        "memory_manager": _memory_manager(section.memory_manager),
        "devices": _devices(section.devices),
        "registered_devices": {name: list(ids) for name, ids in section.devices.record.registered} if section.devices else {},
    }


def _cpu_manager(found: Found[CpuManagerState] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    state = found.record
    return {
        "policy": state.policy,
        "default_cpus": None if state.default_cpus is None else str(state.default_cpus),
        "assignments": [{**each._asdict(), "cpus": str(each.cpus)} for each in state.assignments],
    }


def _memory_manager(found: Found[MemoryManagerState] | None) -> dict[str, Any] | None:
    """Only what is plain memory: huge pages are pools of their own."""
    if found is None:
        return None
    state = found.record
    return {
        "policy": state.policy,
        "numa_nodes": [{"id": each.numa_node, "free_bytes": each.free_bytes} for each in state.memory if each.kind == "memory"],
        "assignments": [
            {"pod_uid": each.pod_uid, "container": each.container, "numa_nodes": str(each.numa_nodes)}
            for each in state.assignments
            if each.kind == "memory"
        ],
    }


def _devices(found: Found[KubeletCheckpoint] | None) -> list[dict[str, Any]]:
    return [
        {
            "pod_uid": each.pod_uid,
            "container": each.container,
            "resource": each.resource,
            "ids_by_node": {"unknown" if numa_node is None else str(numa_node): list(ids) for numa_node, ids in each.ids_by_node},
        }
        for each in (found.record.devices if found else ())
    ]
