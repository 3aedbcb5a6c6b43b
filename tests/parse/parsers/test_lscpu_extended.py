import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.lscpu_extended import (
    PARSER,
    LscpuCpu,
    LscpuExtended,
    parse,
)

TABLE = """\
CPU NODE SOCKET CORE ONLINE
  0    0      0    0    yes
  1    1      1    1    yes
  2    -      -    -     no
"""
PARSABLE = """\
# The following is the parsable format, which can be fed to other
# programs. Each different item in every column has an unique ID
# starting usually from zero.
# CPU,Core,Socket,Node,,L1d,L1i,L2,L3
0,0,0,0,,0,0,0,0
1,1,0,,,1,1,1,0
"""


def test_reads_the_columns_asked_for() -> None:
    assert parse(TABLE) == LscpuExtended(
        ("CPU", "NODE", "SOCKET", "CORE", "ONLINE"),
        (
            LscpuCpu(0, 0, 0, 0, None, None, True),
            LscpuCpu(1, 1, 1, 1, None, None, True),
            LscpuCpu(2, None, None, None, None, None, False),
        ),
    )


def test_an_empty_cell_of_the_parsable_format_is_unknown() -> None:
    assert parse(PARSABLE).cpus == (LscpuCpu(0, 0, 0, 0, None, None, None), LscpuCpu(1, None, 0, 1, None, None, None))


def test_s390_node_column_of_dashes_is_unknown_and_books_are_kept() -> None:
    text = "CPU NODE DRAWER BOOK SOCKET CORE L1d:L1i:L2:L3 ONLINE MODELNAME MHZ\n  4 -  1  2  3  4  0:0:0:0  да  a b c 5000\n"
    assert parse(text).cpus == (LscpuCpu(4, None, 3, 4, 2, 1, True),)


def test_stops_at_the_first_foreign_line() -> None:
    assert len(parse("$ lscpu -e\n" + TABLE + "$ numactl -H\n9 9 9 9 yes\n").cpus) == 3


def test_a_short_row_leaves_the_rest_unknown() -> None:
    assert parse("CPU NODE SOCKET CORE ONLINE\n0 1\n").cpus == (LscpuCpu(0, 1, None, None, None, None, None),)


@pytest.mark.parametrize("text", ["", "CPU NODE\n", "NODE SOCKET\n0 0\n", "# CPU,Core\n", "CPU NODE\n99999999 0\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [TABLE, PARSABLE])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text)] == [4]
