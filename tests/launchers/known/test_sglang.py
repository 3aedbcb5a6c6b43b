"""SGLang: V2 in front of the scheduler, the slice and V1 inside it."""

import pytest

from numaaudit.core.errors import UsageError


def test_v2_binds_to_what_the_mask_leaves_of_the_numa_node(predict, two_packages, cpus, policies):
    found = predict("sglang", two_packages, "cpuset=0-1,4-7")

    assert (["0-1"] * 3 + ["4-7"], ["bind:0"] * 3 + ["bind:1"]) == (cpus(found), policies(found))
    assert "all-threads" == found.prediction.reaches.value


def test_v2_skips_a_numa_node_without_an_allowed_cpu(predict, two_packages, cpus):
    assert "as before" == cpus(predict("sglang", two_packages, "cpuset=0-3"))[3]


def test_v2_leaves_memory_out_that_is_not_allowed(predict, two_packages, policies):
    assert ["bind:0"] * 3 + ["default"] == policies(predict("sglang", two_packages, "mems=0"))


def test_the_slice_replaces_the_mask_and_leaves_the_policy(predict, two_packages, cpus, policies):
    found = predict("sglang", two_packages, set_cpu_affinity="yes")

    assert (["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"], "bind:0") == (cpus(found), policies(found)[2])
    assert "main-thread" == found.prediction.reaches.value


def test_the_slice_counts_logical_gpus(predict, two_packages, cpus):
    assert ["0-3,8-11", "4-7,12-15"] == cpus(predict("sglang", two_packages, visible="2,3", set_cpu_affinity="yes"))


def test_a_slice_outside_the_cpuset_ends_the_scheduler(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11", "refused", "refused"] == cpus(predict("sglang", two_packages, "cpuset=0-3", set_cpu_affinity="yes"))


def test_v1_cuts_the_slice_and_keeps_it_where_nothing_is_left(predict, two_packages, cpus, policies):
    found = predict("sglang", two_packages, numa_bind="v1", set_cpu_affinity="yes")

    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(found)
    assert ["prefer:0", "prefer:0", "default", "prefer:1"] == policies(found)


def test_numa_nodes_that_are_given_are_not_checked(predict, two_packages, cpus):
    assert ["4-7,12-15"] * 2 == cpus(predict("sglang", two_packages, ranks=2, numa_node="1 1"))


def test_a_tensor_parallel_size_beyond_the_cores_is_wrong_usage(predict, two_packages):
    with pytest.raises(UsageError, match="tp is 1 to 8"):
        predict("sglang", two_packages, set_cpu_affinity="yes", tp="9")
