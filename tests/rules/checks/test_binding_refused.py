"""NA703: a log of refused bindings, and no process."""

import pytest

from numaaudit.rules.finding import Confidence, Outcome

CPUS = "libnuma: Warning: cpu argument 2-3,6-7 is out of range\n<2-3,6-7> is invalid\n"
MEMS = "libnuma: Warning: node argument 1 is out of range\n<1> is invalid\n"


@pytest.fixture
def of(root, removed, build):
    """The host without its processes, and this log."""
    return lambda log: build(removed(root("2p-2n-2g"), "root/proc/100", "root/proc/101") | {"logs/a.log": log})


def test_silent_without_refusals(of, outcomes):
    assert outcomes(of("ready\n"), "NA703") == {("host", "not_applicable")}


def test_silent_where_processes_show_what_came_of_it(root, build, outcomes):
    assert outcomes(build(root("2p-2n-2g") | {"logs/a.log": CPUS}), "NA703") == {("host", "not_applicable")}


def test_cpus_that_the_host_has_are_outside_the_job(of, judge):
    (failure,) = judge(of(CPUS), "NA703")

    assert (failure.outcome, failure.subject, failure.message) == (Outcome.FAIL, "cpus:2-3,6-7", "outside")
    assert (failure.confidence, failure.related) == (Confidence.LIKELY, ("launcher:numactl",))
    assert [(line.path, line.line) for line in failure.evidence] == [("logs/a.log", 1)]


def test_cpus_that_the_host_lacks_are_missing(of, judge):
    (failure,) = judge(of(CPUS.replace("2-3,6-7", "6-9")), "NA703")

    assert (failure.subject, failure.message, str(failure.facts["has"])) == ("cpus:6-9", "missing", "0-7")


@pytest.mark.parametrize(("number", "message"), [(1, "outside"), (2, "missing")])
def test_a_numa_node_is_judged_likewise(of, judge, number, message):
    (failure,) = judge(of(MEMS.replace("1", str(number))), "NA703")

    assert (failure.subject, failure.message) == (f"numa_node:{number}", message)


def test_of_a_numa_node_without_memory_only_the_refusal_is_known(root, removed, build, judge):
    meminfo = {"root/sys/devices/system/node/node1/meminfo": "Node 1 MemTotal: 0 kB\nNode 1 MemFree: 0 kB\n", "logs/a.log": MEMS}
    (failure,) = judge(build(removed(root("2p-2n-2g"), "root/proc/100", "root/proc/101") | meminfo), "NA703")

    assert (failure.subject, failure.message) == ("numa_node:1", None)


def test_where_the_host_is_not_known_only_the_refusal_is(build, judge):
    (failure,) = judge(build({"logs/a.log": CPUS}), "NA703")

    assert (failure.subject, failure.message) == ("cpus:2-3,6-7", None)


def test_unknown_where_no_line_says_what_was_asked_for(of, outcomes):
    assert outcomes(of("numa_sched_setaffinity_v2_int() failed: Invalid argument\nsched_setaffinity: Invalid argument\n"), "NA703") == {
        ("launcher:numactl", "unknown")
    }


def test_a_call_that_was_not_permitted_is_another_rules(of, outcomes):
    assert outcomes(of("set_mempolicy: Operation not permitted\n"), "NA703") == {("host", "not_applicable")}
