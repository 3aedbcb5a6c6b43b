"""NA315: a bind that the log claims and numa_maps does not show."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

LOG = "logs/server.log"
MAPS = "root/proc/101/numa_maps"
CLAIM = "Binding worker subprocess (local_rank=1, gpu_index=1) to CPUs 2-3,6-7 and NUMA nodes 1\n"


@pytest.fixture
def entries(root):
    return root("2p-2n-2g") | {LOG: CLAIM}


def failure_in(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_without_a_claim(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA315") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


@pytest.mark.parametrize("policy", ["bind:1", "prefer:1", "local"])
def test_silent_where_a_policy_is_in_force(entries, build, outcomes, policy):
    host = build(entries | {MAPS: entries[MAPS].replace(" default", f" {policy}")})

    assert outcomes(host, "NA315") == {("rank:0", "not_applicable"), ("rank:1", "pass")}


def test_memory_that_was_claimed_bound_and_lies_elsewhere(entries, build, outcomes, judge):
    host = build(entries | {MAPS: entries[MAPS].replace("N1=76800", "N0=70000 N1=6800")})

    assert outcomes(host, "NA315") == {("rank:0", "not_applicable"), ("rank:1", "fail")}
    failure = failure_in(judge(host, "NA315"))
    assert (failure.severity, failure.facts["policy"], str(failure.facts["claimed"]), failure.facts["off_mib"]) == (
        None,
        "default",
        "1",
        273,
    )
    assert [(each.path, each.line) for each in failure.evidence] == [(LOG, 1), (MAPS, 1), (MAPS, 2)]
    assert failure.thresholds == {"local_share": 0.9}


def test_a_note_where_it_lies_there_by_luck(entries, build, judge):
    failure = failure_in(judge(build(entries), "NA315"))

    assert (failure.subject, failure.severity, failure.message) == ("rank:1", Severity.INFO, "luck")


def test_silent_where_the_cpuset_has_no_such_memory(entries, build, outcomes):
    status = "root/proc/101/status"
    host = build(
        entries | {status: entries[status].replace("Mems_allowed:\t00000000,00000003\nMems_allowed_list:\t0-1", "Mems_allowed_list:\t0")}
    )

    assert outcomes(host, "NA315") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


def test_silent_about_a_mask_that_slurm_prints_without_binding(root, build, outcomes):
    line = "mem-bind=NONE - host1, task  1  1 [101]: mask 0x2 set\n"

    assert outcomes(build(root("2p-2n-2g") | {LOG: line}), "NA315") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


def test_unknown_without_numa_maps(entries, removed, build, outcomes):
    assert outcomes(build(removed(entries, MAPS)), "NA315") == {("rank:0", "not_applicable"), ("rank:1", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(entries)), "NA315") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


@pytest.mark.parametrize(("off", "outcome", "message"), [(0, "fail", "luck"), (400, "unknown", None), (2000, "fail", None)])
def test_of_a_large_process_a_sample_says_where_it_lies(entries, build, sampled, judge, off, outcome, message):
    host = build(sampled(entries, 101, "default", {"anon": (4096, {0: off, 1: 4000 - off})}))
    (judged,) = (each for each in judge(host, "NA315") if each.subject == "rank:1")

    assert (judged.outcome.value, judged.message) == (outcome, message)
    assert judged.confidence is (Confidence.LIKELY if judged.outcome is Outcome.FAIL else Confidence.CERTAIN)


def test_of_a_large_process_without_a_sample_nobody_knows(entries, build, sampled, outcomes):
    unsampled = sampled(entries, 101, "default", {})
    del unsampled["samples/pages-101.json"]

    assert outcomes(build(unsampled), "NA315") == {("rank:0", "not_applicable"), ("rank:1", "unknown")}
