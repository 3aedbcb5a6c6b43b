"""NA302: a large mapped file in the page cache of another NUMA node."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

MAPS = "root/proc/101/numa_maps"
GIB = 262144  # pages of 4 KiB


@pytest.fixture
def entries(root, removed):
    """Process 101 alone, without a GPU, on NUMA node 1."""
    return removed(root("2p-2n-2g"), "proc/100/", "commands/", "/fd/", "/environ", "/driver/")


def mapping(entries, pages, file="/models/weights.gguf"):
    return entries | {MAPS: entries[MAPS] + f"7e0000000000 default file={file} mapped=1 {pages} kernelpagesize_kB=4\n"}


def test_silent_where_the_file_is_local(entries, build, outcomes):
    assert outcomes(build(mapping(entries, f"N1={2 * GIB}")), "NA302") == {("pid:101", "pass")}


def test_a_file_on_the_other_numa_node(entries, build, outcomes, judge):
    host = build(mapping(entries, f"N0={2 * GIB} N1={GIB}"))

    assert outcomes(host, "NA302") == {("pid:101", "fail")}
    (failure,) = judge(host, "NA302")
    assert (failure.facts["off_mib"], failure.facts["total_mib"], failure.facts["file"]) == (2048, 3072, "/models/weights.gguf")
    assert (str(failure.facts["numa_nodes"]), str(failure.facts["own_numa_nodes"]), failure.severity) == ("0", "1", None)
    assert failure.thresholds == {"file_mib": 1024, "off_share": 0.5}
    assert [each.path for each in failure.evidence] == [MAPS, "root/proc/101/status"]
    assert failure.evidence[0].line == 5


@pytest.mark.parametrize(
    ("pages", "file"),
    [
        (f"N0={GIB - 1}", "/models/small.gguf"),
        (f"N0={GIB} N1={GIB}", "/models/half.gguf"),
        (f"N0={2 * GIB}", "/usr/lib/libtorch_cuda.so"),
        (f"N0={2 * GIB}", "/usr/lib/libcuda.so.550.54"),
    ],
)
def test_silent_for_small_files_even_ones_and_libraries(entries, build, outcomes, pages, file):
    assert outcomes(build(mapping(entries, pages, file)), "NA302") == {("pid:101", "pass")}


def test_a_note_for_a_process_that_copies_to_a_gpu(root, build, judge):
    failures = [each for each in judge(build(mapping(root("2p-2n-2g"), f"N0={2 * GIB}")), "NA302") if each.outcome is Outcome.FAIL]

    assert [(each.subject, each.severity) for each in failures] == [("rank:1", Severity.INFO)]


def test_a_process_that_may_run_everywhere_reads_nothing_from_afar(entries, masked, build, outcomes):
    host = build(mapping(masked(entries, 101, "0-7"), f"N0={2 * GIB}"))

    assert outcomes(host, "NA302") == {("pid:101", "not_applicable")}


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, "numa_maps")), "NA302") == {("pid:101", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA302") == {("pid:101", "not_applicable")}
