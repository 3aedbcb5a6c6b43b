import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.npu_smi_topo import (
    PARSER,
    NpuLink,
    NpuRow,
    NpuSmiTopo,
    parse,
)

TEXT = """\
\t   NPU0       NPU1       CPU Affinity
NPU0       X          HCCS       144-167
NPU1       HCCS       X          0-23

Legend:

  X    = Self
"""


def test_reads_links_and_affinities() -> None:
    assert parse(TEXT) == NpuSmiTopo(
        ("NPU0", "NPU1"),
        (NpuRow(0, CpuSet.parse("144-167")), NpuRow(1, CpuSet.parse("0-23"))),
        (NpuLink("NPU0", "NPU1", "HCCS"), NpuLink("NPU1", "NPU0", "HCCS")),
    )


def test_physical_ids_with_holes_and_no_affinity_column() -> None:
    found = parse("     Phy-ID2  Phy-ID12\nPhy-ID2  X  HCCS_SW\nPhy-ID12  NA  X\n")
    assert found.npus == (NpuRow(2, None), NpuRow(12, None))
    assert found.links == (NpuLink("Phy-ID2", "Phy-ID12", "HCCS_SW"),)


def test_nic_rows_are_no_npus() -> None:
    found = parse("      NPU0  NIC0  CPU Affinity\nNPU0  X  PIX  0-3\nNIC0  PIX  X\n")
    assert (found.npus, found.links[0]) == ((NpuRow(0, CpuSet.parse("0-3")),), NpuLink("NPU0", "NIC0", "PIX"))


@pytest.mark.parametrize("text", ["", "NPU0 NPU1\n", "NPU0 CPU Affinity\nGPU0 X 0-3\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_header_only() -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + TEXT)] == [4]
