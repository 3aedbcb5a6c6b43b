"""gpu_affinity.py, first generation."""

import pytest


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("socket", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
        ("single", ["0", "0", "0", "4"]),
        ("single_unique", ["0", "1", "2", "4"]),
        ("socket_unique_continuous", ["0,8", "1,9", "2,10", "4-7,12-15"]),
        ("socket_unique_interleaved", ["0,3,8,11", "1,9", "2,10", "4-7,12-15"]),
    ],
)
def test_each_mode(predict, two_packages, cpus, mode, expected):
    assert expected == cpus(predict("gpu-affinity-v1", two_packages, mode=mode))


def test_a_gpu_for_which_no_core_is_left_moves_those_behind_it_up(predict, two_packages, cpus):
    found = predict("gpu-affinity-v1", two_packages._replace(gpu_nodes=(0, 0, 0, 0, 0, 1)), mode="single_unique")

    assert ["0", "1", "2", "3", "4", "refused"] == cpus(found)


def test_the_cpuset_is_not_looked_at(predict, two_packages, cpus):
    found = predict("gpu-affinity-v1", two_packages, "cpuset=0-1")

    assert ["0,8", "1,9", "refused", "refused"] == cpus(found)


def test_visible_devices_do_not_renumber_nvml(predict, two_packages, cpus):
    assert ["0-3,8-11"] == cpus(predict("gpu-affinity-v1", two_packages, visible="3"))
