"""NA201: a rank none of whose CPUs is local to its GPU."""

from numaaudit.rules.finding import Outcome, Severity

GPU = "root/sys/devices/pci0000:97/0000:97:01.0/0000:98:00.0/numa_node"


def test_silent_where_each_rank_is_at_home(host, outcomes):
    assert outcomes(host("2p-2n-2g"), "NA201") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_names_exactly_the_rank_on_the_other_numa_node(host, outcomes):
    assert outcomes(host("2p-2n-2g-rank-off-node"), "NA201") == {("rank:0", "pass"), ("rank:1", "fail")}


def test_the_failure_has_both_facts_and_their_lines(host, judge):
    failure = next(each for each in judge(host("2p-2n-2g-rank-off-node"), "NA201") if each.outcome is Outcome.FAIL)

    assert str(failure.facts["cpus"]) == "0-1,4-5"
    assert failure.facts["gpu_numa_node"] == 1
    assert [(each.path, each.line, each.text) for each in failure.evidence] == [
        ("root/proc/101/status", 8, "Cpus_allowed_list:\t0-1,4-5"),
        ("root/sys/bus/pci/devices/0000:98:00.0/numa_node", 1, "1"),
        ("root/sys/devices/system/node/node1/cpulist", 1, "2-3,6-7"),
    ]


def test_unknown_without_the_gpus_numa_node(root, build, outcomes):
    entries = {**root("2p-2n-2g-rank-off-node"), GPU: "-1\n", GPU.replace("numa_node", "local_cpulist"): "0-7\n"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_without_the_ranks_mask(root, build, outcomes):
    entries = {**root("2p-2n-2g-rank-off-node"), "root/proc/101/status": "Name:\tpython3\nPid:\t101\nNSpid:\t101\n"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_unknown_where_several_devices_are_open_and_nothing_says_which(root, build, outcomes):
    entries = {path: entry for path, entry in root("2p-2n-2g-rank-off-node").items() if "compute-apps" not in path}
    entries |= {"root/proc/101/fd/5": "@/dev/nvidia0", "root/proc/101/environ": "RANK=1\0"}

    assert outcomes(build(entries), "NA201") == {("rank:0", "pass"), ("rank:1", "unknown")}


def test_low_at_most_within_one_package(root, build, judge):
    entries = root("2p-2n-2g-rank-off-node")
    entries |= {f"root/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": "0\n" for cpu in range(8)}

    assert [each.severity for each in judge(build(entries), "NA201") if each.outcome is Outcome.FAIL] == [Severity.LOW]


def test_does_not_apply_with_one_numa_node(root, build, outcomes):
    entries = {path: entry for path, entry in root("2p-2n-2g-rank-off-node").items() if "/node/node1/" not in path}

    assert outcomes(build(entries), "NA201") == {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}
