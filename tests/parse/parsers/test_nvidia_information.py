import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.nvidia_information import NvidiaInformation, parse

TEXT = (
    "Model: \t\t NVIDIA A100 80GB PCIe\nIRQ:   \t\t 246\nGPU UUID: \t GPU-0b1c2d3e-0000-1111-2222-333344445555\n"
    "Video BIOS: \t 92.00.A0.00.05\n"
    "Bus Type: \t PCIe\nDMA Size: \t 47 bits\nDMA Mask: \t 0x7fffffffffff\nBus Location: \t 0000:ca:00.0\nDevice Minor: \t 2\n"
    "GPU Firmware: \t 550.90.07\nGPU Excluded:\t No\n"
)
RECORD = NvidiaInformation(
    PciAddress(0, 0xCA, 0, 0), 2, "GPU-0b1c2d3e-0000-1111-2222-333344445555", "NVIDIA A100 80GB PCIe", 246, "550.90.07", False
)


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, RECORD),
        (TEXT + "\0", RECORD),
        (
            TEXT.replace("GPU-0b1c2d3e-0000-1111-2222-333344445555", "GPU-????????-????-????-????-????????????"),
            RECORD._replace(gpu_uuid=None),
        ),
        (TEXT.replace("NVIDIA A100 80GB PCIe", "Unknown"), RECORD._replace(model=None)),
        (TEXT.replace("550.90.07", "N/A"), RECORD._replace(firmware=None)),
        (TEXT.replace("GPU Excluded:\t No", "Blacklisted:\t Yes"), RECORD._replace(is_excluded=True)),
        ("Device Minor: \t 0\n", NvidiaInformation(None, 0, None, None, None, None, None)),
    ],
)
def test_the_labels_give_the_record(text: str, record: NvidiaInformation) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text", ["", "Model: NVIDIA\n", "Bus Location: 0000:zz:00.0\n", "Device Minor: two\n", "Device Minor: -1\n", "Bus Location:\n"]
)
def test_a_text_that_names_no_gpu_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
