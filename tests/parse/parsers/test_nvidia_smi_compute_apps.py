import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.nvidia_smi_compute_apps import (
    PARSER,
    ComputeApp,
    NvidiaSmiComputeApps,
    parse,
)

UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"
HEADER = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"


def test_a_process_on_two_gpus_has_two_rows() -> None:
    text = HEADER + f"{UUID}, 4242, /usr/bin/python3, 1024 MiB\nGPU-2, 4242, [Insufficient Permissions], [N/A]\n"
    assert parse(text) == NvidiaSmiComputeApps(
        (
            ComputeApp(UUID, None, 4242, "/usr/bin/python3", 1 << 30, 2),
            ComputeApp("GPU-2", None, 4242, None, None, 3),
        )
    )


def test_no_process_is_a_fact() -> None:
    assert parse(HEADER) == NvidiaSmiComputeApps(())


def test_bare_numbers_take_the_unit_of_the_header() -> None:
    apps = parse("gpu_bus_id, pid, used_gpu_memory [MiB]\n00000000:3B:00.0, 7, 2\n").apps
    assert apps == (ComputeApp(None, PciAddress(0, 0x3B, 0, 0), 7, None, 2 << 20, 2),)


def test_a_name_with_a_comma() -> None:
    assert parse(HEADER + f"{UUID}, 7, tool --a=1, --b, 5 MiB\n").apps[0].process_name == "tool --a=1, --b"


@pytest.mark.parametrize("text", ["", "index, uuid\n0, GPU-1\n", "7, python3\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


def test_is_recognised_at_its_header_even_without_rows() -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + HEADER)] == [4]
    assert list(PARSER.matches("pid, tid, cpu\n")) == []
