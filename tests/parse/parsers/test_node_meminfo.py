import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.node_meminfo import NumaNodeMeminfo, parse

KIB = 1024
NOTHING = NumaNodeMeminfo(0, *[None] * (len(NumaNodeMeminfo._fields) - 1))
TEXT = """\
Node 1 MemTotal:       734744 kB
Node 1 MemFree:        600000 kB
Node 1 MemUsed:        134744 kB
Node 1 FilePages:       70000 kB
Node 1 AnonPages:       30000 kB
Node 1 Active(anon):       12 kB
Node 1 Shmem:               4 kB
Node 1 Mlocked:             8 kB
Node 1 AnonHugePages:    2048 kB
Node 1 HugePages_Total:    16
Node 1 HugePages_Free:      8
Node 1 HugePages_Surp:      0
"""


def test_what_the_kernel_can_give_back_is_read() -> None:
    lines = "Node 0 Active(file): 1 kB\nNode 0 Inactive(file): 2 kB\nNode 0 SReclaimable: 3 kB\n"

    assert parse(lines) == NOTHING._replace(active_file_bytes=KIB, inactive_file_bytes=2 * KIB, reclaimable_slab_bytes=3 * KIB)


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, NumaNodeMeminfo(1, 734744 * KIB, 600000 * KIB, 70000 * KIB, 30000 * KIB, 4 * KIB, 2048 * KIB, 8 * KIB, 16, 8, 0)),
        ("\n" + TEXT.replace("\n", "\0\n"), parse(TEXT)),
        ("Node 0 MemTotal: 0 kB\n", NOTHING._replace(total_bytes=0)),
        ("Node 0 MemTotal: 8 kB\nNode 0 HugePages_Free: 1024 kB\n", NOTHING._replace(total_bytes=8 * KIB)),
        ("Node 0 HugePages_Total:     0\n", NOTHING._replace(hugepages_total=0)),
    ],
)
def test_the_lines_give_the_record(text: str, record: NumaNodeMeminfo) -> None:
    assert parse(text) == record


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("MemTotal: 8 kB\n", 1),
        ("Node 0 MemTotal: 8 kB\nNode 1 MemTotal: 8 kB\n", 2),
        ("Node 0 MemTotal: 8 kB\nNode 0 MemFree: x kB\n", 2),
        ("Node 99999 MemTotal: 8 kB\n", 1),
        ("Node 0 MemTotal: 8", 1),
    ],
)
def test_a_line_of_another_form_is_refused(text: str, line: int | None) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.line == line
