"""NA203: more threads that want to run than CPUs they may use."""

import re

import pytest

from numaaudit.rules.finding import Confidence, Outcome

BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}


def with_threads(entries, pid, count, state="R"):
    """The entries with this many more threads of a process in one state, alike but for their number."""
    changed = dict(entries)
    status, stat = entries[f"root/proc/{pid}/task/{pid}/status"], entries[f"root/proc/{pid}/task/{pid}/stat"]
    for tid in range(500, 500 + count):
        changed[f"root/proc/{pid}/task/{tid}/status"] = status.replace(f"Pid:\t{pid}\n", f"Pid:\t{tid}\n")
        changed[f"root/proc/{pid}/task/{tid}/stat"] = stat.replace(") S ", f") {state} ")
    main = f"root/proc/{pid}/status"
    return changed | {main: re.sub(r"Threads:\t\d+", f"Threads:\t{count + 2}", entries[main])}


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def test_silent_where_nothing_waits(entries, build, outcomes):
    assert outcomes(build(entries), "NA203") == BOTH_PASS


def test_silent_with_as_many_as_cpus(entries, build, outcomes):
    assert outcomes(build(with_threads(entries, 101, 4)), "NA203") == BOTH_PASS


def test_silent_with_many_sleeping_threads(entries, build, outcomes):
    assert outcomes(build(with_threads(entries, 101, 40, state="S")), "NA203") == BOTH_PASS


def test_six_runnable_threads_on_four_cpus_fail(entries, build, outcomes, judge):
    host = build(with_threads(entries, 101, 6))

    assert outcomes(host, "NA203") == {("rank:0", "pass"), ("rank:1", "fail")}
    failure = next(each for each in judge(host, "NA203") if each.outcome is Outcome.FAIL)
    assert (failure.facts["num_runnable"], str(failure.facts["cpus"]), failure.confidence) == (6, "2-3,6-7", Confidence.LIKELY)
    assert failure.thresholds == {"least_runnable": 4, "runnable_per_cpu": 1.5}
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", "Cpus_allowed_list:\t2-3,6-7"),
        ("root/proc/101/task/505/status", "Cpus_allowed_list:\t2-3,6-7"),
    ]


def test_threads_are_counted_against_their_own_cpus(entries, masked, build, outcomes):
    pinned = masked(with_threads(entries, 101, 4), 101, "3", tids=(500, 501, 502, 503))

    assert outcomes(build(pinned), "NA203") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_two_on_one_cpu_are_too_few_to_tell(entries, masked, build, outcomes):
    assert outcomes(build(masked(with_threads(entries, 101, 2), 101, "3")), "NA203") == BOTH_PASS


def test_a_process_without_gpu_is_judged_by_pid(entries, removed, build, outcomes):
    kept = removed(with_threads(entries, 101, 8), "commands/", "/fd/", "/environ", "/driver/")

    assert outcomes(build(kept), "NA203") == {("pid:100", "pass"), ("pid:101", "fail")}


def test_unknown_where_threads_were_not_read(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, "/101/task/111/")), "NA203") == {("rank:0", "pass"), ("rank:1", "unknown")}
