"""The kubelet's answer, from protocol buffers to what is kept."""

import json

import pytest

from numaaudit.collect.pod_resources import _LIST, MEMBER, _reduced, decode, read_pod_resources
from numaaudit.parse.parsers.pod_resources import parse


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


NODES = field(3, field(1, b"") + field(1, b"\x08\x01"))  # ID 0 is not sent, as it is the default
DEVICES = field(2, field(1, b"nvidia.com/gpu") + field(2, b"GPU-1") + field(2, b"GPU-2") + NODES)
CPUS = field(3, bytes([2, 3, 200, 1]))  # packed; 200 takes two bytes
MEMORY = field(4, field(1, b"memory") + b"\x10\x01")
MAIN = field(3, field(1, b"main") + DEVICES + CPUS + MEMORY)
IDLE = field(3, field(1, b"idle"))
ANSWER = field(1, field(1, b"w") + field(2, b"ns") + MAIN + IDLE) + field(1, field(1, b"planted") + IDLE)


def test_what_containers_got_is_kept_a_pod_a_line_and_others_are_not():
    kept = _reduced(decode(ANSWER, _LIST)).decode()

    (container,) = parse(kept).containers
    assert (container.pod, container.container, str(container.cpus)) == ("ns/w", "main", "2-3,200")
    assert [tuple(each) for each in container.devices] == [("nvidia.com/gpu", ("GPU-1", "GPU-2"), (0, 1))]
    assert [line.count("main") for line in kept.splitlines()] == [0, 1, 0]
    assert "planted" not in kept
    assert "idle" not in kept


def test_numbers_may_come_one_by_one_and_negative():
    unpacked = field(1, field(3, b"\x18\x02\x18\x03"))
    negative = field(1, field(3, field(2, field(3, field(1, b"\x08" + b"\xff" * 9 + b"\x01")))))

    assert decode(unpacked, _LIST)["pod_resources"][0]["containers"][0]["cpu_ids"] == [2, 3]
    assert "-1" in json.dumps(decode(negative, _LIST))


@pytest.mark.parametrize("data", [b"\x0a", b"\x0a\x05ab", b"\x08" + b"\xff" * 11, b"\x0d\0\0\0\0", field(1, b"\x08\x01"), b"\x08\x01"])
def test_a_damaged_message_is_an_error(data):
    with pytest.raises(ValueError):
        decode(data, _LIST)


def test_a_host_without_a_kubelet_has_none(tmp_path):
    (read,) = read_pod_resources(str(tmp_path))

    assert (read.path, read.outcome, read.reason) == (MEMBER, "absent", "not on this host")
