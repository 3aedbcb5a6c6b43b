import json
import os

import pytest

from numaaudit.collect.pod_list import listing, read_pods
from numaaudit.core.errors import UsageError
from numaaudit.parse.parsers.kubectl_pods import Pod, PodContainer, parse

UID = "0a1b2c3d-0000-4000-8000-0123456789ab"
POD = {
    "kind": "Pod",
    "metadata": {"name": "worker-0", "namespace": "a", "uid": UID, "annotations": {"note": "planted-annotation"}},
    "spec": {
        "nodeName": "planted-host",
        "containers": [
            {
                "name": "main",
                "env": [{"name": "API_TOKEN", "value": "planted-secret"}],
                "args": ["--api-key=planted-secret"],
                "resources": {"requests": {"cpu": "8"}, "limits": {"cpu": 8, "nvidia.com/gpu": "1"}},
            }
        ],
    },
    "status": {"qosClass": "Guaranteed", "podIP": "10.9.8.7", "containerStatuses": [{"name": "main", "containerID": "containerd://ab"}]},
}
OTHER = {"metadata": {"name": "planted-neighbour", "uid": "f" * 32}, "spec": {}}


@pytest.fixture
def read(tmp_path):
    def of(document):
        file = tmp_path / "pods.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        return read_pods(str(file))

    return of


@pytest.mark.parametrize("document", [{"kind": "List", "items": [POD, OTHER]}, {"kind": "PodList", "items": [POD]}, POD])
def test_of_the_collected_pods_the_parser_reads_what_is_kept(read, document):
    kept = listing(read(document), {UID.replace("-", "")})

    container = PodContainer("main", {"cpu": "8"}, {"cpu": "8", "nvidia.com/gpu": "1"}, "ab")
    assert parse(kept.decode()).pods == (Pod(UID, "a", "worker-0", "Guaranteed", (container,)),)


def test_nothing_else_is_kept(read):
    kept = listing(read({"items": [POD, OTHER]}), {UID.replace("-", "")})

    assert [word for word in (b"planted", b"10.9.8.7", b"API_TOKEN", b"args") if word in kept] == []


@pytest.mark.parametrize(
    "document",
    [
        "", "[]", "{}", '"x"', '{"items": [{}]}', '{"items": 7}', "[" * 200_000, '{"items": [{"metadata": {"uid": "u"}}]}',
        {"items": [{**POD, "metadata": {"name": "worker-0", "uid": 7}}]}, {"items": [{**POD, "metadata": {"name": None, "uid": UID}}]},
    ],
)  # fmt: skip
def test_a_file_of_something_else_is_a_usage_error(read, document):
    with pytest.raises(UsageError, match="--kubectl-pods .*: not what kubectl get pods"):
        read(document)


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path):
    os.mkfifo(tmp_path / "fifo")

    for name in ("missing", "fifo"):
        with pytest.raises(UsageError, match="--kubectl-pods"):
            read_pods(str(tmp_path / name))
