"""What the kubelet says that containers got (PodResourcesLister.List, kubernetes ``pkg/kubelet/apis/podresources``), as JSON.

A pod is told by namespace and name; its UID is not in the answer.
"""

from typing import Any, NamedTuple

from numaaudit.core.cpuset import MAX_CPU_ID, MAX_NUMA_NODE_ID, CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.json_text import optional, read_object, required, texts, typed
from numaaudit.parse.parser import Parser


class GivenDevices(NamedTuple):
    """Devices of one resource. ``numa_nodes`` empty: the plug-in named none."""

    resource: str  # nvidia.com/gpu
    ids: tuple[str, ...]
    numa_nodes: tuple[int, ...]


class GivenResources(NamedTuple):
    """One container. ``cpus`` are its own; empty for one that runs in the shared pool."""

    pod: str  # namespace/name
    container: str
    cpus: CpuSet
    devices: tuple[GivenDevices, ...]


class PodResources(NamedTuple):
    """Containers in the kubelet's order."""

    containers: tuple[GivenResources, ...]


def parse(text: str) -> PodResources:
    """ParseError for JSON of another kind, or for numbers that no CPU or NUMA node has."""
    pods = [typed(each, dict, "pod_resources") for each in required(read_object(text), "pod_resources", list)]
    return PodResources(tuple(_container(typed(each, dict, "containers"), _name(pod)) for pod in pods for each in _list(pod, "containers")))


def _name(pod: dict[str, Any]) -> str:
    return f"{optional(pod, 'namespace', str) or 'default'}/{required(pod, 'name', str)}"


def _container(container: dict[str, Any], pod: str) -> GivenResources:
    devices = tuple(_devices(typed(each, dict, "devices")) for each in _list(container, "devices"))
    return GivenResources(pod, required(container, "name", str), CpuSet(_numbers(_list(container, "cpu_ids"), MAX_CPU_ID)), devices)


def _devices(devices: dict[str, Any]) -> GivenDevices:
    topology = optional(devices, "topology", dict) or {}
    ids = [typed(each, dict, "nodes").get("ID", 0) for each in _list(topology, "nodes")]
    known = [number for number in ids if number != -1]
    return GivenDevices(
        required(devices, "resource_name", str), texts(_list(devices, "device_ids"), "device_ids"), _numbers(known, MAX_NUMA_NODE_ID)
    )


def _list(owner: dict[str, Any], key: str) -> list[Any]:
    return optional(owner, key, list) or []


def _numbers(values: list[Any], most: int) -> tuple[int, ...]:
    """Numbers, or digits in quotation marks: JSON has no integers of 64 bits."""
    texts_of = list(map(str, values))
    if any(not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) <= most) for text in texts_of):
        raise ParseError(f"no such number: {texts_of}"[:80])
    return tuple(map(int, texts_of))


PARSER = Parser(parse, reads=("samples/pod-resources.json",), looks_like=r'^\{\s{0,20}"pod_resources"\s{0,20}:')
