"""NA319: threads of one process under different memory policies."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

MAPS = "root/proc/101/numa_maps"
WORKER = "root/proc/101/task/111/numa_maps"
NOT, PASS, FAIL, UNKNOWN = (
    {("rank:0", "not_applicable"), ("rank:1", outcome)} for outcome in ("not_applicable", "pass", "fail", "unknown")
)


@pytest.fixture
def under(root):
    """Process 101 with these policies of its main thread and its worker, which uses a fifth of the CPU time."""

    def make(main, worker):
        entries = root("2p-2n-2g")
        text = entries[MAPS].replace(" default", f" {main}")
        return entries | {MAPS: text, WORKER: entries[MAPS].replace(" default", f" {worker}")}

    return make


def failure_in(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_where_all_have_one_policy(under, build, outcomes):
    assert outcomes(build(under("bind:1", "bind:1")), "NA319") == NOT


def test_a_wide_busy_thread_without_the_policy(under, masked, build, outcomes, judge):
    host = build(masked(under("default", "bind:1"), 101, "0-7", tids=(101,)))

    assert outcomes(host, "NA319") == FAIL
    failure = failure_in(judge(host, "NA319"))
    assert (failure.severity, failure.confidence, str(failure.facts["policy"]), failure.facts["num_threads"]) == (
        None,
        Confidence.LIKELY,
        "bind:1",
        1,
    )
    assert (str(failure.facts["cpus"]), str(failure.facts["numa_nodes"]), failure.related[-1]) == ("0-7", "0-1", "tid:101")
    assert [each.path for each in failure.evidence] == [MAPS, "root/proc/101/task/101/status"]
    assert failure.thresholds == {"busy_part": 0.25}


def test_a_note_where_its_mask_keeps_it_there(under, build, judge):
    assert failure_in(judge(build(under("default", "bind:1")), "NA319")).severity is Severity.INFO


def test_silent_about_a_thread_that_idles(under, masked, build, outcomes):
    entries = masked(under("bind:1", "default"), 101, "0-7", tids=(111,))
    for reading in ("", "again/1/"):
        path = f"{reading}root/proc/101/task/111/stat"
        entries[path] = entries[path].replace(" 200 0 0 0 20 ", " 0 0 0 0 20 ").replace(" 220 0 0 0 20 ", " 2 0 0 0 20 ")

    assert outcomes(build(entries), "NA319") == PASS


def test_silent_where_each_has_a_policy_of_its_own(under, masked, build, outcomes):
    assert outcomes(build(masked(under("bind:1", "bind:0"), 101, "0-7", tids=(101,))), "NA319") == PASS


def test_unknown_where_the_main_threads_is_not_known(under, removed, build, outcomes):
    assert outcomes(build(removed(under("bind:1", "default"), MAPS)), "NA319") == UNKNOWN


def test_does_not_apply_with_one_numa_node(under, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(under("default", "bind:1"))), "NA319") == NOT
