"""NA103: present CPUs that are offline."""

import pytest

from numaaudit.rules.finding import Severity

PRESENT = "root/sys/devices/system/cpu/present"
OFFLINE = {PRESENT: "0-15\n"}


def test_silent_where_all_are_online(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA103") == {("host", "pass")}


def test_a_note_where_nobody_asks_for_them(root, build, judge):
    (failure,) = judge(build(root("2p-2n-2g") | OFFLINE), "NA103")

    assert (failure.subject, failure.severity, failure.message) == ("cpus:8-15", Severity.INFO, "note")
    assert [(each.path, each.text) for each in failure.evidence] == [
        (PRESENT, "0-15"),
        ("root/sys/devices/system/cpu/online", "0-7"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "sched_setaffinity(0, 16, [8, 9]) = -1 EINVAL (Invalid argument)\n",
        "(Worker_TP1 pid=101) Binding worker subprocess (local_rank=1) to CPUs 8-9 and NUMA nodes 1\n",
    ],
)
def test_a_log_that_names_them(root, build, outcomes, judge, line):
    host = build(root("2p-2n-2g") | OFFLINE | {"logs/launch.log": line})

    assert outcomes(host, "NA103") == {("cpus:8-15", "fail")}
    (failure,) = judge(host, "NA103")
    assert (failure.severity, failure.message, str(failure.facts["missing"])) == (None, None, "8-9")
    assert (failure.evidence[0].path, failure.evidence[0].line) == ("logs/launch.log", 1)


def test_a_note_where_the_log_names_others(root, build, judge):
    log = {"logs/launch.log": "sched_setaffinity(0, 16, [99]) = -1 EINVAL (Invalid argument)\n"}
    (failure,) = judge(build(root("2p-2n-2g") | OFFLINE | log), "NA103")

    assert failure.severity is Severity.INFO


def test_unknown_without_the_list_of_present_cpus(root, removed, build, outcomes):
    assert outcomes(build(removed(root("2p-2n-2g"), "/cpu/present")), "NA103") == {("host", "unknown")}
