"""NA303: a strict memory policy that does not fit the mask."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

MAPS = "root/proc/101/numa_maps"
LINE = "7f0000000000 {} anon={pages} dirty={pages} N{numa_node}={pages} kernelpagesize_kB=4\n"


def bound(entries, policy, numa_node, pages=131072):
    """The entries with half a GiB under a policy, for process 101."""
    return entries | {MAPS: LINE.format(policy, pages=pages, numa_node=numa_node)}


@pytest.fixture
def entries(root, removed):
    """Process 101 alone, without a GPU, on NUMA node 1."""
    return removed(root("2p-2n-2g"), "proc/100/", "commands/", "/fd/", "/environ", "/driver/")


def test_silent_without_a_strict_policy(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA303") == {("rank:0", "pass"), ("rank:1", "pass")}


@pytest.mark.parametrize("policy", ["bind:1", "bind:0-1", "prefer:0", "interleave:0-1"])
def test_silent_where_the_bind_covers_the_cpus_or_is_not_strict(entries, build, outcomes, policy):
    assert outcomes(build(bound(entries, policy, 1)), "NA303") == {("pid:101", "pass")}


def test_memory_bound_to_the_other_numa_node(entries, build, outcomes, judge):
    host = build(bound(entries, "bind:0", 0))

    assert outcomes(host, "NA303") == {("pid:101", "fail")}
    (failure,) = judge(host, "NA303")
    assert (failure.severity, failure.message, failure.facts["bound_mib"]) == (None, None, 512)
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["mems"])) == ("1", "0")
    assert failure.thresholds == {"bound_mib": 256, "off_node_share": 0.25}
    assert [(each.path, each.line) for each in failure.evidence] == [("root/proc/101/status", 16), (MAPS, 1)]


def test_memory_bound_to_a_part_of_the_cpus_numa_nodes(entries, masked, build, judge):
    (failure,) = judge(build(bound(masked(entries, 101, "0-7"), "bind:0", 0)), "NA303")

    assert (failure.outcome, failure.message, failure.severity) == (Outcome.FAIL, "part", Severity.LOW)


def with_idle_main(entries):
    """The entries with 2 of 22 ticks between the readings for the main thread, and 20 for thread 111."""
    path = "again/1/root/proc/101/task/101/stat"
    return entries | {path: entries[path].replace(" 880 0 ", " 802 0 ")}


def test_threads_that_do_the_work_count_and_not_an_idle_main_thread(entries, masked, build, judge):
    main_inside = masked(masked(with_idle_main(entries), 101, "0-1,4-5"), 101, "2-3,6-7", tids=(111,))
    (failure,) = judge(build(bound(main_inside, "bind:0", 0)), "NA303")

    assert (failure.outcome, failure.message, failure.severity) == (Outcome.FAIL, "threads", None)
    assert (str(failure.facts["cpus"]), failure.facts["percent"], failure.confidence) == ("2-3,6-7", 90, Confidence.CERTAIN)


def test_threads_that_are_weighed_by_one_reading_are_likely(entries, masked, removed, build, judge):
    total = with_idle_main(entries) | {"root/proc/101/task/101/stat": entries["root/proc/101/task/101/stat"].replace(" 800 0 ", " 20 0 ")}
    main_inside = masked(masked(removed(total, "again/"), 101, "0-1,4-5"), 101, "2-3,6-7", tids=(111,))
    (failure,) = judge(build(bound(main_inside, "bind:0", 0)), "NA303")

    assert (failure.message, failure.confidence) == ("threads", Confidence.LIKELY)


def test_a_part_of_the_work_elsewhere_is_low(entries, masked, build, judge):
    halves = masked(masked(entries, 101, "0-1,4-5"), 101, "2-3,6-7", tids=(111,))
    path = "again/1/root/proc/101/task/101/stat"
    (failure,) = judge(build(bound(halves | {path: halves[path].replace(" 880 0 ", " 830 0 ")}, "bind:0", 0)), "NA303")

    assert (failure.message, failure.severity, failure.facts["percent"]) == ("threads", Severity.LOW, 40)


def test_silent_where_the_work_is_beside_its_memory_and_only_an_idle_main_thread_is_wide(entries, masked, build, outcomes):
    wide = masked(masked(with_idle_main(entries), 101, "0-7"), 101, "0-1,4-5", tids=(111,))

    assert outcomes(build(bound(wide, "bind:0", 0)), "NA303") == {("pid:101", "pass")}


def test_the_main_thread_stands_for_threads_that_are_not_known(entries, masked, removed, build, outcomes):
    wide = removed(masked(with_idle_main(entries), 101, "0-7"), "/101/task/")

    assert outcomes(build(bound(wide, "bind:0", 0)), "NA303") == {("pid:101", "fail")}


def test_low_within_one_package(entries, in_one_package, build, judge):
    (failure,) = judge(build(in_one_package(bound(entries, "bind:0", 0))), "NA303")

    assert failure.severity is Severity.LOW


def test_silent_for_a_piece_that_the_program_bound_itself(entries, build, outcomes):
    own = entries | {MAPS: entries[MAPS] + LINE.format("bind:0", pages=131072, numa_node=0)}

    assert outcomes(build(own), "NA303") == {("pid:101", "pass")}


def test_silent_for_a_few_pages(entries, build, outcomes):
    assert outcomes(build(bound(entries, "bind:0", 0, pages=100)), "NA303") == {("pid:101", "pass")}


def test_silent_where_the_bind_is_to_the_gpus_numa_node(root, masked, build, outcomes):
    host = build(bound(masked(root("2p-2n-2g"), 101, "0-7"), "bind:1", 1))

    assert outcomes(host, "NA303") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_silent_for_memory_without_cpus_that_is_nearest(entries, build, outcomes):
    far = "root/sys/devices/system/node/node2"
    more = {
        f"{far}/cpulist": "\n",
        f"{far}/meminfo": "Node 2 MemTotal: 16384 kB\nNode 2 MemFree: 16384 kB\n",
        f"{far}/distance": "28 14 10\n",
        "root/sys/devices/system/node/node0/distance": "10 21 28\n",
        "root/sys/devices/system/node/node1/distance": "21 10 14\n",
    }

    assert outcomes(build(bound(entries, "bind:2", 2) | more), "NA303") == {("pid:101", "pass")}


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, "numa_maps")), "NA303") == {("pid:101", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA303") == {("pid:101", "not_applicable")}


@pytest.mark.parametrize(("policy", "mib", "outcome"), [("bind:0", 4096, "fail"), ("bind:0", 100, "pass"), ("default", 4096, "pass")])
def test_of_a_large_process_the_head_shows_the_policy_and_a_sample_the_amount(entries, build, sampled, outcomes, policy, mib, outcome):
    assert outcomes(build(sampled(entries, 101, policy, {"anon": (mib, {0: 4000})})), "NA303") == {("pid:101", outcome)}


def test_a_failure_by_a_sample_is_likely(entries, build, sampled, judge):
    (failure,) = judge(build(sampled(entries, 101, "bind:0", {"anon": (4096, {0: 4000})})), "NA303")

    assert (failure.confidence, failure.facts["bound_mib"]) == (Confidence.LIKELY, 4096)
    assert [(each.path, each.line) for each in failure.evidence] == [
        ("root/proc/101/status", 16),
        (MAPS, 1),
        ("samples/pages-101.json", None),
    ]


@pytest.mark.parametrize(("policy", "outcome"), [("bind:0", "unknown"), ("default", "pass")])
def test_without_a_sample_only_a_bind_is_unknown(entries, build, sampled, outcomes, policy, outcome):
    unsampled = sampled(entries, 101, policy, {})
    del unsampled["samples/pages-101.json"]

    assert outcomes(build(unsampled), "NA303") == {("pid:101", outcome)}
