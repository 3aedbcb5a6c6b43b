"""bindpcie: arithmetic on counts."""


def test_ranks_are_divided_by_gpus_per_numa_node(predict, two_packages, cpus, policies):
    found = predict("bindpcie", two_packages)

    assert (["0-3,8-11"] * 2 + ["4-7,12-15"] * 2, ["bind:0", "bind:0", "bind:1", "bind:1"]) == (cpus(found), policies(found))
    assert "remote" == found.ranks[2].placement.value


def test_exclusive_has_a_second_range_at_the_number_of_cores(predict, two_packages, cpus):
    assert ["0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15"] == cpus(predict("bindpcie", two_packages, cpu="exclusive"))
    assert ["0-1", "2-3", "4-5", "6-7"] == cpus(predict("bindpcie", two_packages, cpu="exclusive,nosmt"))


def test_an_inexact_division_makes_other_cores_of_the_siblings(predict, two_packages, cpus):
    found = predict("bindpcie", two_packages._replace(gpu_nodes=(0, 0, 0, 1, 1, 1)), cpu="exclusive")

    assert ["0,6", "1,7", "2,8", "3,9", "4,10", "5,11"] == cpus(found)


def test_a_numa_node_that_is_not_there_is_refused(predict, two_packages, cpus):
    found = predict("bindpcie", two_packages._replace(gpu_nodes=(0, 0, 0, 1, 1)))

    assert "refused" == cpus(found)[4]


def test_one_gpu_has_a_numa_nodes_share_of_cores(predict, two_packages, cpus):
    assert ["0-7"] == cpus(predict("bindpcie", two_packages._replace(gpu_nodes=(1,)), cpu="exclusive"))


def test_without_memory_binding_there_is_no_policy(predict, two_packages, policies):
    assert ["default"] * 4 == policies(predict("bindpcie", two_packages, mem="off"))
