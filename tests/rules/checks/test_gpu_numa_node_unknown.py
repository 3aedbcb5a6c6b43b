"""NA101: a GPU on no known NUMA node."""

from numaaudit.rules.finding import Outcome, Severity

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0"
ROOT_PORT = "root/sys/bus/pci/devices/0000:97:01.0"
NONE = {f"{GPU}/numa_node": "-1\n", f"{GPU}/local_cpulist": "0-7\n"}
FIRST = ("gpu:0000:17:00.0", "pass")


def the_failure(judgements):
    (failure,) = (each for each in judgements if each.outcome is Outcome.FAIL)
    return failure


def test_silent_where_sysfs_knows(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA101") == {FIRST, ("gpu:0000:98:00.0", "pass")}


def test_names_the_gpu_and_the_rank_that_uses_it(root, build, judge):
    failure = the_failure(judge(build(root("2p-2n-2g") | NONE), "NA101"))

    assert (failure.subject, failure.severity, failure.related) == ("gpu:0000:98:00.0", None, ("rank:1",))
    assert str(failure.facts["numa_nodes"]) == "0-1"
    assert failure.evidence[0].text == "-1"


def test_a_note_while_no_rank_uses_it(root, removed, build, judge):
    failure = the_failure(judge(build(removed(root("2p-2n-2g"), "proc/101/") | NONE), "NA101"))

    assert (failure.severity, failure.message) == (Severity.INFO, "unused")


def test_silent_where_the_local_cpus_are_those_of_one_numa_node(root, build, outcomes):
    entries = root("2p-2n-2g") | {f"{GPU}/numa_node": "-1\n"}

    assert outcomes(build(entries), "NA101") == {FIRST, ("gpu:0000:98:00.0", "pass")}


def test_silent_where_the_bridge_above_knows(root, build, outcomes):
    bridge = "root/sys/devices/pci0000:97/0000:97:01.0"
    entries = root("2p-2n-2g") | NONE
    entries |= {ROOT_PORT: "@../../../devices/pci0000:97/0000:97:01.0", f"{bridge}/class": "0x060400\n", f"{bridge}/numa_node": "1\n"}

    assert outcomes(build(entries), "NA101") == {FIRST, ("gpu:0000:98:00.0", "pass")}


def test_unknown_where_the_host_lists_no_numa_nodes(root, removed, build, outcomes):
    entries = removed(root("2p-2n-2g"), "/system/node/") | NONE

    assert outcomes(build(entries), "NA101") == {FIRST, ("gpu:0000:98:00.0", "unknown")}


def test_does_not_apply_with_one_numa_node(root, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(root("2p-2n-2g")) | NONE), "NA101") == {("host", "not_applicable")}


def test_a_guest_with_one_numa_node_cannot_tell(root, on_one_numa_node, build, judge):
    entries = on_one_numa_node(root("2p-2n-2g")) | NONE
    entries["root/proc/cpuinfo"] = "processor\t: 0\nmodel name\t: virtual\nflags\t\t: fpu hypervisor\n\n"

    (judged,) = judge(build(entries), "NA101")

    assert (judged.subject, judged.outcome) == ("host", Outcome.UNKNOWN)
    assert "hypervisor" in judged.gaps[0].reason


TOPO = "commands/nvidia-smi_topo_-m.out"
ALL_NODES = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tSYS\t0-7\t0-1\tN/A\nGPU1\tSYS\t X \t0-7\t0-1\tN/A\n"


def test_a_list_of_every_numa_node_of_two_packages_is_no_answer(root, build, judge, outcomes):
    host = build(root("2p-2n-2g") | NONE | {TOPO: ALL_NODES})
    failure = the_failure(judge(host, "NA101"))

    assert (failure.subject, failure.facts["reason"]) == ("gpu:0000:98:00.0", "the list 0-1 that is printed for it names all of them")
    assert ("rank:1", "unknown") in outcomes(host, "NA201")


def test_a_list_of_every_numa_node_of_one_package_is_an_answer(root, build, outcomes):
    package = {f"root/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": "0\n" for cpu in range(8)}
    host = build(root("2p-2n-2g") | NONE | package | {TOPO: ALL_NODES})

    assert outcomes(host, "NA101") == {FIRST, ("gpu:0000:98:00.0", "pass")}
