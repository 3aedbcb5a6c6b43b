"""NA208: ranks on the same cores while others are left over."""

import pytest

from numaaudit.rules.finding import Outcome

BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}
BOTH_FAIL = {("rank:0", "fail"), ("rank:1", "fail")}
NONE_APPLIES = {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


@pytest.fixture
def bound(root, masked):
    """Both ranks with masks of their own."""
    return lambda first, second: masked(masked(root("2p-2n-2g"), 100, first), 101, second)


def test_silent_with_cores_of_their_own(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA208") == BOTH_PASS


def test_one_slice_for_both(bound, build, outcomes, judge):
    host = build(bound("0", "0"))

    assert outcomes(host, "NA208") == BOTH_FAIL
    first, _ = judge(host, "NA208")
    assert (first.subject, str(first.facts["shared"]), str(first.facts["unused"])) == ("rank:0", "0,4", "1,5")
    assert first.related == ("pid:100", "gpu:0000:17:00.0", "rank:1")
    assert [(each.path, each.text) for each in first.evidence] == [
        ("root/proc/100/status", "Cpus_allowed_list:\t0"),
        ("root/proc/101/status", "Cpus_allowed_list:\t0"),
    ]


def test_siblings_of_the_same_cores(bound, build, outcomes):
    assert outcomes(build(bound("0", "4")), "NA208") == BOTH_FAIL


def test_silent_where_they_share_a_whole_numa_node(bound, build, outcomes):
    assert outcomes(build(bound("0-1,4-5", "0-1,4-5")), "NA208") == BOTH_PASS


def test_silent_where_no_core_is_left_over(bound, build, outcomes):
    assert outcomes(build(bound("0-2,4-6", "1-3,5-7")), "NA208") == BOTH_PASS


def test_ranks_with_all_of_the_host_or_cpuset_have_no_mask_of_their_own(bound, build, outcomes):
    small = bound("0-1", "0-1") | {"root/sys/fs/cgroup/work/cpuset.cpus.effective": "0-1\n"}

    assert outcomes(build(bound("0-7", "0-7")), "NA208") == NONE_APPLIES
    assert outcomes(build(small), "NA208") == NONE_APPLIES


def test_silent_for_ranks_of_one_gpu(bound, build, outcomes):
    entries = bound("0-1", "0-1")
    table = next(path for path in entries if "compute-apps" in path)
    entries[table] = entries[table].replace("GPU-11111111", "GPU-00000000")

    assert outcomes(build(entries), "NA208") == NONE_APPLIES


def test_unknown_without_a_mask(bound, build, judge):
    host = build(bound("0-1", "0-1") | {"root/proc/101/status": "Name:\tpython3\nPid:\t101\n"})

    assert {(each.subject, each.outcome) for each in judge(host, "NA208")} == {
        ("rank:0", Outcome.NOT_APPLICABLE),
        ("rank:1", Outcome.UNKNOWN),
    }
