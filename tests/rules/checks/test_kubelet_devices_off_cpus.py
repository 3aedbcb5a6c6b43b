"""NA606: CPUs and devices of one container on different NUMA nodes."""

import json

import pytest

from numaaudit.rules.finding import Outcome, Severity

UID = "0a1b2c3d-1111-2222-3333-444455556666"
SUBJECT = f"pod:{UID}"
STATE = "root/var/lib/kubelet/cpu_manager_state"
CHECKPOINT = "root/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"


def given(entries, cpus, devices):
    """A pod whose container got these CPUs and devices by NUMA node."""
    state = {"policyName": "static", "defaultCpuSet": "0", "entries": {UID: {"main": cpus}}, "checksum": 1}
    entry = {"PodUID": UID, "ContainerName": "main", "ResourceName": "nvidia.com/gpu", "DeviceIDs": devices, "AllocResp": ""}
    checkpoint = {"Data": {"PodDeviceEntries": [entry], "RegisteredDevices": {}}, "Checksum": 1}
    return entries | {STATE: json.dumps(state), CHECKPOINT: json.dumps(checkpoint)}


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


@pytest.mark.parametrize("devices", [{"1": ["GPU-1"]}, {"0": ["GPU-0"], "1": ["GPU-1"]}])
def test_silent_where_they_meet(entries, build, outcomes, devices):
    assert outcomes(build(given(entries, "2-3,6-7", devices)), "NA606") == {(SUBJECT, "pass")}


@pytest.mark.parametrize("devices", [{"-1": ["GPU-1"]}, ["GPU-1"]])
def test_unknown_where_the_plugin_names_no_numa_node(entries, build, judge, devices):
    (judged,) = judge(build(given(entries, "2-3,6-7", devices)), "NA606")

    assert (judged.subject, judged.outcome.value) == (SUBJECT, "unknown")
    assert judged.gaps[0].reason == "the device plugin names no NUMA node for its devices"


def test_devices_of_the_other_numa_node(entries, build, outcomes, judge):
    host = build(given(entries, "2-3,6-7", {"0": ["GPU-0"]}))

    assert outcomes(host, "NA606") == {(SUBJECT, "fail")}
    (failure,) = judge(host, "NA606")
    assert (failure.severity, str(failure.facts["numa_nodes"]), str(failure.facts["device_numa_nodes"])) == (None, "1", "0")
    assert [each.path for each in failure.evidence] == [STATE, CHECKPOINT]


@pytest.mark.parametrize(("cpus", "devices"), [("0-3", {"1": ["GPU-1"]}), ("0,2", {"1": ["GPU-1"], "-1": ["GPU-0"]})])
def test_cpus_of_more_numa_nodes_than_the_devices_are_a_note(entries, build, judge, cpus, devices):
    (failure,) = judge(build(given(entries, cpus, devices)), "NA606")

    assert (failure.outcome, failure.severity, failure.message) == (Outcome.FAIL, Severity.INFO, "straddling")
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["device_numa_nodes"])) == ("0-1", "1")


def test_silent_where_devices_hang_on_each_numa_node_of_the_cpus(entries, build, outcomes):
    assert outcomes(build(given(entries, "0-3", {"0": ["GPU-0"], "1": ["GPU-1"]})), "NA606") == {(SUBJECT, "pass")}


def test_low_within_one_package(entries, in_one_package, build, judge):
    (failure,) = judge(build(in_one_package(given(entries, "2-3,6-7", {"0": ["GPU-0"]}))), "NA606")

    assert (failure.outcome, failure.severity) == (Outcome.FAIL, Severity.LOW)


def test_does_not_apply_without_devices_or_with_one_numa_node(entries, removed, on_one_numa_node, build, outcomes):
    apart = given(entries, "2-3,6-7", {"0": ["GPU-0"]})

    assert outcomes(build(removed(apart, "checkpoint")), "NA606") == {(SUBJECT, "not_applicable")}
    assert outcomes(build(on_one_numa_node(apart)), "NA606") == {(SUBJECT, "not_applicable")}


def test_silent_without_a_kubelet(entries, build, outcomes):
    assert outcomes(build(entries), "NA606") == set()


def test_unknown_where_the_cpus_numa_nodes_are_not_known(entries, removed, build, outcomes):
    assert outcomes(build(removed(given(entries, "2-3", {"0": ["GPU-0"]}), "/system/node/")), "NA606") == {(SUBJECT, "unknown")}


@pytest.mark.parametrize(("cpus", "outcome"), [([0, 1], "pass"), ([4, 5], "fail")])
def test_without_state_files_the_kubelets_own_answer_counts(two_packages, build, outcomes, judge, cpus, outcome):
    devices = [{"resource_name": "nvidia.com/gpu", "device_ids": ["GPU-1"], "topology": {"nodes": [{"ID": 0}]}}]
    pod = {"name": "worker-0", "namespace": "ns", "containers": [{"name": "main", "cpu_ids": cpus, "devices": devices}]}
    answer = '{"pod_resources": [\n%s\n]}\n' % json.dumps(pod)
    host = build(two_packages.entries() | {"samples/pod-resources.json": answer})

    assert outcomes(host, "NA606") == {("pod:ns/worker-0", outcome)}
    assert [(each.path, each.line) for each in judge(host, "NA606")[0].evidence] == [("samples/pod-resources.json", 2)]
