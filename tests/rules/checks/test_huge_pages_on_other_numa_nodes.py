"""NA317: huge pages from another NUMA node's pool."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

MAPS = "root/proc/101/numa_maps"
NODES = "root/sys/devices/system/node"
POOL = f"{NODES}/node1/hugepages/hugepages-1048576kB"
PASS, FAIL, UNKNOWN = ({("rank:0", "pass"), ("rank:1", outcome)} for outcome in ("pass", "fail", "unknown"))


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


@pytest.fixture
def of(entries, build):
    """Process 101 with so many huge pages of 2 MiB on NUMA node 0, and other entries."""

    def make(pages, other=(), kept=entries):
        line = f"7e0000000000 default file=/anon_hugepage\\040(deleted) huge anon={pages} dirty={pages} N0={pages} kernelpagesize_kB=2048\n"
        return build({**kept, MAPS: kept[MAPS] + line, **dict(other)})

    return make


def failure_in(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_without_huge_pages(entries, build, outcomes):
    assert outcomes(build(entries), "NA317") == PASS


def test_silent_at_its_threshold(of, outcomes):
    assert outcomes(of(128), "NA317") == PASS


def test_names_the_pool_that_has_none(of, outcomes, judge):
    assert outcomes(of(129), "NA317") == FAIL
    failure = failure_in(judge(of(129), "NA317"))
    assert (failure.facts["off_mib"], str(failure.facts["numa_nodes"]), str(failure.facts["own_numa_nodes"])) == (258, "0", "1")
    assert [(each.path, each.text.split()[-1]) for each in failure.evidence] == [
        (MAPS, "kernelpagesize_kB=2048"),
        (f"{NODES}/node1/meminfo", "0"),
    ]
    assert failure.thresholds == {"off_mib": 256}


def test_silent_where_its_own_pool_has_free_pages(of, outcomes):
    assert outcomes(of(200, {f"{POOL}/nr_hugepages": "4\n", f"{POOL}/free_hugepages": "1\n"}.items()), "NA317") == PASS


def test_a_process_without_gpu_belongs_to_its_cpus(entries, removed, of, outcomes):
    kept = removed(entries, "commands/", "/fd/", "/environ", "/driver/")

    assert outcomes(of(200, kept=kept), "NA317") == {("pid:100", "pass"), ("pid:101", "fail")}


def test_silent_for_a_process_that_may_run_there_too(entries, removed, masked, of, outcomes):
    kept = masked(removed(entries, "commands/", "/fd/", "/environ", "/driver/"), 101, "0-7")

    assert outcomes(of(200, kept=kept), "NA317") == {("pid:100", "pass"), ("pid:101", "pass")}


def test_low_within_one_package(entries, in_one_package, of, judge):
    assert failure_in(judge(of(200, kept=in_one_package(entries)), "NA317")).severity is Severity.LOW


def test_unknown_where_its_own_pool_is_not_known(of, outcomes):
    meminfo = "Node 1 MemTotal: 16384000 kB\nNode 1 MemFree: 12288000 kB\n"

    assert outcomes(of(200, {f"{NODES}/node1/meminfo": meminfo}.items()), "NA317") == UNKNOWN


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, MAPS)), "NA317") == UNKNOWN


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA317") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
