"""TensorRT-LLM: NVML's CPUs, unless the mask was constrained before."""


def test_an_unconstrained_worker_gets_nvmls_cpus(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 3 + ["4-7,12-15"] == cpus(predict("tensorrt-llm", two_packages))


def test_a_constrained_mask_is_widened_instead(predict, two_packages, cpus):
    found = predict("tensorrt-llm", two_packages, "cpuset=0-7")

    assert (["as before"] * 4, "0-7") == (cpus(found), str(found.ranks[0].effective_cpus))


def test_the_variable_forces_the_binding(predict, two_packages, cpus):
    found = predict("tensorrt-llm", two_packages, "cpuset=0-7", numa_aware="1")

    assert ("4-7,12-15", "4-7") == (cpus(found)[3], str(found.ranks[3].effective_cpus))
    assert ["as before"] * 4 == cpus(predict("tensorrt-llm", two_packages, numa_aware="0"))


def test_before_12985_nvml_was_asked_by_the_logical_number(predict, two_packages, cpus):
    assert ["4-7,12-15"] == cpus(predict("tensorrt-llm", two_packages, visible="3"))
    assert ["0-3,8-11"] == cpus(predict("tensorrt-llm", two_packages, visible="3", nvml_index="logical"))


def test_ranks_beyond_the_devices_begin_again(predict, two_packages, cpus):
    assert ["0-3,8-11", "4-7,12-15", "0-3,8-11"] == cpus(predict("tensorrt-llm", two_packages, visible="0,3", ranks=3))
