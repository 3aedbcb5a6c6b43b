"""NA314: host memory on the NUMA node that is a GPU's memory."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome

NODES = "root/sys/devices/system/node"
MAPS = "root/proc/101/numa_maps"
MIB = 256  # pages of 4 KiB
BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}


@pytest.fixture
def entries(root):
    """NUMA node 2 is the memory of the GPU that hangs on NUMA node 1."""
    return root("2p-2n-2g") | {
        f"{NODES}/node2/cpulist": "\n",
        f"{NODES}/node2/meminfo": "Node 2 MemTotal: 97000000 kB\nNode 2 MemFree: 96000000 kB\n",
        "root/proc/driver/nvidia/gpus/0000:98:00.0/numa_status": "Node: 2\nStatus: online\n",
    }


@pytest.fixture
def under(entries, build):
    """Process 101 under a policy, with so many MiB on NUMA node 2."""

    def make(policy, mib=0, kept=entries):
        pages = f"anon=1 N2={mib * MIB} kernelpagesize_kB=4" if mib else ""
        text = kept[MAPS].replace(" default", f" {policy}") + f"7e0000000000 {policy} {pages}".rstrip() + "\n"
        return build(kept | {MAPS: text})

    return make


@pytest.fixture
def without_gpu(entries, removed):
    return removed(entries, "/fd/", "/environ", "commands/")


def test_silent_where_no_gpus_memory_is_a_numa_node(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA314") == {("host", "not_applicable")}


def test_silent_under_the_default_policy(under, outcomes):
    assert outcomes(under("default"), "NA314") == BOTH_PASS


@pytest.mark.parametrize("policy", ["interleave:0-2", "bind:1-2", "prefer (many):1-2"])
def test_a_policy_that_takes_in_gpu_memory(under, outcomes, judge, policy):
    host = under(policy, 100)

    assert outcomes(host, "NA314") == {("rank:0", "pass"), ("rank:1", "fail")}
    failure = next(each for each in judge(host, "NA314") if each.outcome is Outcome.FAIL)
    assert (str(failure.facts["policy"]), str(failure.facts["gpu_nodes"]), failure.facts["gpus"]) == (policy, "2", "0000:98:00.0")
    assert [(each.path, each.line) for each in failure.evidence] == [(MAPS, 5)]


@pytest.mark.parametrize("policy", ["interleave:0-1", "bind:2"])
def test_silent_for_host_memory_alone_and_gpu_memory_alone(under, outcomes, policy):
    assert outcomes(under(policy, 1000), "NA314") == BOTH_PASS


def test_silent_for_pages_of_a_process_that_uses_the_gpu(under, outcomes):
    assert outcomes(under("default", 1000), "NA314") == BOTH_PASS


def test_pages_of_a_process_without_gpu(under, without_gpu, judge, outcomes):
    host = under("default", 257, without_gpu)

    assert outcomes(host, "NA314") == {("pid:100", "pass"), ("pid:101", "fail")}
    failure = next(each for each in judge(host, "NA314") if each.outcome is Outcome.FAIL)
    assert (failure.message, failure.facts["on_mib"], failure.thresholds) == ("pages", 257, {"host_mib": 256})


def test_silent_at_its_threshold(under, without_gpu, outcomes):
    assert outcomes(under("default", 256, without_gpu), "NA314") == {("pid:100", "pass"), ("pid:101", "pass")}


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, MAPS)), "NA314") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_where_only_the_first_bytes_were_read(without_gpu, build, outcomes):
    host = build(without_gpu | {MAPS: "7f0000000000 default anon=76"})

    assert outcomes(host, "NA314") == {("pid:100", "pass"), ("pid:101", "unknown")}


@pytest.mark.parametrize(("on", "outcome"), [(0, "pass"), (250, "unknown"), (400, "fail")])
def test_of_a_large_process_a_sample_decides_where_its_whole_interval_does(without_gpu, build, sampled, outcomes, on, outcome):
    host = build(sampled(without_gpu, 101, "default", {"anon": (4096, {2: on, 1: 4000 - on})}))

    assert ("pid:101", outcome) in outcomes(host, "NA314")


def test_a_sampled_failure_is_likely_and_names_the_interval(without_gpu, build, sampled, judge):
    host = build(sampled(without_gpu, 101, "default", {"anon": (4096, {2: 400, 1: 3600})}))
    (failure,) = (each for each in judge(host, "NA314") if each.outcome is Outcome.FAIL)

    assert (failure.confidence, failure.message) == (Confidence.LIKELY, "sampled")
    assert failure.facts["on_mib_low"] < failure.facts["on_mib"] == 409 < failure.facts["on_mib_high"]
    assert [each.path for each in failure.evidence] == ["samples/pages-101.json"]
