"""NA207: groups of threads that each span packages."""

import pytest


@pytest.fixture
def entries(root, removed, masked):
    """Process 101 alone, without a GPU, its main thread wide, with a second worker."""
    changed = masked(removed(root("2p-2n-2g"), "proc/100/", "commands/", "/fd/", "/environ", "/driver/"), 101, "0-7")
    changed["root/proc/101/status"] = changed["root/proc/101/status"].replace("Threads:\t2", "Threads:\t3")
    for path in [path for path in changed if "/101/task/111/" in path]:
        changed[path] = changed[path].replace(" 200 0 ", " 900 0 ").replace(" 220 0 ", " 990 0 ")
        changed[path.replace("/task/111/", "/task/112/")] = changed[path].replace("Pid:\t111\n", "Pid:\t112\n")
    return changed


def grouped(entries, masked, first, second):
    return masked(masked(entries, 101, first, tids=(111,)), 101, second, tids=(112,))


def test_silent_without_groups(entries, build, outcomes):
    assert outcomes(build(entries), "NA207") == {("pid:101", "pass")}


def test_silent_with_one_group_on_each_numa_node(entries, masked, build, outcomes):
    assert outcomes(build(grouped(entries, masked, "0-1,4-5", "2-3,6-7")), "NA207") == {("pid:101", "pass")}


def test_groups_by_number_that_span_packages(entries, masked, build, outcomes, judge):
    host = build(grouped(entries, masked, "0-3", "4-7"))

    assert outcomes(host, "NA207") == {("pid:101", "fail")}
    (failure,) = judge(host, "NA207")
    assert (failure.facts["num_groups"], failure.facts["groups"]) == (2, "0-3 and 4-7")
    assert failure.facts["ranges"] == "0: 0-1,4-5; 1: 2-3,6-7"
    assert failure.thresholds == {"busy_part": 0.25}
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/task/111/status", "Cpus_allowed_list:\t0-3"),
        ("root/proc/101/task/112/status", "Cpus_allowed_list:\t4-7"),
        ("root/sys/devices/system/node/node0/cpulist", "0-1,4-5"),
    ]


def test_silent_where_groups_overlap(entries, masked, build, outcomes):
    assert outcomes(build(grouped(entries, masked, "0-3", "3-7")), "NA207") == {("pid:101", "pass")}


def test_silent_where_one_group_is_at_home(entries, masked, build, outcomes):
    assert outcomes(build(grouped(entries, masked, "0-1", "2-7")), "NA207") == {("pid:101", "pass")}


def test_silent_where_the_second_group_does_nothing(entries, masked, build, outcomes):
    idle = grouped(entries, masked, "0-3", "4-7")
    idle["again/1/root/proc/101/task/112/stat"] = idle["root/proc/101/task/112/stat"]

    assert outcomes(build(idle), "NA207") == {("pid:101", "pass")}


def test_a_rank_with_a_gpu_is_not_its_business(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA207") == set()


def test_unknown_where_threads_were_not_read(entries, masked, removed, build, outcomes):
    kept = removed(grouped(entries, masked, "0-3", "4-7"), "/101/task/112/")

    assert outcomes(build(kept), "NA207") == {("pid:101", "unknown")}


def test_does_not_apply_in_one_package(entries, masked, in_one_package, build, outcomes):
    host = build(in_one_package(grouped(entries, masked, "0-3", "4-7")))

    assert outcomes(host, "NA207") == {("pid:101", "not_applicable")}
