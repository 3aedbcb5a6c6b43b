"""NA602: what the kubelet recorded against the cgroup."""

import json

import pytest

from numaaudit.rules.finding import Outcome, Severity

UID = "0a1b2c3d-1111-2222-3333-444455556666"
PATH = f"/kubepods.slice/kubepods-pod{UID.replace('-', '_')}.slice/cri-containerd-{'c' * 64}.scope"
STATE = "root/var/lib/kubelet/cpu_manager_state"
CPUSET = f"root/sys/fs/cgroup{PATH}/cpuset.cpus.effective"


def in_pod(entries, recorded, has, policy="static", pool="0-1,4-5"):
    """Rank 1 in a pod; the kubelet recorded these CPUs (None: no entry), the cgroup has those."""
    state = {"policyName": policy, "defaultCpuSet": pool, "entries": {UID: {"main": recorded}} if recorded else {}, "checksum": 1}
    return entries | {"root/proc/101/cgroup": f"0::{PATH}\n", STATE: json.dumps(state), CPUSET: f"{has}\n"}


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def failure_of(judgements):
    (failure,) = [each for each in judgements if each.outcome is Outcome.FAIL]
    return failure


def test_silent_where_both_agree(entries, build, outcomes):
    assert outcomes(build(in_pod(entries, "2-3,6-7", "2-3,6-7")), "NA602") == {("rank:1", "pass")}


def test_an_allocation_that_was_never_applied(entries, build, outcomes, judge):
    host = build(in_pod(entries, "2-3,6-7", "0-7"))

    assert outcomes(host, "NA602") == {("rank:1", "fail")}
    failure = failure_of(judge(host, "NA602"))
    assert (failure.severity, failure.message, str(failure.facts["assigned"]), str(failure.facts["has"])) == (None, None, "2-3,6-7", "0-7")
    assert f"pod:{UID}" in failure.related
    assert [each.path for each in failure.evidence] == [STATE, CPUSET]


def test_low_where_a_part_is_in_force(entries, build, judge):
    assert failure_of(judge(build(in_pod(entries, "2-3,6-7", "2-3")), "NA602")).severity is Severity.LOW


def test_silent_for_a_container_in_the_pool_beside_one_with_cpus_of_its_own(entries, build, outcomes):
    assert outcomes(build(in_pod(entries, "2-3,6-7", "0-1,4-5")), "NA602") == {("rank:1", "pass")}


def test_offline_cpus_are_no_difference(entries, build, outcomes):
    assert outcomes(build(in_pod(entries, "2-3,6-9", "2-3,6-7")), "NA602") == {("rank:1", "pass")}


@pytest.mark.parametrize(("has", "expected"), [("0-1,4-5", "pass"), ("0-1", "pass"), ("0-5", "fail")])
def test_a_container_without_an_entry_has_the_shared_pool(entries, build, outcomes, has, expected):
    assert outcomes(build(in_pod(entries, None, has)), "NA602") == {("rank:1", expected)}


def test_does_not_apply_under_the_policy_none_or_without_state(entries, removed, build, outcomes):
    assert outcomes(build(in_pod(entries, "2-3", "0-7", policy="none")), "NA602") == {("rank:1", "not_applicable")}
    assert outcomes(build(removed(in_pod(entries, "2-3", "0-7"), "var/lib")), "NA602") == {("rank:1", "not_applicable")}


def test_processes_outside_pods_are_not_judged(entries, build, outcomes):
    assert outcomes(build(entries), "NA602") == set()


def test_unknown_without_the_containers_cpuset(entries, removed, build, outcomes):
    assert outcomes(build(removed(in_pod(entries, "2-3", "0-7"), CPUSET)), "NA602") == {("rank:1", "unknown")}
