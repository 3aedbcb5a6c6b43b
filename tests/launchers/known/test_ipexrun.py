"""ipexrun: physical cores cut into instances."""

import pytest


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["0-3", "4-7"]),
        ({"ranks": 3}, ["0-1", "2-3", "4-5"]),
        ({"bind_numa_node": "yes", "ranks": 3}, ["0-1", "2-3", "4-7"]),
        ({"mode": "latency"}, ["0-3", "4-7"]),
        ({"mode": "throughput"}, ["0-3", "4-7"]),
        ({"ncores_per_instance": "3", "ranks": 3}, ["0-2", "3-5", "refused"]),
        ({"nodes_list": "1", "ranks": 1}, ["4-7"]),
        ({"use_logical_cores": "yes"}, ["0-7", "8-15"]),
    ],
)
def test_instances(predict, two_packages, cpus, options, expected):
    assert expected == cpus(predict("ipexrun", two_packages, **options))


def test_memory_is_bound_to_every_numa_node_touched(predict, two_packages, policies):
    assert ["bind:0", "bind:0-1"] == policies(predict("ipexrun", two_packages, ranks=2, ncores_per_instance="3"))


def test_numactl_refuses_what_the_cpuset_lacks(predict, two_packages, cpus):
    assert ["0-3", "refused"] == cpus(predict("ipexrun", two_packages, "cpuset=0-5"))
