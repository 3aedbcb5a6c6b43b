"""NA501: a rank that is told to use a NIC of another NUMA node."""

import pytest

from numaaudit.rules.finding import Outcome, Severity

NIC1 = "root/sys/devices/pci0000:97/0000:97:01.0/0000:99:00.0"
RDMA = "root/sys/class/infiniband"
NOT_TOLD = {("rank:0", "not_applicable"), ("rank:1", "not_applicable")}


@pytest.fixture
def entries(root):
    """One RDMA device on each NUMA node: mlx5_0 and mlx5_1."""
    changed = {path: entry for path, entry in root("2p-2n-2g").items() if "/class/infiniband/" not in path and "/class/net/" not in path}
    return changed | {
        f"{RDMA}/mlx5_0": "@../../devices/pci0000:16/0000:16:01.0/0000:18:00.0/infiniband/mlx5_0",
        f"{RDMA}/mlx5_1": "@../../devices/pci0000:97/0000:97:01.0/0000:99:00.0/infiniband/mlx5_1",
        "root/sys/bus/pci/devices/0000:99:00.0": "@../../../devices/pci0000:97/0000:97:01.0/0000:99:00.0",
        f"{NIC1}/class": "0x020700\n",
        f"{NIC1}/vendor": "0x15b3\n",
        f"{NIC1}/numa_node": "1\n",
        f"{NIC1}/local_cpulist": "2-3,6-7\n",
    }


def told(entries, first, second, variable="UCX_NET_DEVICES"):
    """The entries whose ranks are told which NICs to use."""
    changed = dict(entries)
    for pid, value in ((100, first), (101, second)):
        changed[f"root/proc/{pid}/environ"] += f"{variable}={value}\0"
    return changed


def failures(judgements):
    return [each for each in judgements if each.outcome is Outcome.FAIL]


def test_a_rank_that_names_no_nic_is_not_judged(entries, build, outcomes):
    assert outcomes(build(entries), "NA501") == NOT_TOLD


def test_silent_where_each_names_its_neighbour(entries, build, outcomes):
    assert outcomes(build(told(entries, "mlx5_0:1", "mlx5_1:1")), "NA501") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_crossed_names(entries, build, outcomes, judge):
    host = build(told(entries, "mlx5_1:1", "mlx5_0:1"))

    assert outcomes(host, "NA501") == {("rank:0", "fail"), ("rank:1", "fail")}
    first, _ = failures(judge(host, "NA501"))
    assert (first.severity, first.facts["nics"], first.facts["near"]) == (None, "mlx5_1", "mlx5_0")
    assert (str(first.facts["nic_numa_nodes"]), str(first.facts["gpu_numa_node"])) == ("1", "0")
    assert [(each.path, each.text) for each in first.evidence[:3]] == [
        ("root/proc/100/environ", "UCX_NET_DEVICES=mlx5_1:1"),
        ("root/sys/bus/pci/devices/0000:99:00.0/numa_node", "1"),
        ("root/sys/bus/pci/devices/0000:17:00.0/numa_node", "0"),
    ]


def test_low_where_no_rank_uses_the_near_ones(entries, build, judge):
    (failure,) = failures(judge(build(told(entries, "mlx5_0:1", "mlx5_0:1")), "NA501"))

    assert (failure.subject, failure.severity) == ("rank:1", Severity.LOW)


def test_silent_for_a_list_with_a_neighbour(entries, build, outcomes):
    assert outcomes(build(told(entries, "mlx5", "mlx5", "NCCL_IB_HCA")), "NA501") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_silent_where_the_gpu_has_no_neighbour(entries, removed, build, outcomes):
    host = build(removed(told(entries, "mlx5_0:1", "mlx5_0:1"), "mlx5_1", "0000:99:00.0"))

    assert outcomes(host, "NA501") == {("rank:0", "pass"), ("rank:1", "pass")}


def test_a_note_within_one_package(entries, in_one_package, build, judge):
    found = failures(judge(build(in_one_package(told(entries, "mlx5_1:1", "mlx5_0:1"))), "NA501"))

    assert {each.severity for each in found} == {Severity.INFO}


def test_unknown_without_environment_or_numa_node(entries, removed, build, outcomes):
    told_both = told(entries, "mlx5_1:1", "mlx5_1:1")
    nowhere = told_both | {f"{NIC1}/numa_node": "-1\n", f"{NIC1}/local_cpulist": "0-7\n"}

    assert ("pid:101", "unknown") in outcomes(build(removed(told_both, "101/environ")), "NA501")
    assert outcomes(build(nowhere), "NA501") == {("rank:0", "unknown"), ("rank:1", "unknown")}


def test_does_not_apply_with_one_numa_node(entries, on_one_numa_node, build, outcomes):
    assert outcomes(build(on_one_numa_node(told(entries, "mlx5_1:1", "mlx5_0:1"))), "NA501") == NOT_TOLD
