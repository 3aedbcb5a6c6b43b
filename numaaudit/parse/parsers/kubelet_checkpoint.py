"""``/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint`` (kubernetes ``pkg/kubelet/cm/devicemanager/checkpoint``).

``AllocResp`` holds environment and mounts of containers and is not read. The checksum cannot be checked outside Go.
"""

import re
from typing import Any, NamedTuple

from numaaudit.core.cpuset import MAX_NUMA_NODE_ID
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import optional, read_object, required, texts, typed
from numaaudit.parse.parser import Parser

DeviceIds = tuple[tuple[int | None, tuple[str, ...]], ...]


class DeviceAssignment(NamedTuple):
    """Devices of one resource that one container got."""

    pod_uid: str
    container: str
    resource: str  # nvidia.com/gpu
    ids_by_node: DeviceIds  # NUMA node (None: the plugin named none) and device ids


class KubeletCheckpoint(NamedTuple):
    """Assignments, and every device by resource name. Entries of deleted pods stay until the next admission."""

    devices: tuple[DeviceAssignment, ...]
    registered: tuple[tuple[str, tuple[str, ...]], ...]


def parse(text: str) -> KubeletCheckpoint:
    """Read the file of kubelet 1.20 and later, or the older one whose DeviceIDs is a list; ParseError if it is neither."""
    content = required(read_object(text), "Data", dict)
    entries = optional(content, "PodDeviceEntries", list) or []
    registered = optional(content, "RegisteredDevices", dict) or {}
    return KubeletCheckpoint(
        tuple(_assignment(typed(entry, dict, "PodDeviceEntries")) for entry in entries),
        tuple((resource, texts(typed(ids or [], list, resource), resource)) for resource, ids in registered.items()),
    )


def _assignment(entry: dict[str, Any]) -> DeviceAssignment:
    pod_uid, container, resource = (required(entry, key, str) for key in ("PodUID", "ContainerName", "ResourceName"))
    return DeviceAssignment(pod_uid, container, resource, _ids_by_node(entry.get("DeviceIDs")))


def _ids_by_node(value: object) -> DeviceIds:
    if isinstance(value, list):
        return ((None, texts(value, "DeviceIDs")),)
    by_node = typed(value if value is not None else {}, dict, "DeviceIDs")
    return tuple((_numa_node(key), texts(typed(ids or [], list, "DeviceIDs"), "DeviceIDs")) for key, ids in by_node.items())


def _numa_node(key: str) -> int | None:
    if key == "-1":
        return None
    if not re.fullmatch(r"[0-9]{1,4}", key) or int(key) > MAX_NUMA_NODE_ID:
        raise ParseError(f"no NUMA node: {key:.40}")
    return int(key)


PARSER = Parser(
    parse,
    reads=("var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",),
    looks_like=r'^\{\s{0,20}"Data"\s{0,20}:\s{0,20}\{\s{0,20}"(?:PodDeviceEntries|RegisteredDevices)"',
)
