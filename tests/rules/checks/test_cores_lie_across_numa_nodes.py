"""NA104: NUMA nodes that contradict cores or packages."""

from numaaudit.core.cpuset import CpuSet
from numaaudit.rules.finding import Outcome, Severity

NODES = "root/sys/devices/system/node"
CROSSED = {f"{NODES}/node0/cpulist": "0-3\n", f"{NODES}/node1/cpulist": "4-7\n"}  # siblings are 0 and 4, 1 and 5, ...
PACKAGES = "root/sys/devices/system/cpu/cpu{}/topology/physical_package_id"


def test_silent_where_cores_are_whole(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA104") == {("host", "pass")}


def test_siblings_on_two_numa_nodes_fail(root, build, judge):
    (failure,) = judge(build(root("2p-2n-2g") | CROSSED), "NA104")

    assert (failure.outcome, failure.severity, failure.message) == (Outcome.FAIL, None, None)
    assert (str(failure.facts["cpus"]), str(failure.facts["numa_nodes"])) == ("0,4", "0-1")
    assert [line.path for line in failure.evidence] == [f"{NODES}/node0/cpulist", f"{NODES}/node1/cpulist"]


def test_a_note_without_ranks(root, removed, build, judge):
    (failure,) = judge(build(removed(root("2p-2n-2g"), "root/proc/100", "root/proc/101") | CROSSED), "NA104")

    assert failure.severity is Severity.INFO


def test_numa_nodes_of_several_packages_fail_where_each_package_could_have_its_own(root, build, judge):
    packages = {PACKAGES.format(cpu): f"{cpu % 2}\n" for cpu in range(8)}
    (failure,) = judge(build(root("2p-2n-2g") | packages), "NA104")

    assert (failure.message, str(failure.facts["cpus"]), failure.facts["packages"]) == ("packages", "0-1,4-5", "0, 1")


def test_silent_where_one_numa_node_is_made_of_several_packages(machine, build, outcomes):
    cores = tuple(CpuSet((cpu,)) for cpu in range(8))
    host = build(machine(("0-3", "4-7"), ("0-1", "2-3", "4-5", "6-7"), cores, (), ()).entries())

    assert outcomes(host, "NA104") == {("host", "pass")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(root("2p-2n-2g"))), "NA104") == {("host", "not_applicable")}


def test_unknown_where_neither_cores_nor_packages_are_known(root, removed, build, outcomes):
    assert outcomes(build(removed(root("2p-2n-2g"), "/topology/")), "NA104") == {("host", "unknown")}
