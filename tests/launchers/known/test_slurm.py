"""Slurm: CPUs by its own numbering, GPUs by those CPUs."""

import pytest

from numaaudit.core.errors import UsageError


def test_tasks_alternate_between_sockets(predict, two_packages, cpus):
    assert ["0-1,8-9", "4-5,12-13", "2-3,10-11", "6-7,14-15"] == cpus(predict("slurm", two_packages))


def test_block_fills_one_socket_first(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(predict("slurm", two_packages, distribution="block"))


def test_fcyclic_alternates_with_every_cpu(predict, two_packages, cpus):
    assert ["0,4,8,12", "1,5,9,13", "2,6,10,14", "3,7,11,15"] == cpus(predict("slurm", two_packages, distribution="fcyclic"))


def test_counts_that_match_nothing_are_not_bound(predict, two_packages, cpus):
    found = predict("slurm", two_packages, cpus_per_task="1")

    assert ["as before"] * 4 == cpus(found)
    assert "0-15" == str(found.ranks[0].effective_cpus)


def test_as_many_cpus_as_sockets_get_a_socket_each(predict, two_packages, cpus):
    assert ["0-3,8-11", "4-7,12-15"] == cpus(predict("slurm", two_packages, ranks=2, cpus_per_task="1"))


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        ("none", ["as before"] * 2),
        ("threads", ["0", "4"]),
        ("cores", ["0,8", "4,12"]),
        ("sockets", ["0-3,8-11", "4-7,12-15"]),
        ("rank_ldom", ["0-3,8-11", "4-7,12-15"]),
        ("map_cpu:5,0x1", ["5", "1"]),
        ("mask_cpu:0xff,f0", ["0-7", "4-7"]),
        ("map_ldom:1", ["4-7,12-15"] * 2),
    ],
)
def test_each_cpu_bind(predict, two_packages, cpus, binding, expected):
    assert expected == cpus(predict("slurm", two_packages, ranks=2, cpus_per_task="1", cpu_bind=binding))


@pytest.mark.parametrize("binding", ["chips", "map_cpu:x", "mask_cpu:zz", "map_gpu:0"])
def test_an_unknown_cpu_bind_is_wrong_usage(predict, two_packages, binding):
    with pytest.raises(UsageError):
        predict("slurm", two_packages, cpu_bind=binding)


def test_a_mask_outside_the_allocation_is_refused(predict, two_packages, cpus):
    assert ["refused", "1"] == cpus(predict("slurm", two_packages, "cpuset=0-3", ranks=2, cpu_bind="map_cpu:9,1"))


def test_memory_of_the_tasks_own_numa_nodes(predict, two_packages, policies):
    assert ["bind:0", "bind:1"] * 2 == policies(predict("slurm", two_packages, mem_bind="local"))
    assert ["bind:0", "bind:1"] * 2 == policies(predict("slurm", two_packages, mem_bind="rank"))


def test_single_gives_the_next_of_the_close_gpus_to_each_task(predict, two_packages):
    found = predict("slurm", two_packages, gpu_bind="single:1")

    assert [0, 3, 1, 3] == [found.view.index_of(rank.gpu) for rank in found.ranks]
    assert {"local"} == {rank.placement.value for rank in found.ranks}


def test_closest_shows_a_task_all_close_gpus(predict, two_packages):
    found = predict("slurm", two_packages, gpu_bind="closest")

    assert ("it sees GPUs 0, 1, 2 and uses the first unless it is told otherwise",) == found.ranks[0].notes


def test_enforce_binding_keeps_to_the_cores_of_the_gpus(predict, two_packages, cpus):
    found = predict("slurm", two_packages, visible="0,1", enforce_binding="yes")

    assert ["0-1,8-9", "2-3,10-11"] == cpus(found)


def test_more_cpus_than_there_are_is_not_known(predict, two_packages):
    assert [None] * 4 == [rank.cpus for rank in predict("slurm", two_packages, cpus_per_task="5", cpu_bind="cores").ranks]
