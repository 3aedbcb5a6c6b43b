"""NA204: threads that are wider than the main thread and do work."""

import re

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

BOTH_PASS = {("rank:0", "pass"), ("rank:1", "pass")}
RANK_1_FAILS = {("rank:0", "pass"), ("rank:1", "fail")}


def born(entries, tid, ticks):
    """The entries with another start time of a thread of process 101."""
    changed = dict(entries)
    for path, text in entries.items():
        if path.endswith(f"proc/101/task/{tid}/stat"):
            changed[path] = re.sub(r" 0 500[01] 1000000 ", f" 0 {ticks} 1000000 ", text)
    return changed


def with_thread(entries, tid, ticks):
    """The entries with one more thread of process 101, like its worker."""
    changed = entries | {"root/proc/101/status": entries["root/proc/101/status"].replace("Threads:\t2", "Threads:\t3")}
    for path in [path for path in entries if "/101/task/111/" in path]:
        changed[path.replace("/task/111/", f"/task/{tid}/")] = entries[path].replace("Pid:\t111\n", f"Pid:\t{tid}\n")
    return born(changed, tid, ticks)


def failure_of(judgements):
    (failure,) = [each for each in judgements if each.outcome is Outcome.FAIL]
    return failure


@pytest.fixture
def entries(root):
    return root("2p-2n-2g")


def test_silent_where_all_threads_have_one_mask(entries, build, outcomes):
    assert outcomes(build(entries), "NA204") == BOTH_PASS


def test_a_main_thread_bound_alone(entries, masked, build, outcomes, judge):
    host = build(masked(entries, 101, "0-7", tids=(111,)))

    assert outcomes(host, "NA204") == RANK_1_FAILS
    failure = failure_of(judge(host, "NA204"))
    assert (failure.message, failure.severity, failure.confidence) == ("main-only", None, Confidence.CERTAIN)
    assert (str(failure.facts["cpus"]), str(failure.facts["wide_cpus"]), failure.facts["percent"]) == ("2-3,6-7", "0-7", 20)
    assert "tid:111" in failure.related
    assert failure.thresholds == {"busy_share": 0.05}
    assert [(each.path, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", "Cpus_allowed_list:\t2-3,6-7"),
        ("root/proc/101/task/111/status", "Cpus_allowed_list:\t0-7"),
    ]


def test_a_late_bind_is_shown_by_dates(entries, masked, build, judge):
    host = build(masked(with_thread(entries, 112, 9000), 101, "0-7", tids=(111,)))

    assert failure_of(judge(host, "NA204")).message == "late"


def test_a_younger_wide_thread_took_its_mask_off(entries, masked, build, judge):
    host = build(masked(with_thread(entries, 112, 4000), 101, "0-7", tids=(111,)))

    assert failure_of(judge(host, "NA204")).message is None


def test_silent_where_the_wide_thread_is_idle(entries, masked, build, outcomes):
    wide = masked(entries, 101, "0-7", tids=(111,))
    wide["again/1/root/proc/101/task/111/stat"] = wide["root/proc/101/task/111/stat"]

    assert outcomes(build(wide), "NA204") == BOTH_PASS


def test_silent_where_the_threads_are_wider_on_the_same_numa_node(entries, masked, build, outcomes):
    narrow = masked(entries, 101, "2", tids=(101,))
    narrow["root/proc/101/status"] = narrow["root/proc/101/status"].replace("2-3,6-7", "2")

    assert outcomes(build(narrow), "NA204") == BOTH_PASS


def test_silent_where_the_main_thread_is_wide_too(entries, masked, build, outcomes):
    assert outcomes(build(masked(entries, 101, "0-7")), "NA204") == BOTH_PASS


def test_low_within_one_package(entries, masked, in_one_package, build, judge):
    host = build(in_one_package(masked(entries, 101, "0-7", tids=(111,))))

    assert failure_of(judge(host, "NA204")).severity is Severity.LOW


def test_one_reading_makes_it_likely(entries, masked, removed, build, judge):
    host = build(removed(masked(entries, 101, "0-7", tids=(111,)), "again/"))

    assert failure_of(judge(host, "NA204")).confidence is Confidence.LIKELY


def test_unknown_where_threads_were_not_read(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, "/101/task/111/")), "NA204") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA204") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
