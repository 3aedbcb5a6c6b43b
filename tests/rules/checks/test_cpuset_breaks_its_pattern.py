"""NA604: a cpuset with one CPU that does not fit."""

import pytest

from numaaudit.rules.finding import Severity

GROUP = "root/sys/fs/cgroup/work"


@pytest.fixture
def asking(root):
    """A host of six NUMA nodes with four CPUs each, and the group /work that asks for these CPUs."""

    def make(cpus):
        entries = root("2p-2n-2g") | {"root/sys/devices/system/cpu/online": "0-23\n", "root/sys/devices/system/cpu/present": "0-23\n"}
        for number in range(6):
            folder = f"root/sys/devices/system/node/node{number}"
            entries |= {f"{folder}/cpulist": f"{4 * number}-{4 * number + 3}\n", f"{folder}/meminfo": f"Node {number} MemTotal: 8 kB\n"}
            entries.pop(f"{folder}/cpumap", None)
        return entries | {f"{GROUP}/cpuset.cpus": f"{cpus}\n", f"{GROUP}/cpuset.cpus.effective": f"{cpus}\n"}

    return make


@pytest.mark.parametrize("cpus", ["2-3,6-7,10-11,14-15,18-19,22-23", "0-23", "0-3,6-7,10,15,16-23", "1,6,11,12"])
def test_silent_for_an_even_list_or_none_with_a_pattern(asking, build, outcomes, cpus):
    assert outcomes(build(asking(cpus)), "NA604") == {("cgroup:/work", "pass")}


def test_one_cpu_in_place_of_another(asking, build, outcomes, judge):
    host = build(asking("2-3,4,6-7,10-11,14,18-19,22-23"))

    assert outcomes(host, "NA604") == {("cgroup:/work", "fail")}
    (failure,) = judge(host, "NA604")
    assert (failure.facts["odd"], str(failure.facts["extra"]), str(failure.facts["missing"])) == ("NUMA node 1 and 3", "4", "15")
    assert str(failure.facts["fitting"]) == "2-3,6-7,10-11,14-15,18-19,22-23"
    assert (failure.severity or Severity.INFO) is Severity.INFO
    assert "rank:0" in failure.related
    assert failure.thresholds == {"least_nodes": 3}
    assert (failure.evidence[0].path, failure.evidence[0].text) == (f"{GROUP}/cpuset.cpus.effective", "2-3,4,6-7,10-11,14,18-19,22-23")


def test_one_cpu_too_few(asking, build, judge):
    (failure,) = judge(build(asking("2-3,6-7,10-11,14")), "NA604")

    assert (failure.facts["odd"], str(failure.facts["extra"]), str(failure.facts["missing"])) == ("NUMA node 3", "none", "15")


def test_a_list_of_two_numa_nodes_has_no_pattern(asking, build, outcomes):
    assert outcomes(build(asking("2-3,6")), "NA604") == {("cgroup:/work", "not_applicable")}


def test_groups_that_ask_for_nothing_are_not_judged(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA604") == set()


def test_unknown_where_the_cpus_of_numa_nodes_are_not(asking, removed, build, outcomes):
    assert outcomes(build(removed(asking("2-3,6-7,10-11,14"), "/node/node2/cpu")), "NA604") == {("cgroup:/work", "unknown")}
