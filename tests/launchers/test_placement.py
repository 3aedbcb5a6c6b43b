"""How CPUs lie to a GPU."""

import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.launchers.placement import placement_of


@pytest.fixture
def two_by_two(machine):
    """Two packages of two NUMA nodes with two CPUs each; one GPU on each NUMA node."""
    cores = tuple(CpuSet((cpu,)) for cpu in range(8))
    return machine(("0-1", "2-3", "4-5", "6-7"), ("0-3", "4-7"), cores, (), (0, 1, 2, 3))


@pytest.mark.parametrize(
    ("cpus", "expected"),
    [("0", "local"), ("0-1", "local"), ("1-2", "near"), ("2-3", "near"), ("1,4", "straddling"), ("4-7", "remote"), ("", "unknown")],
)
def test_the_gpu_is_on_numa_node_0(view, two_by_two, cpus, expected):
    assert expected == placement_of(view(two_by_two), CpuSet.parse(cpus), (0,)).value


def test_without_packages_nothing_is_near(view, two_by_two):
    nothing = {f"root/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": "-1" for cpu in range(8)}

    assert "remote" == placement_of(view(two_by_two, more=nothing), CpuSet.parse("2-3"), (0,)).value


@pytest.mark.parametrize(("cpus", "expected"), [("4-7", "remote"), ("0-1", "unknown"), ("2-3", "unknown")])
def test_of_a_gpu_on_one_of_two_numa_nodes_only_what_holds_for_both_is_said(view, two_by_two, cpus, expected):
    assert expected == placement_of(view(two_by_two), CpuSet.parse(cpus), (0, 1)).value


def test_without_a_numa_node_nothing_is_known(view, two_by_two):
    assert "unknown" == placement_of(view(two_by_two), CpuSet.parse("0"), ()).value


def test_what_the_kernel_leaves_out_is_noted(predict, two_by_two):
    found = predict("accelerate", two_by_two, "cpuset=0,2-7")

    assert ("CPUs 1 are not in the cpuset: the kernel leaves them out without a word",) == found.ranks[0].notes


def test_off_node_cpus_are_those_of_the_effective_ones(predict, two_by_two):
    found = predict("command", two_by_two, "cpuset=0-2", ranks=1, line="taskset -c 0-5 python")

    assert ("0-2", "2", "0-1") == tuple(map(str, (found.ranks[0].effective_cpus, found.ranks[0].offnode_cpus, found.ranks[0].numa_nodes)))
