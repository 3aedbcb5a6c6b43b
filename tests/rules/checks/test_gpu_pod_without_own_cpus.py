"""NA603: a pod with a GPU in the shared pool."""

import json

import pytest

from numaaudit.rules.finding import Outcome, Severity

UID = "0a1b2c3d-1111-2222-3333-444455556666"
ID = "c" * 64
STATE = "root/var/lib/kubelet/cpu_manager_state"
KUBECTL = "commands/kubectl_get_pods_-A_-o_json.out"
NOT_IN_A_POD = ("rank:0", "not_applicable")


def in_pod(entries, qos="burstable", recorded=None, policy="static"):
    """Rank 1 in a pod of this class, with or without CPUs of its own in the kubelet's state."""
    name = UID.replace("-", "_")
    mark = f"-{qos}" if qos else ""
    parent = f"/kubepods.slice/kubepods{mark}.slice" if qos else "/kubepods.slice"
    path = f"{parent}/kubepods{mark}-pod{name}.slice/cri-containerd-{ID}.scope"
    state = {"policyName": policy, "defaultCpuSet": "0-7", "entries": {UID: {"main": recorded}} if recorded else {}, "checksum": 1}
    return entries | {"root/proc/101/cgroup": f"0::{path}\n", STATE: json.dumps(state)}


def listed(requests, limits):
    containers = [{"name": "main", "resources": {"requests": requests, "limits": limits}}]
    metadata = {"uid": UID, "namespace": "serving", "name": "llm-0"}
    return {KUBECTL: json.dumps({"kind": "Pod", "metadata": metadata, "spec": {"containers": containers}})}


@pytest.fixture
def wide(root, masked):
    return masked(root("2p-2n-2g"), 101, "0-7")


def failure_of(judgements):
    (failure,) = [each for each in judgements if each.outcome is Outcome.FAIL]
    return failure


def test_silent_with_cpus_of_its_own(wide, build, outcomes):
    assert outcomes(build(in_pod(wide, qos="", recorded="2-3,6-7")), "NA603") == {NOT_IN_A_POD, ("rank:1", "pass")}


def test_silent_where_its_cpus_are_local_all_the_same(root, build, outcomes):
    assert outcomes(build(in_pod(root("2p-2n-2g"))), "NA603") == {NOT_IN_A_POD, ("rank:1", "pass")}


def test_a_burstable_pod_floats(wide, build, outcomes, judge):
    host = build(in_pod(wide))

    assert outcomes(host, "NA603") == {NOT_IN_A_POD, ("rank:1", "fail")}
    failure = failure_of(judge(host, "NA603"))
    assert (failure.severity, failure.facts["qos"], failure.facts["pod"], failure.facts["reason"]) == (None, "Burstable", UID, "")
    assert [(each.path, each.text) for each in failure.evidence[1:3]] == [
        ("root/proc/101/status", "Cpus_allowed_list:\t0-7"),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", "1"),
    ]


@pytest.mark.parametrize(
    ("qos", "requests", "limits", "reason"),
    [
        ("burstable", {"cpu": "8"}, {"cpu": "8"}, "no memory limit equal to its request"),
        ("burstable", {"cpu": "4", "memory": "1Gi"}, {"cpu": "8", "memory": "1Gi"}, "no cpu limit equal to its request"),
        ("", {"cpu": "1500m", "memory": "1Gi"}, {"cpu": "1500m", "memory": "1Gi"}, "no whole number"),
    ],
)
def test_kubectl_tells_what_it_lacks(wide, build, judge, qos, requests, limits, reason):
    failure = failure_of(judge(build(in_pod(wide, qos=qos) | listed(requests, limits)), "NA603"))

    assert reason in failure.facts["reason"]
    assert failure.facts["pod"] == "serving/llm-0"


def test_low_within_one_package(wide, in_one_package, build, judge):
    assert failure_of(judge(build(in_one_package(in_pod(wide))), "NA603")).severity is Severity.LOW


def test_does_not_apply_without_the_static_policy(wide, removed, build, outcomes):
    assert outcomes(build(in_pod(wide, policy="none")), "NA603") == {NOT_IN_A_POD, ("rank:1", "not_applicable")}
    assert outcomes(build(removed(in_pod(wide), "var/lib")), "NA603") == {NOT_IN_A_POD, ("rank:1", "not_applicable")}


def test_unknown_without_the_gpus_numa_node(wide, build, outcomes):
    gpu = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
    host = build(in_pod(wide) | {f"{gpu}/numa_node": "-1\n", f"{gpu}/local_cpulist": "0-7\n"})

    assert outcomes(host, "NA603") == {NOT_IN_A_POD, ("rank:1", "unknown")}
