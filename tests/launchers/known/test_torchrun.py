"""torchrun --numa-binding: what the agent's mask leaves of the GPU's NUMA node."""

import pytest

ABSENT = {f"root/sys/bus/pci/devices/0000:{number:02x}:00.0/numa_node": "-1" for number in range(16, 20)}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("node", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
        ("socket", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
        ("exclusive", ["0-1,8-9", "2,10", "3,11", "4-7,12-15"]),
        ("core-complex", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
    ],
)
def test_each_mode_starts_from_the_gpus_numa_node(predict, two_packages, cpus, mode, expected):
    assert expected == cpus(predict("torchrun", two_packages, mode=mode))


def test_only_visible_devices_share_a_numa_node(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11"] == cpus(predict("torchrun", two_packages, visible="1,2", mode="exclusive"))


def test_a_numa_node_without_an_allowed_cpu_refuses(predict, two_packages, cpus):
    found = predict("torchrun", two_packages, "cpuset=0-3")

    assert ["0-3", "0-3", "0-3", "refused"] == cpus(found)
    assert "RuntimeError: Must bind to a non-empty set of CPU indices" == found.prediction.reason


def test_socket_fails_as_soon_as_one_numa_node_has_no_allowed_cpu(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("torchrun", two_packages, "cpuset=0-3", mode="socket"))


def test_with_fall_back_a_failure_has_no_effect(predict, two_packages, cpus):
    assert "as before" == cpus(predict("torchrun", two_packages, "cpuset=0-3", fall_back="yes"))[3]


def test_exclusive_needs_a_core_for_each_device(predict, two_packages, cpus):
    assert ["refused", "refused", "refused", "4-7,12-15"] == cpus(predict("torchrun", two_packages, "cpuset=0,4-7,12-15", mode="exclusive"))


def test_minus_one_counts_as_numa_node_0(predict, two_packages, cpus):
    found = predict("torchrun", two_packages, more=ABSENT)

    assert ["0-3,8-11"] * 4 == cpus(found)
    assert ("the GPU's numa_node is -1, which torch takes for 0",) == found.ranks[3].notes


def test_without_caches_a_core_complex_is_not_known(predict, two_packages):
    found = predict("torchrun", two_packages._replace(caches=()), mode="core-complex")

    assert [None] * 4 == [rank.cpus for rank in found.ranks]
    assert "possible" == found.confidence.value
