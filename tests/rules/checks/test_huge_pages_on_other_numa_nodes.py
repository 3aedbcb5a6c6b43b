"""NA317: huge pages from another NUMA node's pool."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

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


# -- of a process above the guard


@pytest.fixture
def drawn(entries, build, sampled):
    """Process 101 with so many MiB of huge pages, of which so many of 2,000 random ones are on NUMA node 0, and its pool empty."""

    def make(mib, off, **resident):
        strata = {"anon": (4096, {1: 3000}), "hugetlb": (mib, {0: off, 1: 2000 - off})}
        status = entries[STATUS].replace("HugetlbPages:\t       0 kB", f"HugetlbPages:\t{mib << 10} kB")
        return build(sampled(entries, 101, "default", strata, **resident) | {STATUS: status})

    return make


STATUS = "root/proc/101/status"


@pytest.mark.parametrize(("mib", "off", "expected"), [(256, 2000, PASS), (4096, 0, PASS), (4096, 125, UNKNOWN), (4096, 400, FAIL)])
def test_a_sample_decides_where_its_whole_interval_does(drawn, outcomes, mib, off, expected):
    assert outcomes(drawn(mib, off), "NA317") == expected


def test_a_sampled_failure_is_likely_and_names_the_interval(drawn, judge):
    failure = failure_in(judge(drawn(4096, 400), "NA317"))

    assert (failure.confidence, failure.message, str(failure.facts["numa_nodes"])) == (Confidence.LIKELY, "sampled", "0")
    assert {name: failure.facts[name] for name in ("off_mib", "off_mib_low", "off_mib_high")} == {
        "off_mib": 819,
        "off_mib_low": 748,
        "off_mib_high": 893,
    }
    assert failure.evidence[0].path == "samples/pages-101.json"


def test_without_huge_pages_no_sample_is_needed(entries, build, sampled, outcomes):
    unsampled = sampled(entries, 101, "default", {})
    del unsampled["samples/pages-101.json"]

    assert outcomes(build(unsampled), "NA317") == PASS


def test_huge_pages_that_the_sample_took_for_others_are_unknown(drawn, entries, build, sampled, outcomes):
    status = entries[STATUS].replace("HugetlbPages:\t       0 kB", "HugetlbPages:\t4194304 kB")
    host = build(sampled(entries, 101, "default", {"shm": (4096, {0: 4000})}, HugetlbPages=4096, RssShmem=0) | {STATUS: status})

    assert outcomes(host, "NA317") == UNKNOWN
