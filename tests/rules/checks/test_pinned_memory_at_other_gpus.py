"""NA322: pinned memory of a process with GPUs of several NUMA nodes."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome

MAPS = "root/proc/100/numa_maps"
MIB = 256  # pages of 4 KiB
LINE = "7f{:04x}000000 {} file=/dev/zero\\040(deleted) dirty={} N{}={} kernelpagesize_kB=4\n"
APPS = "commands/nvidia-smi_--query-compute-apps=gpu_uuid,pid,process_name,used_memory_--format=csv.out"


def mapped(*parts):
    """numa_maps with (policy, pages, NUMA node) of pinned memory each."""
    return {MAPS: "".join(LINE.format(at, policy, pages, number, pages) for at, (policy, pages, number) in enumerate(parts))}


@pytest.fixture
def entries(root, removed, masked):
    """Process 100 alone, with both GPUs, its main thread bound beside the first and thread 110 beside the second."""
    alone = removed(root("2p-2n-2g"), "proc/101/")
    both = alone | {APPS: alone[APPS].replace(", 101, ", ", 100, ")}
    return masked(both, 100, "2-3,6-7", tids=(110,))


def test_silent_where_each_numa_node_has_some(entries, build, outcomes):
    assert outcomes(build(entries | mapped(("default", 768 * MIB, 0), ("default", 64 * MIB, 1))), "NA322") == {("rank:0", "pass")}


def test_pinned_memory_of_one_numa_node_only(entries, build, judge):
    (failure,) = judge(build(entries | mapped(("default", 768 * MIB, 0), ("default", 8 * MIB, 1))), "NA322")

    assert (failure.outcome, failure.severity, failure.confidence) == (Outcome.FAIL, None, Confidence.LIKELY)
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["without"])) == ("0-1", "1")
    assert (failure.facts["there_mib"], failure.facts["pinned_mib"]) == (8, 776)
    assert failure.thresholds == {"busy_part": 0.1, "pinned_mib": 256, "least_share": 0.05}
    assert (failure.evidence[0].path, failure.evidence[0].line) == (MAPS, 1)


def test_silent_for_little_pinned_memory(entries, build, outcomes):
    assert outcomes(build(entries | mapped(("default", 200 * MIB, 0))), "NA322") == {("rank:0", "pass")}


def test_an_interleave_does_not_count(entries, build, outcomes):
    assert outcomes(build(entries | mapped(("interleave:0-1", 768 * MIB, 0))), "NA322") == {("rank:0", "pass")}


@pytest.mark.parametrize("cpus", ["0-1,4-5", "0-7"], ids=["nobody there", "nobody bound"])
def test_does_not_apply_without_a_thread_bound_beside_each_gpu(entries, masked, build, outcomes, cpus):
    free = masked(entries, 100, cpus, tids=(110,))

    assert outcomes(build(free | mapped(("default", 768 * MIB, 0))), "NA322") == {("rank:0", "not_applicable")}


def test_does_not_apply_to_a_rank_with_one_gpu_or_within_one_package(host, entries, in_one_package, build, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA322") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
    assert outcomes(build(in_one_package(entries | mapped(("default", 768 * MIB, 0)))), "NA322") == {("rank:0", "not_applicable")}


@pytest.mark.parametrize("part", ["numa_maps", "/100/task/", "0000:98:00.0/numa_node"])
def test_unknown_without_its_evidence(entries, removed, build, outcomes, part):
    changed = removed(entries | mapped(("default", 768 * MIB, 0)), part, *(("local_cpulist", "topo") if "98" in part else ()))

    assert outcomes(build(changed), "NA322") == {("rank:0", "unknown")}


def test_unknown_where_pages_have_no_size(entries, build, outcomes):
    sized = mapped(("default", 768 * MIB, 0))[MAPS]

    assert outcomes(build(entries | {MAPS: sized.replace(" kernelpagesize_kB=4", "")}), "NA322") == {("rank:0", "unknown")}
