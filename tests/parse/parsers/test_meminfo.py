import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.meminfo import Meminfo, parse

KIB = 1024
NOTHING = Meminfo(*[None] * len(Meminfo._fields))
TEXT = """\
MemTotal:       263735516 kB
MemFree:        201000000 kB
MemAvailable:   250000000 kB
Cached:         30000000 kB
SwapTotal:             0 kB
SwapFree:              0 kB
AnonPages:       5000000 kB
Shmem:            100000 kB
Mlocked:             100 kB
AnonHugePages:   2048000 kB
SomeNewKey:            7 kB
HugePages_Total:      16
HugePages_Free:        8
HugePages_Rsvd:        1
HugePages_Surp:        0
Hugepagesize:       2048 kB
Hugetlb:           32768 kB
"""


@pytest.mark.parametrize(
    ("text", "record"),
    [
        (TEXT, Meminfo(
            263735516 * KIB, 201000000 * KIB, 250000000 * KIB, 30000000 * KIB, 5000000 * KIB, 100000 * KIB, 2048000 * KIB, 100 * KIB,
            0, 0, 2048 * KIB, 16, 8, 1, 0, 32768 * KIB)),
        ("MemTotal: 8 kB\n\0", NOTHING._replace(total_bytes=8 * KIB)),
        ("HugePages_Total:   0\n", NOTHING._replace(hugepages_total=0)),
        ("MemTotal: 8 kB\nHugePages_Total: 1024 kB\n", NOTHING._replace(total_bytes=8 * KIB)),
    ],
)  # fmt: skip
def test_meminfo_gives_the_record(text: str, record: Meminfo) -> None:
    assert parse(text) == record


@pytest.mark.parametrize("text", ["", "prose", "MemTotal: many kB\n", "MemTotal: 8\n", "MemTotal: -8 kB\n"])
def test_a_text_that_is_no_meminfo_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
