"""The package gpu_affinity: by visible device, with a scope."""

import pytest

from numaaudit.core.cpuset import CpuSet


@pytest.fixture
def four_numa_nodes(machine):
    """One package with four NUMA nodes of two cores, one GPU on nodes 0 and 2 each."""
    cores = tuple(CpuSet((core,)) for core in range(8))
    return machine(("0-1", "2-3", "4-5", "6-7"), ("0-7",), cores, (CpuSet(range(8)),), (0, 2))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("all", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
        ("single", ["0,8", "0,8", "0,8", "4,12"]),
        ("single_unique", ["0,8", "1,9", "2,10", "4,12"]),
        ("unique_contiguous", ["0,8", "1,9", "2,10", "4,12"]),
        ("unique_interleaved", ["0,8", "1,9", "2,10", "4,12"]),
    ],
)
def test_each_mode(predict, two_packages, cpus, mode, expected):
    assert expected == cpus(predict("gpu-affinity", two_packages, mode=mode))


def test_visible_devices_are_mapped(predict, two_packages, cpus):
    assert ["4-7,12-15"] == cpus(predict("gpu-affinity", two_packages, visible="3"))


def test_scope_socket_deals_cores_that_no_gpu_owns_onto_the_lowest(predict, four_numa_nodes, cpus):
    assert ["0-3", "4-7"] == cpus(predict("gpu-affinity", four_numa_nodes, scope="socket"))
    assert ["0-1", "4-5"] == cpus(predict("gpu-affinity", four_numa_nodes, scope="node"))


def test_a_part_whose_cores_did_not_all_get_one_loses_what_was_dealt(predict, four_numa_nodes, cpus):
    found = predict("gpu-affinity", four_numa_nodes, "cpuset=0-2,4-5", scope="socket")

    assert ["0-1", "4-5"] == cpus(found)


def test_scope_socket_with_all_cores_puts_the_gpus_own_first(predict, four_numa_nodes, cpus):
    found = predict("gpu-affinity", four_numa_nodes, mode="all", scope="socket", max_physical_cores="4")

    assert ["0-1,4-5"] * 2 == cpus(found)


def test_more_processes_than_visible_devices_are_an_error(predict, two_packages, cpus):
    assert ["refused"] * 5 == cpus(predict("gpu-affinity", two_packages, ranks=5))
