import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.drm_fdinfo import DrmFdinfo, parse

FD = "pos:\t0\nflags:\t02100002\nmnt_id:\t24\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (FD + "drm-driver:\tamdgpu\ndrm-client-id:\t42\ndrm-pdev:\t0000:c1:00.0\ndrm-memory-vram:\t2048 KiB\ndrm-memory-gtt:\t1 MiB\n"
         "drm-engine-gfx:\t700 ns\ndrm-engine-compute:\t300 ns\ndrm-engine-capacity-gfx:\t2\n",
         DrmFdinfo("amdgpu", PciAddress(0, 0xC1, 0, 0), 42, 1000, 3 << 20)),
        (FD + "drm-driver:\txe\ndrm-resident-system:\t0\ndrm-memory-system:\t9 KiB\n", DrmFdinfo("xe", None, None, None, 0)),
        (FD, DrmFdinfo(None, None, None, None, None)),
        (FD + "\0", DrmFdinfo(None, None, None, None, None)),
    ],
)  # fmt: skip
def test_the_lines_give_the_record(text: str, record: DrmFdinfo) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    "text",
    ["", "prose\n", FD + "drm-pdev:\tc1\n", FD + "drm-client-id:\tx\n", FD + "drm-memory-vram:\t5 GB\n", FD + "drm-engine-gfx:\t-5 ns\n"],
)
def test_an_impossible_value_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
