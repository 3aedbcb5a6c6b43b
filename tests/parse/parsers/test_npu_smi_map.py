import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.npu_smi_map import PARSER, NpuChip, parse

OLD = """\
\tNPU ID                         Chip ID                        Chip Logic ID                  Chip Name
\t2                              0                              0                              Ascend 910B
\t2                              1                              -                              Mcu
"""


def test_a_management_controller_has_no_logical_id() -> None:
    assert parse(OLD).chips == (NpuChip(2, 0, 0, None, "Ascend 910B"), NpuChip(2, 1, None, None, "Mcu"))


def test_newer_releases_have_slots_and_physical_ids() -> None:
    text = (
        "NPU ID   Slot ID   Chip ID   Chip Phy-ID   Chip Name\n0        1         1         3             Ascend\n$ exit\n9  9  9  9  x\n"
    )
    assert parse(text).chips == (NpuChip(0, 1, None, 3, "Ascend"),)


@pytest.mark.parametrize("text", ["", "NPU ID\n", "NPU ID  Chip ID\n", "2  0  0\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_header() -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + OLD)] == [4]
