import pytest

from numaaudit.core.errors import ParseError
from numaaudit.core.pci import PciAddress
from numaaudit.parse.parsers.kfd_node import KfdNode, parse

GPU = "cpu_cores_count 0\nsimd_count 416\nvendor_id 4098\ndevice_id 29711\nlocation_id 17152\ndomain 0\ndrm_render_minor 129\n"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (GPU + "hive_id 12609507387757274807\nnum_xcc 1\n",
         KfdNode(0, 416, 4098, 29711, PciAddress(0, 0x43, 0, 0), 129, 12609507387757274807, 1)),
        (GPU + "hive_id 0\nbrand_new 3\n\0", KfdNode(0, 416, 4098, 29711, PciAddress(0, 0x43, 0, 0), 129, None, None)),
        ("cpu_cores_count 32\nsimd_count 0\nvendor_id 0\ndevice_id 0\nlocation_id 0\ndomain 0\ndrm_render_minor 0\n",
         KfdNode(32, 0, 0, 0, None, None, None, None)),
    ],
)  # fmt: skip
def test_the_properties_give_the_record(text: str, record: KfdNode) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "simd_count 0\n", "cpu_cores_count x\nsimd_count 0\n", GPU[:20]])
def test_a_cut_text_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
