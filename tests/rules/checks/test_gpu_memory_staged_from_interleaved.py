"""NA316: interleaved memory that feeds a GPU."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

MAPS = "root/proc/101/numa_maps"
MEMINFO = "root/sys/devices/system/node/node1/meminfo"
PASS, FAIL, UNKNOWN = ({("rank:0", "pass"), ("rank:1", outcome)} for outcome in ("pass", "fail", "unknown"))
MIB = 256  # pages of 4 KiB
PINNED = "file=/dev/zero\\040(deleted) dirty=1"


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def line(policy, mib, what="anon=1 dirty=1"):
    """A mapping with so many MiB on NUMA node 0 and as many on 1."""
    return f"7e0000000000 {policy} {what} N0={mib * MIB} N1={mib * MIB} kernelpagesize_kB=4\n"


def failure_in(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_without_interleave(entries, build, outcomes):
    assert outcomes(build(entries | {MAPS: line("default", 600)}), "NA316") == PASS


@pytest.mark.parametrize("policy", ["interleave:0-1", "weighted interleave:0-1"])
def test_interleaved_memory_of_a_rank_on_the_gpus_cpus(entries, build, outcomes, judge, policy):
    host = build(entries | {MAPS: line(policy, 600)})

    assert outcomes(host, "NA316") == FAIL
    failure = failure_in(judge(host, "NA316"))
    assert (failure.facts["off_mib"], str(failure.facts["numa_nodes"]), failure.facts["room_mib"]) == (600, "0", 12200)
    assert [(each.path, each.line) for each in failure.evidence] == [
        (MAPS, 1),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", 1),
        ("root/sys/devices/system/node/node1/cpulist", 1),
    ]
    assert failure.thresholds == {"off_mib": 256}


def test_silent_at_its_threshold(entries, build, outcomes):
    assert outcomes(build(entries | {MAPS: line("interleave:0-1", 256)}), "NA316") == PASS


def test_silent_where_cpus_of_several_numa_nodes_stream(entries, masked, build, outcomes):
    assert outcomes(build(masked(entries, 101, "0-7") | {MAPS: line("interleave:0-1", 600)}), "NA316") == PASS


def test_pinned_buffers_wherever_the_cpus_are(entries, masked, build, outcomes):
    assert outcomes(build(masked(entries, 101, "0-7") | {MAPS: line("interleave:0-1", 600, PINNED)}), "NA316") == FAIL


def test_silent_for_a_process_without_gpu(entries, removed, build, outcomes):
    kept = removed(entries, "commands/", "/fd/", "/environ", "/driver/")

    assert outcomes(build(kept | {MAPS: line("interleave:0-1", 600)}), "NA316") == set()


def test_silent_where_the_gpus_numa_node_has_no_room(entries, build, outcomes):
    full = {MEMINFO: "Node 1 MemTotal: 16384000 kB\nNode 1 MemFree: 409600 kB\n"}

    assert outcomes(build(entries | full | {MAPS: line("interleave:0-1", 600)}), "NA316") == PASS


def test_a_note_within_one_package(entries, in_one_package, build, judge):
    assert failure_in(judge(build(in_one_package(entries) | {MAPS: line("interleave:0-1", 600)}), "NA316")).severity is Severity.INFO


@pytest.mark.parametrize("path", [MAPS, MEMINFO])
def test_unknown_without_numa_maps_or_meminfo(entries, removed, build, outcomes, path):
    assert outcomes(build(removed(entries | {MAPS: line("interleave:0-1", 600)}, path)), "NA316") == UNKNOWN


def test_unknown_where_only_the_first_bytes_were_read(entries, build, outcomes):
    assert outcomes(build(entries | {MAPS: "7f0000000000 interleave:0-1 anon=76"}), "NA316") == UNKNOWN


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA316") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


# -- of a process above the guard


@pytest.fixture
def drawn(entries, build, sampled):
    """Process 101 under a policy, sampled: of 4,000 pages of a kind so many lie on NUMA node 0."""

    def make(policy, off, kept=entries, mib=4096, kind="anon"):
        strata = {"anon": (1024, {1: 3000}), kind: (mib, {0: off, 1: 4000 - off})}
        return build(sampled(kept, 101, policy, strata))

    return make


@pytest.mark.parametrize(("off", "expected"), [(2000, FAIL), (0, PASS), (250, UNKNOWN)])
def test_a_sample_decides_of_a_main_thread_that_interleaves(drawn, outcomes, off, expected):
    assert outcomes(drawn("interleave:0-1", off), "NA316") == expected


def test_a_sampled_failure_is_likely_and_names_the_interval(drawn, judge):
    failure = failure_in(judge(drawn("interleave:0-1", 2000), "NA316"))

    assert (failure.confidence, failure.message, failure.evidence[0].path) == (Confidence.LIKELY, "sampled", "samples/pages-101.json")
    assert 1900 < failure.facts["off_mib"] < 2048 < failure.facts["off_mib_high"] < 2200


def test_of_a_large_process_under_another_policy_single_mappings_may_interleave(drawn, outcomes):
    assert outcomes(drawn("default", 2000), "NA316") == UNKNOWN


def test_beside_cpus_that_stream_only_sampled_pinned_buffers_count(drawn, entries, masked, outcomes):
    wide = masked(entries, 101, "0-7")

    assert outcomes(drawn("interleave:0-1", 2000, wide, kind="pinned"), "NA316") == FAIL
    assert outcomes(drawn("interleave:0-1", 0, wide, kind="pinned"), "NA316") == PASS


def test_silent_where_the_sampled_memory_has_no_room_at_home(drawn, outcomes):
    assert outcomes(drawn("interleave:0-1", 2000, mib=40_000), "NA316") == PASS


def test_unknown_where_only_a_part_of_the_interval_has_room(drawn, outcomes):
    assert outcomes(drawn("interleave:0-1", 2000, mib=24_400), "NA316") == UNKNOWN
