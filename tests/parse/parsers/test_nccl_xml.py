import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.nccl_xml import PARSER, NcclCpu, NcclDevice, NcclTopology, parse

DUMP = """\
<system version="1">
  <cpu host_hash="0x1" numaid="1" affinity="ff,00000000" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:80:01.0" class="0x060400" link_speed="16 GT/s" link_width="16">
      <pci busid="0000:c1:00.0" class="0x030200" vendor="0x10de" link_speed="2.5 GT/s" link_width="16">
        <gpu dev="3" sm="90" rank="7" gdr="1"><nvlink target="0000:c2:00.0" count="2" tclass="0x068000"/></gpu>
      </pci>
      <pci busid="0000:c5:00.0" class="0x020700" vendor="0x15b3"><nic><net name="mlx5_4" dev="4" speed="400000"/></nic></pci>
    </pci>
  </cpu>
  <cpu numaid="-1"/>
</system>
"""


def test_reads_devices_with_the_cpu_above_them() -> None:
    cpu = NcclCpu(1, CpuSet.parse("32-39"), "x86_64", "GenuineIntel")
    assert parse(DUMP) == NcclTopology(
        (cpu, NcclCpu(None, None, None, None)),
        (
            NcclDevice("gpu", PciAddress(0, 0xC1, 0, 0), "0302", "10de", 3, (), cpu),
            NcclDevice("nic", PciAddress(0, 0xC5, 0, 0), "0207", "15b3", None, ("mlx5_4",), cpu),
        ),
    )


def test_files_of_vendors_name_devices_by_class_only() -> None:
    text = (
        '<system version="1"><cpu numaid="0"><pci busid="ffff:ff:01.0" class="0x060400"><pci busid="0003:00:00.0" class="0x120000"/>'
        '<pci busid="0103:00:00.0" class="0x020000"/><pci busid="0104:00:00.0" class="0x010802"/><pci busid="x" class="0x030200"/>'
        "</pci></cpu></system>"
    )
    assert [(device.kind, str(device.pci_address)) for device in parse(text).devices] == [("gpu", "0003:00:00.0"), ("nic", "0103:00:00.0")]


@pytest.mark.parametrize("text", ["", "<system></system>", "<system><cpu></system>", "<topology/>"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [DUMP, "<!--\n licence\n-->\n" + DUMP])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text)] == [4]
