"""NA310: a memory policy that was not permitted."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome, Severity

LOG = "logs/server.log"
DENIED = "set_mempolicy: Operation not permitted\nsetting membind: Operation not permitted\n"
FILTERED = "Seccomp:\t2\nCapEff:\t00000000a80425fb\n"


@pytest.fixture
def of(root, build):
    """The host with this log, and with these lines at the end of the status of some processes."""

    def make(log, lines=FILTERED, pids=(101,)):
        entries = root("2p-2n-2g") | {LOG: log}
        return build(entries | {path: entries[path] + lines for path in (f"root/proc/{pid}/status" for pid in pids)})

    return make


def test_silent_without_a_refusal(of, outcomes):
    assert outcomes(of("numactl --membind=1 python a.py\n"), "NA310") == {("host", "not_applicable")}


def test_names_the_only_process_under_a_filter_without_the_capability(of, judge):
    (failure,) = judge(of(DENIED), "NA310")

    assert (failure.outcome, failure.subject, failure.severity, failure.message) == (Outcome.FAIL, "rank:1", None, None)
    assert failure.facts["call"] == "set_mempolicy: Operation not permitted"
    assert [each.text for each in failure.evidence] == [failure.facts["call"], "Seccomp:\t2", "CapEff:\t00000000a80425fb"]


@pytest.mark.parametrize("lines", ["Seccomp:\t0\nCapEff:\t00000000a80425fb\n", "Seccomp:\t2\nCapEff:\t000001ffffffffff\n", "Seccomp:\t2\n"])
def test_says_it_of_the_launcher_where_no_process_shows_why(of, judge, lines):
    (failure,) = judge(of(DENIED, lines), "NA310")

    assert (failure.outcome, failure.subject, failure.confidence) == (Outcome.FAIL, "launcher:numactl", Confidence.LIKELY)


def test_says_it_of_the_launcher_where_several_processes_are_filtered(of, outcomes):
    assert outcomes(of(DENIED, pids=(100, 101)), "NA310") == {("launcher:numactl", "fail")}


def test_low_where_the_launcher_went_on_with_a_mask(of, judge):
    (failure,) = judge(of("NUMA memory policy not permitted; binding CPUs only to NUMA node 1\n"), "NA310")

    assert (failure.subject, failure.severity) == ("rank:1", Severity.LOW)


def test_silent_for_a_process_that_has_its_policy_now(root, build, outcomes):
    entries = root("2p-2n-2g") | {LOG: DENIED}
    entries["root/proc/101/status"] += FILTERED
    entries["root/proc/101/numa_maps"] = entries["root/proc/101/numa_maps"].replace(" default", " bind:1")

    assert outcomes(build(entries), "NA310") == {("rank:1", "pass")}


def test_silent_about_a_set_that_does_not_exist(of, outcomes):
    assert outcomes(of("set_mempolicy: Invalid argument\n"), "NA310") == {("host", "not_applicable")}


def test_unknown_where_the_launcher_does_not_say_why(of, outcomes):
    host = of("WARNING numactl args '--cpunodebind=1 --membind=1' rejected, starting without\n")

    assert outcomes(host, "NA310") == {("launcher:vllm", "unknown")}
