"""Network functions and NVMe controllers."""

from numaaudit.core.pci import PciAddress
from numaaudit.model.nics import Nic, Nvme
from numaaudit.model.sections.devices import Devices

PCI = "root/sys/bus/pci/devices"
DEVICE = "0000:00:01.0/0000:18:00.0"
HWLOC = """\
<topology version="2.0">
  <object type="Machine" cpuset="0xf" nodeset="0x3">
    <object type="NUMANode" os_index="0" cpuset="0x3"/>
    <object type="NUMANode" os_index="1" cpuset="0xc"/>
    <object type="Group" cpuset="0xc" nodeset="0x2">
      <object type="PCIDev" pci_busid="0000:18:00.0" pci_type="0207 [15b3:1021] [15b3:0000] 00">
        <object type="OSDev" name="ib0" osdev_type="2"/>
        <object type="OSDev" name="mlx5_4" osdev_type="3"/>
      </object>
      <object type="PCIDev" pci_busid="0000:19:00.0" pci_type="0108 [144d:a80a] [144d:0000] 00">
        <object type="OSDev" name="nvme3n1" osdev_type="0"/>
      </object>
    </object>
    <object type="PCIDev" pci_busid="0000:1a:00.0" pci_type="0200 [8086:1572] [8086:0000] 02"/>
  </object>
</topology>
"""
MATRIX = "\tGPU0\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPIX\tSYS\t0-7\t0\n\nNIC Legend:\n\n  NIC0: mlx5_bond_0\n"


def devices(build, entries):
    return build(entries if isinstance(entries, dict) else {"pasted/paste.txt": entries}).section(Devices)


def function(class_code, numa_node):
    folder = "root/sys/devices/pci0000:00/" + DEVICE
    return {
        f"{PCI}/0000:18:00.0": f"@../../../devices/pci0000:00/{DEVICE}",
        f"{folder}/class": class_code,
        f"{folder}/vendor": "0x15b3",
        f"{folder}/numa_node": numa_node,
    }


def test_a_nic_is_named_after_its_rdma_device(build):
    entries = function("0x020700", "1") | {
        "root/sys/class/infiniband/mlx5_2": f"@../../devices/pci0000:00/{DEVICE}/infiniband/mlx5_2",
        "root/sys/class/net/ib1": f"@../../devices/pci0000:00/{DEVICE}/net/ib1",
    }

    assert devices(build, entries).nics == (Nic("mlx5_2", "ib1", PciAddress(0, 0x18, 0, 0), 1, "sysfs"),)


def test_one_without_a_name_is_known_by_its_address_and_its_node_may_be_unknown(build):
    assert devices(build, function("0x020000", "-1")).nics == (Nic("0000:18:00.0", None, PciAddress(0, 0x18, 0, 0), None, None),)


def test_an_nvme_controller_has_the_kernels_name(build):
    entries = function("0x010802", "0") | {"root/sys/class/nvme/nvme1": f"@../../devices/pci0000:00/{DEVICE}/nvme/nvme1"}

    assert devices(build, entries).nvmes == (Nvme("nvme1", PciAddress(0, 0x18, 0, 0), 0, "sysfs"),)


def test_hwloc_tells_names_and_places(build):
    found = devices(build, HWLOC)

    assert found.nics == (
        Nic("mlx5_4", "ib0", PciAddress(0, 0x18, 0, 0), 1, "hwloc-xml"),
        Nic("0000:1a:00.0", None, PciAddress(0, 0x1A, 0, 0), None, None),
    )
    assert found.nvmes == (Nvme("nvme3n1", PciAddress(0, 0x19, 0, 0), 1, "hwloc-xml"),)


def test_nccl_tells_names_and_places(build):
    text = (
        '<system version="1">\n<cpu numaid="1" affinity="c" arch="x86_64">\n<pci busid="0000:18:00.0" class="0x020000">'
        '<nic><net name="mlx5_7" dev="0"/></nic></pci>\n</cpu>\n</system>\n'
    )

    assert devices(build, text).nics == (Nic("mlx5_7", None, PciAddress(0, 0x18, 0, 0), 1, "nccl-xml"),)


def test_a_matrix_tells_names_only_by_its_legend_else_by_its_label(build):
    assert devices(build, MATRIX).nics == (Nic("mlx5_bond_0", None, None, None, None), Nic("NIC1", None, None, None, None))


def test_a_matrix_beside_the_kernels_files_adds_no_nic(build):
    assert [nic.name for nic in devices(build, function("0x020000", "0") | {"pasted/paste.txt": MATRIX}).nics] == ["0000:18:00.0"]
