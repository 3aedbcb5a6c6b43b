"""NA321: memory of a process without a GPU, away from the CPUs it is kept on."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

MAPS = "root/proc/101/numa_maps"
LINE = "7f{:04x}000000 {} anon={} dirty={} N{}={} kernelpagesize_kB=4\n"
GIB = 1 << 18  # pages


@pytest.fixture
def entries(root, removed):
    """Process 101 alone, without a GPU, on NUMA node 1."""
    return removed(root("2p-2n-2g"), "proc/100/", "commands/", "/fd/", "/environ", "/driver/")


def mapped(*parts):
    """numa_maps with (policy, pages, NUMA node) each."""
    return {MAPS: "".join(LINE.format(at, policy, pages, pages, number, pages) for at, (policy, pages, number) in enumerate(parts))}


def test_silent_where_memory_is_with_the_cpus(entries, build, outcomes):
    assert outcomes(build(entries | mapped(("default", GIB, 1))), "NA321") == {("pid:101", "pass")}


def test_medium_where_most_of_it_is_elsewhere(entries, build, judge):
    (failure,) = judge(build(entries | mapped(("default", GIB, 0), ("default", GIB // 4, 1))), "NA321")

    assert (failure.outcome, failure.severity, failure.confidence) == (Outcome.FAIL, Severity.MEDIUM, Confidence.CERTAIN)
    assert (failure.facts["off_mib"], failure.facts["total_mib"], failure.facts["percent"]) == (1024, 1280, 80)
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["elsewhere"])) == ("1", "0")
    assert failure.thresholds == {"off_node_share": 0.25, "off_node_mib": 256, "high_share": 0.5}
    assert [(line.path, line.line) for line in failure.evidence] == [("root/proc/101/status", 16), (MAPS, 1)]


def test_low_where_a_part_of_it_is(entries, build, judge):
    (failure,) = judge(build(entries | mapped(("default", GIB // 2, 0), ("default", GIB, 1))), "NA321")

    assert (failure.outcome, failure.severity) == (Outcome.FAIL, None)


@pytest.mark.parametrize(("off", "own"), [(GIB // 4, 1), (GIB, 3 * GIB)])
def test_silent_at_its_thresholds(entries, build, outcomes, off, own):
    assert outcomes(build(entries | mapped(("default", off, 0), ("default", own, 1))), "NA321") == {("pid:101", "pass")}


@pytest.mark.parametrize(("off", "outcome"), [(10, "pass"), (16, "fail")], ids=["6 GiB that fit nowhere", "10 GiB that do"])
def test_what_its_numa_nodes_could_not_hold_has_to_spill(entries, build, outcomes, off, outcome):
    """NUMA node 1 has 15.6 GiB, the process 22."""
    assert outcomes(build(entries | mapped(("default", off * GIB, 0), ("default", (22 - off) * GIB, 1))), "NA321") == {("pid:101", outcome)}


def test_what_has_to_spill_makes_it_no_worse(entries, build, judge):
    (failure,) = judge(build(entries | mapped(("default", 16 * GIB, 0), ("default", 6 * GIB, 1))), "NA321")

    assert (failure.severity, failure.facts["percent"]) == (None, 72)


@pytest.mark.parametrize("policy", ["interleave:0-1", "bind:0", "prefer:0"])
def test_silent_where_a_policy_asks_for_it(entries, build, outcomes, policy):
    assert outcomes(build(entries | mapped((policy, GIB, 0))), "NA321") == {("pid:101", "pass")}


def test_does_not_apply_where_a_thread_may_leave(entries, masked, build, outcomes):
    wide = masked(entries | mapped(("default", GIB, 0)), 101, "0-7", tids=(111,))

    assert outcomes(build(wide), "NA321") == {("pid:101", "not_applicable")}


def test_does_not_apply_to_a_rank_with_a_gpu(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | mapped(("default", GIB, 0))), "NA321") == {
        ("rank:0", "not_applicable"),
        ("rank:1", "not_applicable"),
    }


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries) | mapped(("default", GIB, 0))), "NA321") == {("pid:101", "not_applicable")}


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, MAPS)), "NA321") == {("pid:101", "unknown")}


def test_unknown_where_only_its_beginning_was_read(entries, build, outcomes):
    assert outcomes(build(entries | {MAPS: "7f0000000000 default anon=76"}), "NA321") == {("pid:101", "unknown")}


NUMASTAT = """\
Per-node process memory usage (in MBs) for PID 101 (worker)
                           Node 0          Node 1           Total
                  --------------- --------------- ---------------
Huge                         0.00            0.00            0.00
Heap                         1.00            1.00            2.00
Stack                        0.02            0.01            0.03
Private                   3000.00         1000.00         4000.00
----------------  --------------- --------------- ---------------
Total                     3001.02         1001.01         4002.03
"""


def test_numastat_tells_where_numa_maps_does_not(entries, removed, build, judge):
    (failure,) = judge(build(removed(entries, MAPS) | {"commands/numastat_-p_101.out": NUMASTAT}), "NA321")

    assert (failure.outcome, failure.severity, failure.confidence) == (Outcome.FAIL, Severity.MEDIUM, Confidence.LIKELY)
    assert (failure.facts["off_mib"], failure.facts["total_mib"]) == (3001, 4002)


# -- of a process above the guard

SMALL = {"root/sys/devices/system/node/node1/meminfo": f"Node 1 MemTotal: {2 << 20} kB\nNode 1 MemFree: 0 kB\n"}  # 2 GiB


@pytest.fixture
def drawn(entries, build, sampled):
    """The process sampled: 4 GiB, of which so many of 4,000 random pages lie on NUMA node 0."""
    return lambda off, policy="default", more={}: build(sampled(entries | more, 101, policy, {"anon": (4096, {0: off, 1: 4000 - off})}))


@pytest.mark.parametrize(("off", "outcome"), [(800, "pass"), (1000, "unknown"), (1200, "fail")])
def test_what_the_interval_does_not_decide_is_unknown(drawn, outcomes, off, outcome):
    assert outcomes(drawn(off), "NA321") == {("pid:101", outcome)}


@pytest.mark.parametrize(("off", "outcome"), [(2800, "pass"), (3000, "unknown"), (3200, "fail")])
def test_of_a_sample_too_only_what_had_no_need_to_spill_counts(drawn, outcomes, off, outcome):
    assert outcomes(drawn(off, more=SMALL), "NA321") == {("pid:101", outcome)}


def test_a_sample_makes_it_likely_and_says_how_much(drawn, judge):
    (failure,) = judge(drawn(2400), "NA321")

    assert (failure.confidence, failure.severity) == (Confidence.LIKELY, Severity.MEDIUM)
    assert (failure.facts["off_mib"], failure.facts["total_mib"], failure.evidence[-1].path) == (2457, 4096, "samples/pages-101.json")


def test_unknown_where_a_sample_cannot_tell_which_memory_has_a_policy(drawn, outcomes):
    assert outcomes(drawn(3200, "interleave:0-1"), "NA321") == {("pid:101", "unknown")}


def test_silent_for_memory_without_cpus_that_is_not_known_to_be_nearer_to_others(entries, build, outcomes):
    far_memory = {
        "root/sys/devices/system/node/node2/cpulist": "\n",
        "root/sys/devices/system/node/node2/meminfo": "Node 2 MemTotal: 16384000 kB\nNode 2 MemFree: 0 kB\n",
    }

    assert outcomes(build(entries | far_memory | mapped(("default", GIB, 2))), "NA321") == {("pid:101", "pass")}
