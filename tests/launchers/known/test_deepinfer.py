"""DeepInfer: contiguous slices of ids, by the physical number of the GPU."""


def test_each_gpu_has_its_slice_of_the_core_count(predict, two_packages, cpus, policies):
    found = predict("deepinfer", two_packages)

    assert ["0-1", "2-3", "4-5", "6-7"] == cpus(found)
    assert ["bind:0", "bind:0", "bind:0", "bind:1"] == policies(found)
    assert ["local", "local", "remote", "local"] == [rank.placement.value for rank in found.ranks]


def test_visible_devices_do_not_move_the_slices(predict, two_packages, cpus):
    assert ["6-7", "0-1"] == cpus(predict("deepinfer", two_packages, visible="3,0"))


def test_a_disjoint_cpuset_ends_the_worker_and_an_overlapping_one_shrinks_its_mask(predict, two_packages, cpus):
    found = predict("deepinfer", two_packages, "cpuset=0-2,8-15")

    assert ["0-1", "2-3", "refused", "refused"] == cpus(found)
    assert "2" == str(found.ranks[1].effective_cpus)
    assert "bind_cpu ends the worker with ValueError: CPU number 4 is not eligible" == found.prediction.reason


def test_more_gpus_than_cores_reset_the_mask(predict, two_packages):
    found = predict("deepinfer", two_packages._replace(gpu_nodes=(0,) * 9))

    assert {"0-15"} == {str(rank.effective_cpus) for rank in found.ranks}


def test_a_uuid_among_the_visible_devices_ends_the_worker(predict, two_packages):
    found = predict("deepinfer", two_packages, ranks=1)
    named = found.job._replace(visible_devices="GPU-8a56a4bc")

    assert "refuses" == found.launcher.predict(found.view, named).outcome.value


def test_a_gpu_without_a_numa_node_keeps_the_slice_and_has_no_policy(predict, two_packages, cpus, policies):
    found = predict("deepinfer", two_packages._replace(gpu_nodes=(0, 0, -1, 1)))

    assert ("4-5", "default", "unknown") == (cpus(found)[2], policies(found)[2], found.ranks[2].placement.value)


def test_the_pool_fails_where_the_slice_is_smaller(predict, two_packages, cpus):
    assert ["refused"] * 4 == cpus(predict("deepinfer", two_packages, threads="so-builder"))
    assert ["0", "2", "4", "6"] == cpus(predict("deepinfer", two_packages, threads="so-builder", so_builder_cpus="1"))


def test_nccl_ignores_a_mask_without_a_local_cpu(predict, two_packages, cpus):
    found = predict("deepinfer", two_packages, threads="nccl")

    assert ["0-1", "2-3", "as before", "6-7"] == cpus(found)
    assert "4-5" == str(found.ranks[2].effective_cpus)
