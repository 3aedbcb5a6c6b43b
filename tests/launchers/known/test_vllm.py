"""vLLM's GPU workers: numactl by the NUMA node that NVML names."""


def test_workers_get_cpus_and_memory_of_their_gpus_numa_node(predict, two_packages, cpus, policies):
    found = predict("vllm", two_packages)

    assert ["0-3,8-11"] * 3 + ["4-7,12-15"] == cpus(found)
    assert ["bind:0", "bind:0", "bind:0", "bind:1"] == policies(found)


def test_a_constrained_mask_stops_the_engine(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("vllm", two_packages, "cpuset=0-14"))


def test_a_host_without_node1_stops_the_engine(predict, two_packages, cpus):
    one = two_packages._replace(numa_nodes=("0-15",), gpu_nodes=(0, 0))

    assert ["refused"] * 2 == cpus(predict("vllm", one))


def test_numa_nodes_and_cpus_may_be_given(predict, two_packages, cpus, policies):
    found = predict("vllm", two_packages, ranks=2, numa_bind_nodes="1 0", numa_bind_cpus="4-5 0-1")

    assert (["4-5", "0-1"], ["bind:1", "bind:0"]) == (cpus(found), policies(found))


def test_a_refused_membind_is_left_out(predict, two_packages, cpus, policies):
    found = predict("vllm", two_packages, ranks=1, membind="refused")

    assert (["0-3,8-11"], ["default"]) == (cpus(found), policies(found))


def test_what_numactl_refuses_wholly_is_left_out(predict, two_packages, cpus):
    found = predict("vllm", two_packages, "cpuset=0-3", ranks=1, numa_bind_nodes="0", numa_bind_cpus="2-5")

    assert ["as before"] == cpus(found)


def test_it_is_off_unless_it_is_asked_for(predict, two_packages, cpus):
    assert ["as before"] * 4 == cpus(predict("vllm", two_packages, numa_bind="no"))


def test_minus_one_means_the_numa_node_of_the_lowest_cpu(predict, two_packages, policies):
    assert "bind:0" == policies(predict("vllm", two_packages._replace(gpu_nodes=(0, 0, 0, -1))))[3]
