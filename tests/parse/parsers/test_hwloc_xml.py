import pytest

from numaaudit.core.cpuset import CpuSet, NodeSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.hwloc_xml import (
    PARSER,
    HwlocCore,
    HwlocNumaNode,
    HwlocOsDevice,
    HwlocPackage,
    HwlocPciDevice,
    HwlocTopology,
    parse,
)
from numaaudit.parse.parsers.numactl_hardware import DistanceMatrix

VERSION_2 = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f" nodeset="0x00000103" gp_index="1">
    <info name="HostName" value="gpu07"/>
    <info name="Architecture" value="x86_64"/>
    <object type="Package" os_index="0" cpuset="0x00000003" nodeset="0x00000101" gp_index="2">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000013" nodeset="0x00000001" gp_index="3"
              local_memory="1048576"/>
      <object type="NUMANode" os_index="8" cpuset="0x00000003" nodeset="0x00000100" gp_index="4" subtype="GPUMemory"/>
      <object type="Core" os_index="5" cpuset="0x00000003" nodeset="0x00000001" gp_index="5"/>
    </object>
    <object type="Package" cpuset="0x0000000c" nodeset="0x00000002" gp_index="6">
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x00000002" gp_index="7" local_memory="2097152"/>
      <object type="Bridge" bridge_type="0-1" gp_index="8">
        <object type="PCIDev" pci_busid="0000:C1:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" gp_index="9">
          <object type="OSDev" name="cuda0" subtype="CUDA" osdev_type="5" gp_index="10"/>
        </object>
        <object type="PCIDev" pci_busid="broken" pci_type="0200 [15b3:101b]"/>
      </object>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="9" name="NUMABandwidth" indexing="os">
    <indexes length="4">0 1 </indexes><u64values length="8">9 9 9 9 </u64values>
  </distances2>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="gp">
    <indexes length="4">3 7 </indexes><u64values length="12">10 21 </u64values><u64values length="12">21 10 </u64values>
  </distances2>
</topology>
"""
VERSION_1 = """\
<topology>
  <object type="Machine" os_index="0" cpuset="0x0000000f" online_cpuset="0x0000000f" allowed_cpuset="0x0000000e" nodeset="0x3">
    <distances nbobjs="2" relative_depth="2" latency_base="10.000000">
      <latency value="1.000000"/><latency value="2.100000"/><latency value="2.100000"/><latency value="1.000000"/>
    </distances>
    <object type="Socket" os_index="0" cpuset="0x0000000f" nodeset="0x3">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" nodeset="0x1" local_memory="4096">
        <object type="Core" os_index="0" cpuset="0x00000001"/>
        <object type="Bridge"><object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0207 [15b3:1019] [0:0] 00">
          <object type="OSDev" name="mlx5_0" osdev_type="3"/></object></object>
      </object>
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x2" local_memory="4096"/>
    </object>
  </object>
</topology>
"""


def cpus(text: str) -> CpuSet:
    return CpuSet.parse(text)


def test_reads_version_2() -> None:
    gpu = HwlocPciDevice(
        PciAddress(0, 0xC1, 0, 0), "0302", "10de", "2330", cpus("2-3"), NodeSet.parse("1"), (HwlocOsDevice("cuda0", ("coprocessor",)),)
    )
    assert parse(VERSION_2) == HwlocTopology(
        version="2.0", architecture="x86_64", hostname="gpu07", cpus=cpus("0-3"), complete_cpus=cpus("0-4"),
        numa_nodes=(
            HwlocNumaNode(0, cpus("0-1"), cpus("0-1,4"), 1 << 20, None), HwlocNumaNode(8, cpus("0-1"), None, None, "GPUMemory"),
            HwlocNumaNode(1, cpus("2-3"), None, 2 << 20, None),
        ),
        packages=(HwlocPackage(0, cpus("0-1")), HwlocPackage(None, cpus("2-3"))), cores=(HwlocCore(5, cpus("0-1")),),
        distances=DistanceMatrix((0, 1), ((10, 21), (21, 10))), pci_devices=(gpu,),
    )  # fmt: skip


def test_reads_version_1_where_numa_nodes_hold_the_cores() -> None:
    found = parse(VERSION_1)
    assert (found.version, found.cpus, found.packages) == ("1", cpus("1-3"), (HwlocPackage(0, cpus("0-3")),))
    assert found.distances == DistanceMatrix((0, 1), ((10, 21), (21, 10)))
    assert [(device.cpus, device.numa_nodes, device.os_devices) for device in found.pci_devices] == [
        (cpus("0-1"), NodeSet.parse("0"), (HwlocOsDevice("mlx5_0", ("openfabrics",)),))
    ]


def test_version_3_has_bits_for_kinds_of_devices() -> None:
    text = VERSION_2.replace('version="2.0"', 'version="3.0"').replace('osdev_type="5"', 'osdev_type="12"')
    assert parse(text).pci_devices[0].os_devices == (HwlocOsDevice("cuda0", ("gpu", "coprocessor")),)


def test_a_table_of_the_wrong_size_is_no_table() -> None:
    assert parse(VERSION_2.replace('kind="5"', 'kind="4"').replace("21 10 </u64values>\n", "</u64values>\n")).distances is None


@pytest.mark.parametrize("text", ["", "<topology></topology>", "<topology><object type='PU'/></topology>", "<topology><object></topology>"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_numbers_beyond_the_limits_are_left_out() -> None:
    inside = "<object type='NUMANode' os_index='99999'/><object type='Core' os_index='4294967295'/>"
    text = f"<topology><object type='Machine' cpuset='0x1'>{inside}</object></topology>"
    assert (parse(text).numa_nodes, parse(text).cores) == ((), (HwlocCore(None, CpuSet()),))


@pytest.mark.parametrize("text", [VERSION_1, VERSION_2])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text)] == [4]
