"""accelerate: NVML's CPUs of the device whose number is the local rank."""


def test_ranks_get_their_gpus_cpus(predict, two_packages, cpus):
    assert ["0-3,8-11"] * 3 + ["4-7,12-15"] == cpus(predict("accelerate", two_packages))


def test_visible_devices_do_not_renumber_nvml(predict, two_packages, cpus):
    found = predict("accelerate", two_packages, visible="3")

    assert (["0-3,8-11"], "remote") == (cpus(found), found.ranks[0].placement.value)


def test_cpus_outside_the_cpuset_are_an_error(predict, two_packages, cpus):
    assert "refused" == cpus(predict("accelerate", two_packages, "cpuset=0-3"))[3]


def test_there_is_no_device_behind_the_last(predict, two_packages, cpus):
    assert "refused" == cpus(predict("accelerate", two_packages, ranks=5))[4]


def test_rocm_leaves_the_mask_of_a_gpu_without_a_numa_node(predict, two_packages, cpus):
    device = "root/sys/bus/pci/devices/0000:13:00.0"
    more = {f"{device}/vendor": "0x1002", f"{device}/numa_node": "-1"}

    assert "as before" == cpus(predict("accelerate", two_packages, more={**more, **_no_driver()}))[3]


def _no_driver():
    return {"root/proc/driver/nvidia/gpus/0000:13:00.0/information": ""}
