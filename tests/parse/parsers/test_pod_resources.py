"""The kubelet's answer on what containers got."""

import json

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.pod_resources import GivenDevices, GivenResources, PodResources, parse


def answer(**container):
    return json.dumps({"pod_resources": [{"name": "w", "namespace": "ns", "containers": [{"name": "main", **container}]}]})


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"cpu_ids": [2, 3]}, GivenResources("ns/w", "main", CpuSet([2, 3]), ())),
        ({"cpu_ids": ["2", "3"]}, GivenResources("ns/w", "main", CpuSet([2, 3]), ())),
        (
            {"devices": [{"resource_name": "x/gpu", "device_ids": ["a"], "topology": {"nodes": [{}, {"ID": 1}]}}]},
            GivenResources("ns/w", "main", CpuSet(), (GivenDevices("x/gpu", ("a",), (0, 1)),)),
        ),
        (
            {"devices": [{"resource_name": "x/gpu", "device_ids": ["a"], "topology": {"nodes": [{"ID": -1}]}}]},
            GivenResources("ns/w", "main", CpuSet(), (GivenDevices("x/gpu", ("a",), ()),)),
        ),
        (
            {"devices": [{"resource_name": "x/gpu", "topology": None}]},
            GivenResources("ns/w", "main", CpuSet(), (GivenDevices("x/gpu", (), ()),)),
        ),
    ],
)
def test_cpus_and_devices_of_a_container(container, expected):
    assert parse(answer(**container)) == PodResources((expected,))


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", answer(cpu_ids=[-1]), answer(cpu_ids=[10**12]), answer(cpu_ids=["x"]), answer(devices=[7]), answer(cpu_ids=[True]),
        answer(devices=[{"resource_name": "x/gpu", "topology": {"nodes": [{"ID": True}]}}]),
    ],
)  # fmt: skip
def test_what_is_no_such_answer_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)
