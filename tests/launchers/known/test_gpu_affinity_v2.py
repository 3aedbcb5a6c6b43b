"""gpu_affinity.py, second generation: cut to the mask, and balanced."""

import pytest


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("socket", ["0-3,8-11"] * 3 + ["4-7,12-15"]),
        ("socket_single", ["0,8", "0,8", "0,8", "4,12"]),
        ("socket_single_unique", ["0,8", "1,9", "2,10", "4,12"]),
        ("socket_unique_contiguous", ["0,8", "1,9", "2,10", "4,12"]),
        ("socket_unique_interleaved", ["0,8", "1,9", "2,10", "4,12"]),
    ],
)
def test_each_mode(predict, two_packages, cpus, mode, expected):
    assert expected == cpus(predict("gpu-affinity-v2", two_packages, mode=mode))


def test_unbalanced_a_lonely_gpu_gets_its_whole_numa_node(predict, two_packages, cpus):
    assert "4-7,12-15" == cpus(predict("gpu-affinity-v2", two_packages, balanced="no"))[3]


def test_one_thread_of_each_core_may_be_enough(predict, two_packages, cpus):
    assert ["0", "1", "2", "4"] == cpus(predict("gpu-affinity-v2", two_packages, cores="single_logical"))


def test_only_allowed_cpus_are_shared_out(predict, two_packages, cpus):
    assert ["1", "2", "3", "4"] == cpus(predict("gpu-affinity-v2", two_packages, "cpuset=1-7"))


def test_a_gpu_without_an_allowed_core_fails_all_of_them(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("gpu-affinity-v2", two_packages, "cpuset=0-3"))


def test_masks_that_overlap_are_refused(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("gpu-affinity-v2", two_packages._replace(gpu_nodes=(0, 0, 1, -1))))
