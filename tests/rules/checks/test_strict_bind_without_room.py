"""NA304: a strict policy on NUMA nodes that have nothing left."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

MAPS = "root/proc/101/numa_maps"
MEMINFO = "root/sys/devices/system/node/node1/meminfo"
BOUND = "7f0000000000 bind:1 anon=131072 dirty=131072 N1=131072 kernelpagesize_kB=4\n"
FULL = "Node 1 MemTotal: 16384000 kB\nNode 1 MemFree: 100000 kB\nNode 1 Active(file): 1000 kB\nNode 1 Inactive(file): 1000 kB\n"
OOM = "kernel: oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1,cpuset=/,mems_allowed=0-1,task=python3,pid={},uid=0\n"
NONE_BOUND = {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


@pytest.fixture
def entries(root):
    return root("2p-2n-2g") | {MAPS: BOUND}


def failure_of(judgements):
    (failure,) = [each for each in judgements if each.outcome is Outcome.FAIL]
    return failure


def test_a_process_without_a_strict_policy_is_not_its_business(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA304") == NONE_BOUND


def test_silent_where_there_is_room(entries, build, outcomes):
    assert outcomes(build(entries), "NA304") == {("rank:0", "not_applicable"), ("rank:1", "pass")}


def test_silent_where_page_cache_can_be_given_back(entries, build, outcomes):
    cached = FULL.replace("Inactive(file): 1000", "Inactive(file): 9000000")

    assert outcomes(build(entries | {MEMINFO: cached}), "NA304") == {("rank:0", "not_applicable"), ("rank:1", "pass")}


def test_a_bound_numa_node_with_nothing_left(entries, build, outcomes, judge):
    host = build(entries | {MEMINFO: FULL})

    assert outcomes(host, "NA304") == {("rank:0", "not_applicable"), ("rank:1", "fail")}
    failure = failure_of(judge(host, "NA304"))
    assert (failure.message, failure.severity, failure.facts["room_mib"]) == ("full", Severity.LOW, 99)
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["others"])) == ("1", "0")
    assert failure.thresholds == {"room_share": 0.02, "other_room_share": 0.2}
    assert [(each.path, each.line) for each in failure.evidence] == [(MAPS, 1), (MEMINFO, 1), (MEMINFO, 2), (MEMINFO, 4)]


def test_silent_where_no_other_numa_node_has_room_or_may_be_used(entries, build, outcomes):
    full = entries | {MEMINFO: FULL}
    other = full | {MEMINFO.replace("node1", "node0"): FULL.replace("Node 1", "Node 0")}
    confined = full | {"root/proc/101/status": full["root/proc/101/status"].replace("Mems_allowed_list:\t0-1", "Mems_allowed_list:\t1")}

    assert ("rank:1", "pass") in outcomes(build(other), "NA304")
    assert ("rank:1", "pass") in outcomes(build(confined), "NA304")


def test_a_kill_under_a_policy_is_said_of_the_process(root, build, outcomes, judge):
    host = build(root("2p-2n-2g") | {"logs/kernel.log": OOM.format(101)})

    assert outcomes(host, "NA304") == {("rank:0", "not_applicable"), ("rank:1", "fail")}
    failure = failure_of(judge(host, "NA304"))
    assert (failure.message, failure.severity, failure.facts["victim"]) == (None, None, "process python3 (pid 101)")
    assert failure.evidence[0].path == "logs/kernel.log"


def test_a_kill_within_a_cpuset_is_medium(root, build, judge):
    line = "oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=a.scope,mems_allowed=1,global_oom,task=python3,pid=101,uid=0\n"
    failure = failure_of(judge(build(root("2p-2n-2g") | {"logs/kernel.log": line}), "NA304"))

    assert (failure.severity, failure.facts["by"], str(failure.facts["numa_nodes"])) == (Severity.MEDIUM, "cpuset", "1")


def test_a_kill_on_a_host_whose_numa_nodes_are_not_known(build, judge):
    failure = failure_of(judge(build({"logs/kernel.log": OOM.format(7)}), "NA304"))

    assert (failure.subject, failure.message, failure.facts["by"]) == ("numa_node:1", "alone", "memory policy")


def test_a_kill_of_a_process_that_is_gone_is_said_of_the_numa_node(root, build, outcomes):
    host = build(root("2p-2n-2g") | {"logs/kernel.log": OOM.format(7)})

    assert outcomes(host, "NA304") == NONE_BOUND | {("numa_node:1", "fail")}


def test_silent_for_a_kill_that_no_policy_caused(root, build, outcomes):
    log = OOM.format(101).replace("MEMORY_POLICY", "MEMCG")

    assert outcomes(build(root("2p-2n-2g") | {"logs/kernel.log": log}), "NA304") == NONE_BOUND


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert ("rank:1", "unknown") in outcomes(build(removed(entries, MAPS)), "NA304")


def test_unknown_without_the_meminfo_of_the_bound_numa_node(entries, removed, build, outcomes):
    assert ("rank:1", "unknown") in outcomes(build(removed(entries, MEMINFO)), "NA304")


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA304") == NONE_BOUND
