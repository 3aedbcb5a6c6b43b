"""A whole bundle under pseudonyms."""

import json
import re

import pytest

from numaaudit.bundle.manifest import CommandRun, Manifest
from numaaudit.bundle.pseudonymise import pseudonymised
from numaaudit.bundle.pseudonyms import Pseudonyms
from numaaudit.bundle.tree import Leaf, Link, Members, Tree
from numaaudit.model.host import build_host
from numaaudit.rules.engine import audit


def test_slurms_name_of_the_host_is_replaced_like_the_hosts_own():
    step = {"job_id": "7", "step_id": "0", "local_id": "0", "host": "planted"}
    manifest = Manifest("0", "0", "planted.example", "", "", "2026-11-29T10:15:00Z", collector={"slurm": step})

    changed, _ = pseudonymised(manifest, Members(), Pseudonyms(b"k" * 32))

    assert changed.collector["slurm"]["job_id"] == "7"
    assert "planted" not in changed.to_json().decode()


UID = "8f2b1c00-1a2b-4c3d-9e8f-0a1b2c3d4e5f"
ID = "3f9a17c2" * 8
PATH = "/kubepods.slice/kubepods-pod%s.slice/cri-containerd-%s.scope" % (UID.replace("-", "_"), ID)
POD = {
    "metadata": {"name": "zebra-0", "namespace": "zebra", "uid": UID},
    "spec": {"nodeName": "zebra-7", "containers": [{"name": "zebra-main", "resources": {"limits": {"cpu": "4", "memory": "8Gi"}}}]},
    "status": {"qosClass": "Guaranteed", "containerStatuses": [{"name": "zebra-main", "containerID": "containerd://" + ID}]},
}


@pytest.fixture
def pod_host(root):
    """An invented host whose rank 1 runs in a pod that has other CPUs than the kubelet recorded."""
    state = {"policyName": "static", "defaultCpuSet": "0-1,4-5", "entries": {UID: {"zebra-main": "2-3,6-7"}}, "checksum": 1}
    devices = {"PodUID": UID, "ContainerName": "zebra-main", "ResourceName": "nvidia.com/gpu", "DeviceIDs": {"1": ["GPU-0"]}}
    files = {
        **root("2p-2n-2g"),
        "root/proc/101/cgroup": "0::%s\n" % PATH,
        "root/proc/sys/kernel/hostname": "zebra-7\n",
        "root/var/lib/kubelet/cpu_manager_state": json.dumps(state),
        "root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint": json.dumps(
            {"Data": {"PodDeviceEntries": [devices]}, "Checksum": 1}
        ),
        "root/sys/fs/cgroup%s/cpuset.cpus.effective" % PATH: "0-7\n",
        "commands/kubectl_get_pods_-A_-o_json.out": json.dumps({"apiVersion": "v1", "items": [POD], "kind": "List"}, indent=4),
    }
    members = Members()
    for path, entry in files.items():
        if isinstance(entry, str) and entry.startswith("@"):
            members.add(path, Link(entry[1:]))
        elif isinstance(entry, str | bytes):
            members.add_bytes(path, entry if isinstance(entry, bytes) else entry.encode())
    run = CommandRun(("kubectl", "get", "pods", "-A", "-o", "json"), "commands/kubectl_get_pods_-A_-o_json.out", exit_code=0)
    manifest = Manifest("0", "0", "zebra-7", "1a2b", UID, "2026-11-29T10:15:00Z", commands=(run,), arguments=("--pod", "zebra/zebra-0"))
    return manifest, members


def said(manifest, members):
    """What every rule says of which kind of subject."""
    found = audit(build_host(Tree(members), manifest)).findings
    return sorted((each.rule.code, each.judgement.outcome.value, each.judgement.subject.partition(":")[0]) for each in found)


def test_pods_are_judged_as_before_and_no_name_of_theirs_is_left(pod_host):
    manifest, members = pod_host
    names = Pseudonyms(b"k" * 32)
    names.learn_name("pod", "zebra-0")
    names.learn_name("pod", "zebra")
    changed, kept = pseudonymised(manifest, members, names)
    everything = changed.to_json() + b"".join(
        path.encode() + b"\n" + (kept.read(one) if isinstance(one, Leaf) else b"") for path, one in kept.walk(kept.top)
    )

    assert ("NA602", "fail", "rank") in said(manifest, members)
    assert said(changed, kept) == said(manifest, members)
    assert [word for word in (b"zebra", b"8f2b1c00", b"3f9a17c2") if word in everything] == []


def test_commands_are_found_under_the_words_they_have_now(pod_host):
    manifest, members = pod_host
    members.add_bytes("commands/systemctl_show_zebra.service.out", b"Slice=system.slice\nControlGroup=/system.slice/zebra.service\n")
    run = CommandRun(("systemctl", "show", "zebra.service"), "commands/systemctl_show_zebra.service.out", exit_code=0)
    changed, kept = pseudonymised(manifest._replace(commands=(run,)), members, Pseudonyms(b"k" * 32))

    [run] = changed.commands
    assert re.fullmatch(r"path-\w{10}\.service", run.argv[2])
    assert run.path == "commands/systemctl_show_%s.out" % run.argv[2]
    assert Tree(kept).get(run.path).text == "Slice=system.slice\nControlGroup=/system.slice/%s\n" % run.argv[2]
