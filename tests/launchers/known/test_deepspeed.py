"""DeepSpeed: equal parts of the ids below the number of cores."""


def test_parts_have_memory_of_the_one_numa_node_they_lie_in(predict, two_packages, cpus, policies):
    found = predict("deepspeed", two_packages)

    assert (["0-1", "2-3", "4-5", "6-7"], ["bind:0", "bind:0", "bind:1", "bind:1"]) == (cpus(found), policies(found))


def test_a_part_across_numa_nodes_has_no_policy(predict, two_packages, cpus, policies):
    assert (["0-7"], ["default"]) == (cpus(found := predict("deepspeed", two_packages, ranks=1)), policies(found))


def test_a_list_may_be_given_and_what_is_left_over_is_not_used(predict, two_packages, cpus):
    assert ["0-1", "2,8"] == cpus(predict("deepspeed", two_packages, ranks=2, bind_core_list="0-2,8-9"))


def test_numactl_refuses_a_part_outside_the_cpuset(predict, two_packages, cpus):
    found = predict("deepspeed", two_packages, "cpuset=0-2")

    assert ["0-1", "refused", "refused", "refused"] == cpus(found)
    assert "numactl exits 1: cpu argument 2-3 is out of range" == found.prediction.reason


def test_more_ranks_than_cores_are_refused(predict, two_packages, cpus):
    assert ["refused"] * 9 == cpus(predict("deepspeed", two_packages, ranks=9))


def test_as_many_empty_numa_nodes_as_others_are_taken_for_hbm(predict, two_packages, policies):
    memory = "root/sys/devices/system/node"
    more = {f"{memory}/node{number}/cpulist": "" for number in (2, 3)}

    assert ["prefer:2", "prefer:2", "prefer:3", "prefer:3"] == policies(predict("deepspeed", two_packages, more=more))


def test_numa_nodes_numbered_with_a_hole_are_taken_for_others(predict, two_packages, policies):
    memory = "root/sys/devices/system/node"
    more = {f"{memory}/node8/cpulist": "4-7,12-15", f"{memory}/node8/meminfo": "Node 8 MemTotal: 1048576 kB\n"}

    assert ["bind:0", "bind:0", "default", "default"] == policies(
        predict("deepspeed", two_packages._replace(numa_nodes=("0-3,8-11",), gpu_nodes=(0, 0, 0, 0)), more=more)
    )
