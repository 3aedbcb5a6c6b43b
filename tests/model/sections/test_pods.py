"""Which pod a process belongs to."""

import json

import pytest

from numaaudit.model.sections.pods import Pods

UID = "0a1b2c3d-1111-2222-3333-444455556666"
ID = "c" * 64
SYSTEMD = f"/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/cri-containerd-{ID}.scope"
NESTED = "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice"
STATE = {"policyName": "static", "defaultCpuSet": "0-1", "entries": {UID: {"main": "2-3"}}, "checksum": 1}
POD = {
    "kind": "Pod",
    "metadata": {"uid": UID, "namespace": "serving", "name": "llm-0"},
    "spec": {"containers": [{"name": "main", "resources": {}}, {"name": "side"}]},
    "status": {"qosClass": "Guaranteed", "containerStatuses": [{"name": "main", "containerID": f"containerd://{ID}"}]},
}
KUBECTL = "commands/kubectl_get_pods_-A_-o_json.out"


def inside(entries, path, **more):
    return entries | {"root/proc/101/cgroup": f"0::{path}\n", "root/var/lib/kubelet/cpu_manager_state": json.dumps(STATE), **more}


def pod_of(host):
    return host.section(Pods).by_pid.get(101)


@pytest.mark.parametrize(
    ("path", "qos"),
    [
        (SYSTEMD, "Guaranteed"),
        (f"/kubepods/burstable/pod{UID}/{ID}", "Burstable"),
        (f"/kubepods/pod{UID}/{ID}", "Guaranteed"),
        (f"/kubelet/kubepods/besteffort/pod{UID.replace('-', '')}/{ID}", "BestEffort"),
        (
            f"{NESTED}/kubelet-kubepods-burstable-pod{UID.replace('-', '_')}.slice/crio-{ID}.scope",
            "Burstable",
        ),
    ],
)
def test_uid_and_class_are_in_the_path(root, build, path, qos):
    pod = pod_of(build(inside(root("2p-2n-2g"), path)))

    assert (pod.uid, pod.qos, pod.name) == (UID, qos, UID)


def test_without_kubectl_all_assignments_of_the_pod_are_known(root, build):
    pod = pod_of(build(inside(root("2p-2n-2g"), SYSTEMD)))

    assert (pod.container, [str(each.cpus) for each in pod.assignments]) == (None, ["2-3"])


def test_kubectl_names_pod_and_container(root, build):
    pod = pod_of(build(inside(root("2p-2n-2g"), SYSTEMD, **{KUBECTL: json.dumps(POD)})))

    assert (pod.name, pod.container.name, [str(each.cpus) for each in pod.assignments]) == ("serving/llm-0", "main", ["2-3"])


def test_another_container_of_the_pod_has_none(root, build):
    side = {"name": "side", "containerID": f"containerd://{'d' * 64}"}
    status = {**POD["status"], "containerStatuses": [*POD["status"]["containerStatuses"], side]}
    listed = json.dumps({**POD, "status": status})
    pod = pod_of(build(inside(root("2p-2n-2g"), SYSTEMD.replace(ID, "d" * 64), **{KUBECTL: listed})))

    assert (pod.container.name, pod.assignments) == ("side", ())


@pytest.mark.parametrize("path", ["/system.slice/docker-1.scope", "/", f"/user.slice/pod{UID}"])
def test_other_groups_are_no_pods(root, build, path):
    assert pod_of(build(inside(root("2p-2n-2g"), path))) is None
