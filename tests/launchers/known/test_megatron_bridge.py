"""Megatron-Bridge: the local rank divided by a constant, or the GPU's NUMA node."""


def test_slurm_divides_the_local_rank(predict, two_packages, cpus, policies):
    found = predict("megatron-bridge", two_packages, gpus_per_numa_node="2")

    assert (["0-3,8-11"] * 2 + ["4-7,12-15"] * 2, "bind:1") == (cpus(found), policies(found)[2])
    assert ["0-3,8-11"] * 4 == cpus(predict("megatron-bridge", two_packages))


def test_a_numa_node_that_is_not_there_is_refused(predict, two_packages, cpus):
    assert "refused" == cpus(predict("megatron-bridge", two_packages, gpus_per_numa_node="1"))[2]


def test_kubeflow_reads_the_numa_node_of_nvidia_smis_number(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 3 + ["4-7,12-15"] == cpus(predict("megatron-bridge", two_packages, mode="kubeflow"))
    assert ["0-3,8-11"] == cpus(predict("megatron-bridge", two_packages, mode="kubeflow", visible="3"))


def test_kubeflow_ends_a_rank_whose_gpu_has_no_numa_node(predict, two_packages, cpus):
    found = predict("megatron-bridge", two_packages._replace(gpu_nodes=(-1, 1)), mode="kubeflow")

    assert ["refused", "4-7,12-15"] == cpus(found)
