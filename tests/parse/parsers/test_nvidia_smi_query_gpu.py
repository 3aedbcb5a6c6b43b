import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.nvidia_smi_query_gpu import (
    PARSER,
    NvidiaSmiQueryGpu,
    QueriedGpu,
    parse,
)

UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"
TEXT = f"""\
index, uuid, pci.bus_id, name, driver_version
0, {UUID}, 00000000:3B:00.0, Example GPU, 570.1
1, [N/A], 00010000:AF:00.0, [Unknown Error], 570.1
"""


def test_reads_the_columns_of_the_collector() -> None:
    assert parse(TEXT) == NvidiaSmiQueryGpu(
        (
            QueriedGpu(0, UUID, PciAddress(0, 0x3B, 0, 0), "Example GPU", "570.1"),
            QueriedGpu(1, None, PciAddress(0x10000, 0xAF, 0, 0), None, "570.1"),
        )
    )


def test_columns_in_any_order_with_units() -> None:
    text = f"gpu_name, memory.total [MiB], gpu_bus_id, gpu_uuid\nExample GPU, 81559 MiB, 00000000:3B:00.0, {UUID}\n"
    assert parse(text).gpus == (QueriedGpu(None, UUID, PciAddress(0, 0x3B, 0, 0), "Example GPU", None),)


@pytest.mark.parametrize("text", ["", "index, uuid\n", "index, uuid\nlost, [N/A]\n", "pid, gpu_uuid\n1, GPU-1\n", "name\nExample GPU\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_header_and_not_in_the_process_table() -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + TEXT)] == [4]
    assert list(PARSER.matches("gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n" + UUID + ", 7, python3, 5 MiB\n")) == []
