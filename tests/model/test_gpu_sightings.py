"""Which GPUs each source knows of."""

import pytest

from numaaudit.model.sections.devices import Devices

PCI = "root/sys/bus/pci/devices"
HWLOC = """\
<topology version="2.0">
  <object type="Machine" cpuset="0x3" nodeset="0x1">
    <object type="NUMANode" os_index="0" cpuset="0x3" nodeset="0x1"/>
    <object type="Bridge" bridge_type="0-1">
      <object type="PCIDev" pci_busid="0000:1b:00.0" pci_type="0302 [10de:2330] [10de:0000] a1">
        <object type="OSDev" name="nvml7" osdev_type="1"/>
      </object>
      <object type="PCIDev" pci_busid="0000:02:00.0" pci_type="0300 [1a03:2000] [0000:0000] 41"/>
      <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="1200 [1002:740f] [0000:0000] 01"/>
    </object>
  </object>
</topology>
"""
NCCL = """\
<system version="1">
  <cpu numaid="0" affinity="3" arch="x86_64">
    <pci busid="0000:1b:00.0" class="0x030200" vendor="0x10de"><gpu dev="5" rank="0"/></pci>
    <pci busid="0000:1c:00.0" class="0x020700" vendor="0x15b3"><nic><net name="mlx5_3" dev="0"/></nic></pci>
  </cpu>
</system>
"""
NPUS = "\t   NPU0       NPU1       CPU Affinity\nNPU0       X          HCCS       0-1\nNPU1       HCCS       X          2-3\n"
CHIPS = """\
NPU ID                         Chip ID                        Chip Logic ID                  Chip Name
0                              0                              0                              Ascend 910B
0                              1                              -                              Mcu
"""
ROCM = """\
======== ROCm System Management Interface ========
======== Link Type between two GPUs ========
       GPU0         GPU1
GPU0   0            XGMI
GPU1   XGMI         0
======== End of ROCm SMI Log ========
"""


def gpus(build, entries):
    found = build(entries if isinstance(entries, dict) else {"pasted/paste.txt": entries}).section(Devices).gpus
    return [(gpu.name, gpu.vendor, gpu.index, gpu.model) for gpu in found]


def function(address, class_code, vendor, device="0x0001"):
    return {f"{PCI}/{address}/class": class_code, f"{PCI}/{address}/vendor": vendor, f"{PCI}/{address}/device": device}


@pytest.mark.parametrize(
    ("class_code", "vendor", "device", "expected"),
    [
        ("0x030200", "0x10de", "0x2330", "nvidia"),
        ("0x038000", "0x1002", "0x740f", "amd"),
        ("0x120000", "0x19e5", "0xd802", "huawei"),
        ("0x120000", "0x1da3", "0x1020", "habana"),
        ("0x030000", "0x1a03", "0x2000", None),
        ("0x030000", "0x19e5", "0x1711", None),
        ("0x020000", "0x10de", "0x2330", None),
    ],
)
def test_a_display_or_accelerator_of_an_accelerators_vendor_is_a_gpu(build, class_code, vendor, device, expected):
    found = gpus(build, function("0000:1b:00.0", class_code, vendor, device))

    assert found == ([("0000:1b:00.0", expected, None, None)] if expected else [])


def test_hwloc_names_a_gpu_after_the_vendors_index(build):
    assert gpus(build, HWLOC) == [("0000:03:00.0", "amd", None, None), ("0000:1b:00.0", "nvidia", 7, None)]


def test_nccls_dev_counts_one_jobs_devices_and_is_no_index(build):
    assert gpus(build, NCCL) == [("0000:1b:00.0", "nvidia", None, None)]


def test_npus_are_known_from_npu_smi_and_from_their_device_files(build):
    entries = {"pasted/paste.txt": CHIPS + "\n" + NPUS, "root/dev/davinci1": "", "root/dev/davinci2": "", "root/dev/davinci_manager": ""}

    assert gpus(build, entries) == [("#0", "huawei", 0, "Ascend 910B"), ("#1", "huawei", 1, None), ("#2", "huawei", 2, None)]


def test_the_word_for_a_device_tells_amd_from_hygon(build):
    assert [row[1] for row in gpus(build, ROCM)] == ["amd", "amd"]
    assert [row[1] for row in gpus(build, ROCM.replace("GPU", "HCU"))] == ["hygon", "hygon"]


def test_a_partition_that_kfd_lists_is_no_gpu_of_its_own(build):
    folder = "root/sys/class/kfd/kfd/topology/nodes"
    properties = "cpu_cores_count 0\nsimd_count 4\nvendor_id 4098\nlocation_id {}\ndomain 0\n"
    entries = {f"{folder}/{number}/properties": properties.format(0x1B00 + number) for number in (0, 1)}

    assert gpus(build, entries) == [("0000:1b:00.0", "amd", None, None)]


def test_a_gpu_that_the_driver_excludes_is_none(build):
    folder = "root/proc/driver/nvidia/gpus"
    text = "Model: \t\t NVIDIA X\nBus Location: \t 0000:{}:00.0\nDevice Minor: \t {}\nGPU Excluded:\t {}\n"
    entries = {f"{folder}/0000:1b:00.0/information": text.format("1b", 0, "No")}
    entries[f"{folder}/0000:2c:00.0/information"] = text.format("2c", 1, "Yes")

    assert gpus(build, entries) == [("0000:1b:00.0", "nvidia", None, "NVIDIA X")]
