"""NA206: all threads of a process on one CPU."""

import pytest

from numaaudit.rules.finding import Outcome

BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}
RANK_1_FAILS = {("rank:0", "pass"), ("rank:1", "fail")}


@pytest.fixture
def squeezed(root, masked):
    """Rank 1 with all threads on CPU 3; its worker uses a fifth of the time."""
    return masked(root("2p-2n-2g"), 101, "3")


def with_variable(entries, text):
    return entries | {"root/proc/101/environ": entries["root/proc/101/environ"] + f"{text}\0"}


def failure_of(judgements):
    (failure,) = [each for each in judgements if each.outcome is Outcome.FAIL]
    return failure


def test_silent_with_a_whole_numa_node(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA206") == BOTH_PASS


def test_busy_threads_of_a_rank_on_one_cpu(squeezed, build, outcomes, judge):
    host = build(squeezed)

    assert outcomes(host, "NA206") == RANK_1_FAILS
    failure = failure_of(judge(host, "NA206"))
    assert (failure.message, failure.facts["num_threads"], str(failure.facts["cpus"]), failure.facts["num_allowed"]) == (None, 2, "3", 8)
    assert failure.thresholds == {"least_cpus": 4, "shared_share": 0.1}


def test_openmp_is_named_where_the_environment_asks_it_to_bind(squeezed, build, judge):
    failure = failure_of(judge(build(with_variable(squeezed, "OMP_PROC_BIND=TRUE")), "NA206"))

    assert (failure.message, failure.facts["variable"]) == ("openmp", "OMP_PROC_BIND")
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", "Cpus_allowed_list:\t3"),
        ("root/proc/101/environ", "OMP_PROC_BIND=TRUE"),
        ("root/sys/fs/cgroup/work/cpuset.cpus.effective", "0-7"),
    ]


def quiet(entries):
    """The entries whose worker thread of rank 1 does nothing between the readings."""
    return entries | {"again/1/root/proc/101/task/111/stat": entries["root/proc/101/task/111/stat"]}


def test_silent_with_one_busy_thread(squeezed, build, outcomes):
    assert outcomes(build(quiet(squeezed)), "NA206") == BOTH_PASS


def test_openmp_squeezes_idle_threads_too(squeezed, build, outcomes):
    assert outcomes(build(with_variable(quiet(squeezed), "OMP_PLACES=cores")), "NA206") == RANK_1_FAILS


def test_silent_where_openmp_is_told_not_to_bind(squeezed, build, outcomes):
    assert outcomes(build(with_variable(quiet(squeezed), "OMP_PROC_BIND=false\0OMP_PLACES=cores")), "NA206") == BOTH_PASS


def test_silent_in_a_small_cpuset(squeezed, build, outcomes):
    assert outcomes(build(squeezed | {"root/sys/fs/cgroup/work/cpuset.cpus.effective": "1,3\n"}), "NA206") == BOTH_PASS


def test_silent_where_one_thread_has_more(squeezed, masked, build, outcomes):
    assert outcomes(build(masked(squeezed, 101, "2-3", tids=(111,))), "NA206") == BOTH_PASS


def test_a_process_of_one_thread_cannot_be_squeezed(squeezed, removed, build, outcomes):
    entries = removed(squeezed, "/101/task/111/")
    entries["root/proc/101/status"] = entries["root/proc/101/status"].replace("Threads:\t2", "Threads:\t1")

    assert outcomes(build(entries), "NA206") == {("rank:0", "pass"), ("rank:1", "not_applicable")}


@pytest.mark.parametrize("gone", ["/sys/fs/cgroup", "/101/task/111/"])
def test_unknown_without_the_cpuset_or_the_threads(squeezed, removed, build, outcomes, gone):
    assert ("rank:1", "unknown") in outcomes(build(removed(squeezed, gone)), "NA206")
