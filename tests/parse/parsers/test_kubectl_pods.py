"""Pods as kubectl prints them."""

import json

import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.kubectl_pods import KubectlPods, Pod, PodContainer, parse

POD = {
    "kind": "Pod",
    "metadata": {"uid": "0a-1b", "namespace": "default", "name": "infer"},
    "spec": {
        "containers": [
            {
                "name": "main",
                "env": [{"name": "TOKEN", "value": "secret"}],
                "resources": {"requests": {"cpu": "8"}, "limits": {"cpu": "8", "nvidia.com/gpu": 1}},
            },
            {"name": "side"},
        ]
    },
    "status": {"qosClass": "Burstable", "containerStatuses": [{"name": "main", "containerID": "containerd://" + "a" * 64}]},
}
RECORD = Pod(
    "0a-1b",
    "default",
    "infer",
    "Burstable",
    (PodContainer("main", {"cpu": "8"}, {"cpu": "8", "nvidia.com/gpu": "1"}, "a" * 64), PodContainer("side", {}, {}, None)),
)


@pytest.mark.parametrize("document", [POD, {"kind": "List", "items": [POD]}])
def test_a_pod_alone_or_in_a_list(document):
    assert parse(json.dumps(document)) == KubectlPods((RECORD,))


def test_a_pod_that_is_not_scheduled_has_no_class():
    pod = {"kind": "Pod", "metadata": {"uid": "1"}, "spec": {}}

    assert parse(json.dumps(pod)).pods == (Pod("1", None, None, None, ()),)


@pytest.mark.parametrize(
    ("requests", "limits", "cpus"),
    [
        ({"cpu": "8"}, {"cpu": "8000m"}, 8),
        ({}, {"cpu": "4"}, 4),
        ({"cpu": "4"}, {"cpu": "8"}, None),
        ({"cpu": "1500m"}, {"cpu": "1500m"}, None),
        ({}, {}, None),
        ({"cpu": "x"}, {"cpu": "x"}, None),
        ({"cpu": "Infinity"}, {"cpu": "Infinity"}, None),
        ({"cpu": "1e999"}, {"cpu": "1e999"}, None),
    ],
)
def test_whole_cpus_are_those_that_can_be_exclusive(requests, limits, cpus):
    assert PodContainer("a", requests, limits, None).whole_cpus == cpus


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"items": [7]}', '{"kind": "Pod", "metadata": {"uid": 7}, "spec": {}}'])
def test_another_document_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)
