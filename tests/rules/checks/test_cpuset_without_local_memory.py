"""NA651: the CPUs of the GPU's NUMA node, and none of its memory."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

STATUS = "root/proc/101/status"
GROUP = "root/sys/fs/cgroup/work/cpuset.mems.effective"
PASS, FAIL, UNKNOWN, NOT = ({("rank:0", "pass"), ("rank:1", outcome)} for outcome in ("pass", "fail", "unknown", "not_applicable"))


@pytest.fixture
def entries(root):
    """Rank 1 may use memory of NUMA node 0 only."""
    text = root("2p-2n-2g")[STATUS]
    return root("2p-2n-2g") | {
        STATUS: text.replace("Mems_allowed_list:\t0-1", "Mems_allowed_list:\t0").replace("Mems_allowed:\t00000000,00000003\n", ""),
        GROUP: "0\n",
    }


def failure_in(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_where_local_memory_is_allowed(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA651") == PASS


def test_names_the_group_that_lacks_the_memory(entries, build, outcomes, judge):
    assert outcomes(build(entries), "NA651") == FAIL
    failure = failure_in(judge(build(entries), "NA651"))
    assert (str(failure.facts["gpu_numa_node"]), str(failure.facts["has"]), failure.facts["group"]) == ("1", "0", "cgroup /work")
    assert [(each.path, each.text) for each in failure.evidence[:2]] == [(STATUS, "Mems_allowed_list:\t0"), (GROUP, "0")]
    assert failure.related[-1] == "cgroup:/work"


def test_the_cpuset_tells_where_the_status_does_not(entries, build, outcomes):
    text = entries[STATUS].replace("Mems_allowed_list:\t0\n", "")

    assert outcomes(build(entries | {STATUS: text}), "NA651") == FAIL


def test_silent_where_its_cpus_are_gone_as_well(entries, masked, build, outcomes):
    assert outcomes(build(masked(entries, 101, "0-1,4-5")), "NA651") == PASS


def test_low_within_one_package(entries, in_one_package, build, judge):
    assert failure_in(judge(build(in_one_package(entries)), "NA651")).severity is Severity.LOW


def test_does_not_apply_where_the_numa_node_has_no_memory(entries, build, outcomes):
    empty = {"root/sys/devices/system/node/node1/meminfo": "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n"}

    assert outcomes(build(entries | empty), "NA651") == NOT


def test_unknown_where_nothing_tells_what_is_allowed(entries, removed, build, outcomes):
    kept = removed(entries, "cpuset.mems")
    text = kept[STATUS].replace("Mems_allowed_list:\t0\n", "")

    assert outcomes(build(kept | {STATUS: text}), "NA651") == UNKNOWN


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA651") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
