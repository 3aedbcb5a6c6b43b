import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.nvidia_smi_list import (
    PARSER,
    ListedGpu,
    ListedMig,
    NvidiaSmiList,
    parse,
)

TEXT = """\
GPU 0: NVIDIA Example (PCIe) 80GB (UUID: GPU-0123)
  MIG 1g.10gb     Device  0: (UUID: MIG-4567)
  MIG 2g.20gb     Device  1: (UUID: MIG-89ab)
GPU 1: NVIDIA Example (PCIe) 80GB (UUID: GPU-cdef)
"""


def test_reads_gpus_and_their_mig_devices() -> None:
    assert parse(TEXT) == NvidiaSmiList(
        (
            ListedGpu(
                0, "NVIDIA Example (PCIe) 80GB", "GPU-0123", (ListedMig("1g.10gb", 0, "MIG-4567"), ListedMig("2g.20gb", 1, "MIG-89ab"))
            ),
            ListedGpu(1, "NVIDIA Example (PCIe) 80GB", "GPU-cdef", ()),
        )
    )


def test_environment_reports_have_no_uuids() -> None:
    text = "GPU models and configuration: GPU 0: NVIDIA X\n  MIG 1g.12gb     Device  0:\nGPU 1: NVIDIA X\nDriver: 1\nGPU 2: other\n"
    assert parse(text).gpus == (ListedGpu(0, "NVIDIA X", None, (ListedMig("1g.12gb", 0, None),)), ListedGpu(1, "NVIDIA X", None, ()))


def test_a_number_that_comes_again_ends_the_list() -> None:
    assert parse(TEXT + "GPU 0: other\n") == parse(TEXT)


@pytest.mark.parametrize("text", ["", "GPU\n", "MIG 1g.10gb Device 0:\n", "GPU x: y\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [TEXT, "GPU models and configuration: GPU 0: NVIDIA X\nGPU 1: NVIDIA X\n"])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text)] == [4]
