"""What the kubelet says that containers got: CPUs, and devices by NUMA node (``PodResourcesLister.List``).

kubernetes ``staging/src/k8s.io/kubelet/pkg/apis/podresources/v1/api.proto``, general since 1.28, on a socket that only root can open.
Unlike the kubelet's state files it is made for others to read, and tells no container that is gone.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Tuple, Union

from numaaudit.bundle.tree import gap_of
from numaaudit.collect.collector import NOT_HERE, Read

SOCKET = "var/lib/kubelet/pod-resources/kubelet.sock"
MEMBER = "samples/pod-resources.json"
_METHOD = "/v1.PodResourcesLister/List"
_SECONDS = 5.0  # the kubelet answers from memory


class _Field(NamedTuple):
    """``kind``: text, number, or the fields of a message."""

    name: str
    kind: Any
    many: bool = False


_TOPOLOGY = {1: _Field("nodes", {1: _Field("ID", int)}, many=True)}
_DEVICES = {1: _Field("resource_name", str), 2: _Field("device_ids", str, many=True), 3: _Field("topology", _TOPOLOGY)}
_CONTAINER = {1: _Field("name", str), 2: _Field("devices", _DEVICES, many=True), 3: _Field("cpu_ids", int, many=True)}
_POD = {1: _Field("name", str), 2: _Field("namespace", str), 3: _Field("containers", _CONTAINER, many=True)}
_LIST = {1: _Field("pod_resources", _POD, many=True)}


def read_pod_resources(root: str) -> Iterator[Any]:
    """The work of asking the kubelet: gives one Read, of containers that got CPUs or devices."""
    began = time.perf_counter()
    path = os.path.join(root, SOCKET)
    try:
        data = _reduced(decode(_ask(path), _LIST))
    except ValueError:
        yield Read("pod_resources", MEMBER, "cut", reason="the kubelet's answer cannot be read")
    except OSError as error:
        gap = gap_of(error, MEMBER)
        yield Read("pod_resources", MEMBER, gap.kind, reason=gap.reason if os.path.exists(path) else NOT_HERE)
    else:
        yield Read("pod_resources", MEMBER, "ok", data, None, "", (time.perf_counter() - began) * 1000)


def _ask(path: str) -> bytes:
    from numaaudit.collect.grpc import ask  # start-up: it imports socket, and most hosts have no kubelet

    return ask(path, _METHOD, _SECONDS)


def _reduced(answer: Mapping[str, Any]) -> bytes:
    for pod in answer["pod_resources"]:
        pod["containers"] = [each for each in pod["containers"] if each["cpu_ids"] or each["devices"]]
    lines = [json.dumps(pod) for pod in answer["pod_resources"] if pod["containers"]]
    return ('{"pod_resources": [\n%s\n]}\n' % ",\n".join(lines)).encode()


def decode(data: bytes, fields: Mapping[int, _Field]) -> Dict[str, Any]:
    """A message of protocol buffers; what is not sent has its default, other fields are passed over. ValueError if it is damaged."""
    message: Dict[str, Any] = {field.name: [] if field.many else _default(field.kind) for field in fields.values()}
    for number, value in _values(data):
        field = fields.get(number)
        if field is None:
            continue
        if not field.many:
            message[field.name] = _value(field.kind, value)
        elif field.kind is int and isinstance(value, bytes):
            message[field.name] += _packed(value)
        else:
            message[field.name].append(_value(field.kind, value))
    return message


def _default(kind: Any) -> Any:
    return kind() if kind in (str, int) else None


def _value(kind: Any, value: Union[int, bytes]) -> Any:
    if isinstance(value, int) is not (kind is int):
        raise ValueError("a number in place of bytes, or bytes in place of a number")
    if isinstance(value, int):
        return value
    return value.decode("utf-8", "backslashreplace") if kind is str else decode(value, kind)


def _values(data: bytes) -> Iterator[Tuple[int, Union[int, bytes]]]:
    """Field numbers with numbers or bytes; those of fixed size are none that the kubelet's messages have."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        if key & 7 == 0:
            number, place = _varint(data, place)
            yield key >> 3, number
        elif key & 7 == 2:
            size, place = _varint(data, place)
            if place + size > len(data):
                raise ValueError("cut")
            yield key >> 3, data[place : place + size]
            place += size
        else:
            raise ValueError("wire type %d" % (key & 7))


def _packed(data: bytes) -> Iterator[int]:
    place = 0
    while place < len(data):
        number, place = _varint(data, place)
        yield number


def _varint(data: bytes, place: int) -> Tuple[int, int]:
    """A number of at most 64 bits, and where the next begins."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise ValueError("cut")
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number - (1 << 64) if number >> 63 else number, place
    raise ValueError("a number of more than 64 bits")
