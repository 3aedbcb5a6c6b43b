"""vllm-ascend: pools of CPUs with roles."""

import pytest

ARM = {"commands/uname_-a.out": "Linux host 6.1.0 #1 SMP aarch64 GNU/Linux\n"}


@pytest.fixture
def npus():
    """Two Ascend NPUs instead of GPUs."""
    entries = {}
    for number in (0, 1):
        device = f"root/sys/bus/pci/devices/0000:{number + 16:02x}:00.0"
        entries |= {f"{device}/vendor": "0x19e5", f"{device}/class": "0x120000", f"{device}/device": "0xd802"}
        entries[f"root/proc/driver/nvidia/gpus/0000:{number + 16:02x}:00.0/information"] = ""
    return {**ARM, **entries}


def test_allowed_ids_are_cut_by_the_number_of_the_npu(predict, two_packages, npus, cpus):
    found = predict("vllm-ascend", two_packages._replace(gpu_nodes=(0, 1)), more=npus)

    assert ["2-5", "10-13"] == cpus(found)
    assert "thread acl on CPU 6, thread release on CPU 7, interrupts on CPUs 0 and 1" == found.ranks[0].notes[0]


def test_cpus_near_the_npu_come_with_the_next_numa_node(predict, two_packages, npus, cpus):
    found = predict("vllm-ascend", two_packages._replace(gpu_nodes=(0, 1)), more=npus, mode="topo-affinity")

    assert ["2-5", "10-13"] == cpus(found)


def test_small_pools_are_skipped(predict, two_packages, npus, cpus):
    assert ["as before"] * 2 == cpus(predict("vllm-ascend", two_packages._replace(gpu_nodes=(0, 1)), "cpuset=0-7", more=npus))


def test_other_devices_and_other_cpus_are_left_alone(predict, two_packages, npus, cpus):
    x86 = {**npus, "commands/uname_-a.out": ARM["commands/uname_-a.out"].replace("aarch64", "x86_64")}

    assert ["as before"] * 4 == cpus(predict("vllm-ascend", two_packages))
    assert ["as before"] * 2 == cpus(predict("vllm-ascend", two_packages._replace(gpu_nodes=(0, 1)), more=x86))
