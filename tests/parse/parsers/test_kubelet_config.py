import json

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.kubelet_config import KubeletConfig, parse

TEXT = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  cpuManagerPolicy: not-this-one
cpuManagerPolicy: "static"   # exclusive cores
cpuManagerPolicyOptions:
  full-pcpus-only: "true"
  distribute-cpus-across-numa: 'false'
memoryManagerPolicy: Static
reservedSystemCPUs: 0-1,64-65
topologyManagerPolicy: best-effort
topologyManagerScope: pod
topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
"""
RECORD = KubeletConfig(
    "static", (("distribute-cpus-across-numa", "false"), ("full-pcpus-only", "true")), "best-effort", "pod",
    (("prefer-closest-numa-nodes", "true"),), "Static", CpuSet.parse("0-1,64-65"),
)  # fmt: skip
NOTHING = KubeletConfig(None, (), None, None, (), None, None)
JSON = {
    "kind": "KubeletConfiguration",
    "cpuManagerPolicy": "static",
    "cpuManagerPolicyOptions": dict(RECORD.cpu_manager_options),
    "memoryManagerPolicy": "Static",
    "reservedSystemCPUs": "0-1,64-65",
    "topologyManagerPolicy": "best-effort",
    "topologyManagerScope": "pod",
    "topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"},
    "maxPods": 110,
}


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, RECORD),
        (TEXT + "\0", RECORD),
        (json.dumps(JSON), RECORD),
        ("kind: KubeletConfiguration\n", NOTHING),
        ("kind: KubeletConfiguration\ncpuManagerPolicy:\n", NOTHING),
    ],
)
def test_yaml_and_json_give_the_record(text: str, record: KubeletConfig) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind: Pod\n",
        TEXT.replace("0-1,64-65", "1-0"),
        json.dumps({**JSON, "cpuManagerPolicy": 1}),
        json.dumps({**JSON, "cpuManagerPolicyOptions": "x"}),
    ],
)
def test_another_document_or_an_impossible_value_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
