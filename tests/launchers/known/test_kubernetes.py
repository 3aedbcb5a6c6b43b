"""The kubelet's static CPU manager, one container a rank."""

import pytest

from numaaudit.core.errors import UsageError


def test_whole_cores_come_from_the_fullest_socket(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(predict("kubernetes", two_packages))


def test_a_request_as_large_as_a_numa_node_gets_a_whole_one(predict, two_packages, cpus):
    assert ["4-7,12-15"] == cpus(predict("kubernetes", two_packages, ranks=1, cpus="8", reserved="0,8"))


def test_an_odd_request_ends_with_a_single_thread_of_a_core_begun_before(predict, two_packages, cpus):
    assert ["0-1,8", "2,9-10"] == cpus(predict("kubernetes", two_packages, ranks=2, cpus="3"))


def test_full_pcpus_only_refuses_an_odd_request(predict, two_packages, cpus):
    assert ["refused"] * 2 == cpus(predict("kubernetes", two_packages, ranks=2, cpus="3", policy_options="full-pcpus-only"))


def test_full_pcpus_only_spares_the_siblings_of_reserved_cpus(predict, two_packages, cpus):
    found = predict("kubernetes", two_packages, ranks=1, cpus="2", reserved="0", policy_options="full-pcpus-only")

    assert ["1,9"] == cpus(found)


def test_distribution_splits_evenly_where_one_numa_node_is_too_small(predict, two_packages, cpus):
    options = {"ranks": 1, "cpus": "12", "policy_options": "full-pcpus-only,distribute-cpus-across-numa"}

    assert ["0-2,4-6,8-10,12-14"] == cpus(predict("kubernetes", two_packages, **options))


def test_with_a_topology_manager_cpus_come_from_the_gpus_numa_node(predict, two_packages, cpus):
    found = predict("kubernetes", two_packages, visible="3,0", cpus="4", topology_manager="best-effort")

    assert ["4-5,12-13", "0-1,8-9"] == cpus(found)


def test_best_effort_takes_the_rest_from_anywhere_and_single_numa_node_refuses(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(
        predict("kubernetes", two_packages, cpus="4", topology_manager="best-effort")
    )
    assert ["0-1,8-9", "2-3,10-11", "refused", "4-5,12-13"] == cpus(
        predict("kubernetes", two_packages, cpus="4", topology_manager="single-numa-node")
    )


def test_a_gpu_without_a_numa_node_gives_no_hint(predict, two_packages, cpus):
    found = predict("kubernetes", two_packages._replace(gpu_nodes=(-1, 1)), cpus="4", topology_manager="restricted")

    assert ["0-1,8-9", "4-5,12-13"] == cpus(found)


def test_too_few_cpus_reject_the_pod(predict, two_packages):
    found = predict("kubernetes", two_packages, ranks=2, cpus="9")

    assert "not enough cpus available to satisfy request: requested=9, available=7" == found.prediction.reason


def test_an_option_that_is_not_modelled_is_wrong_usage(predict, two_packages):
    with pytest.raises(UsageError, match="policy-options are"):
        predict("kubernetes", two_packages, policy_options="prefer-align-cpus-by-uncorecache")
