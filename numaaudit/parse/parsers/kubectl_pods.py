"""``kubectl get pods -A -o json`` (kubernetes ``pkg/apis/core``, Pod): what pods ask for, and the class they got by it.

Only the members below are read; environment, commands and mounts of containers are not.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from numaaudit.parse.json_text import optional, read_object, required, typed
from numaaudit.parse.parser import Command, Parser


class PodContainer(NamedTuple):
    """One container. Requests and limits as written, by resource name (``cpu``, ``memory``, ``nvidia.com/gpu``)."""

    name: str
    requests: dict[str, str]
    limits: dict[str, str]
    container_id: str | None  # 64 hexadecimal digits; None before it runs

    @property
    def whole_cpus(self) -> int | None:
        """The number of CPUs if request and limit are the same whole number, as exclusive CPUs need."""
        limit = _cpus(self.limits.get("cpu"))
        request = _cpus(self.requests.get("cpu", self.limits.get("cpu")))
        return int(limit) if limit and limit == request and limit == int(limit) else None


class Pod(NamedTuple):
    """One pod. ``qos``: Guaranteed, Burstable or BestEffort; None where the API server did not say."""

    uid: str
    namespace: str | None
    name: str | None
    qos: str | None
    containers: tuple[PodContainer, ...]


class KubectlPods(NamedTuple):
    """All pods of the list, of every host."""

    pods: tuple[Pod, ...]


def parse(text: str) -> KubectlPods:
    """Read a List, or one Pod; ParseError if it is neither."""
    document = read_object(text)
    items = [document] if document.get("kind") == "Pod" else required(document, "items", list)
    return KubectlPods(tuple(_pod(typed(item, dict, "items")) for item in items))


def _pod(item: dict[str, Any]) -> Pod:
    metadata, spec = required(item, "metadata", dict), required(item, "spec", dict)
    status = optional(item, "status", dict) or {}
    ids = dict(_container_ids(optional(status, "containerStatuses", list) or []))
    containers = [typed(each, dict, "containers") for each in optional(spec, "containers", list) or []]
    return Pod(
        required(metadata, "uid", str),
        optional(metadata, "namespace", str),
        optional(metadata, "name", str),
        optional(status, "qosClass", str),
        tuple(_container(each, ids) for each in containers),
    )


def _container_ids(statuses: list[Any]) -> Iterator[tuple[str, str]]:
    """Name and id; the id comes as ``containerd://<64 digits>``."""
    for each in statuses:
        status = typed(each, dict, "containerStatuses")
        name, number = optional(status, "name", str), optional(status, "containerID", str)
        if name and number:
            yield name, number.rpartition("/")[2]


def _container(container: dict[str, Any], ids: dict[str, str]) -> PodContainer:
    resources = optional(container, "resources", dict) or {}
    requests, limits = (optional(resources, key, dict) or {} for key in ("requests", "limits"))
    name = required(container, "name", str)
    return PodContainer(name, _texts(requests), _texts(limits), ids.get(name))


def _texts(amounts: dict[str, Any]) -> dict[str, str]:
    """Quantities; a bare number is one too."""
    return {name: str(amount) for name, amount in amounts.items() if isinstance(amount, str | int | float)}


def _cpus(quantity: str | None) -> Decimal | None:
    """``8`` and ``8000m`` are eight CPUs."""
    if not quantity or len(quantity) > 20:
        return None
    try:
        number = Decimal(quantity.removesuffix("m"))
    except InvalidOperation:
        return None
    return number / (1000 if quantity.endswith("m") else 1) if number.is_finite() and abs(number.adjusted()) < 10 else None


_ARGV = ("kubectl", "get", "pods", "-A", "-o", "json")
PARSER = Parser(
    parse,
    reads=(Command(_ARGV),),
    looks_like=r'^\{\s{0,20}"apiVersion"\s{0,20}:\s{0,20}"v1"\s{0,20},\s{0,20}(?:"items"|"kind"\s{0,20}:\s{0,20}"(?:List|Pod)")',
)
