import pytest

from numaaudit.core.cpuset import CpuSet
from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.numactl_hardware import (
    PARSER,
    DistanceMatrix,
    NumactlHardware,
    NumactlNode,
    parse,
)

MIB = 1 << 20
SPARSE = """\
available: 3 nodes (0-1,252)
node 0 cpus: 0 1 2 3
node 0 size: 1000 MB
node 0 free: 500 MB
node 1 cpus: 4 5 6 7
node 1 size: <not available>
node 1 free: <not available>
node 252 cpus:
node 252 size: 0 MB
node 252 free: 0 MB
node distances:
node   0   1 252
  0:  10  21  80
  1:  21  10  80
252:  80  80  10
"""


def test_reads_sparse_nodes_unknown_sizes_and_distances() -> None:
    assert parse(SPARSE) == NumactlHardware(
        (
            NumactlNode(0, CpuSet.parse("0-3"), 1000 * MIB, 500 * MIB),
            NumactlNode(1, CpuSet.parse("4-7"), None, None),
            NumactlNode(252, CpuSet(), 0, 0),
        ),
        DistanceMatrix((0, 1, 252), ((10, 21, 80), (21, 10, 80), (80, 80, 10))),
    )


def test_lines_broken_between_and_inside_numbers() -> None:
    text = "available: 1 nodes (0)\nnode 0 cpus: 96 97 98 99 100\n101 102 103 104 105 106 107 1\n08 109 110\nnode 0 size: 9 MB\n"
    assert parse(text).numa_nodes == (NumactlNode(0, CpuSet.parse("96-110"), 9 * MIB, None),)


def test_words_that_are_no_numbers_make_the_list_unknown() -> None:
    for garbage in ("x", "²", "9" * 5000):
        assert parse(f"node 0 cpus: 1 {garbage}\n5 6\n").numa_nodes[0].cpus is None


def test_a_broken_distance_table() -> None:
    text = "node   0   1   2\n  3\n  0:  10  21  1\n20 120\n  1:  21  10\n  31  31\n  2: 120  31  10 120\n"
    assert parse(text).distances == DistanceMatrix((0, 1, 2, 3), ((10, 21, 120, 120), (21, 10, 31, 31), (120, 31, 10, 120), (None,) * 4))


def test_a_cut_row_ends_in_unknowns() -> None:
    assert parse("node   0   1\n  0:  10  21\n  1:  21\n").distances == DistanceMatrix((0, 1), ((10, 21), (21, None)))


def test_no_table() -> None:
    assert parse("available: 1 nodes (0)\nnode 0 cpus: 0\nNo distance information available.\n").distances is None


def test_a_kernel_without_numa_is_a_fact() -> None:
    assert parse("No NUMA available on this system\n") == NumactlHardware((), None, supported=False)


@pytest.mark.parametrize(
    "text", ["", "node 0\n", "node 9999 cpus: 0\n", "node distances:\n", "available: 2 nodes (0-1)\n", "node 0 99999\n0: 10\n"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize("text", [SPARSE, SPARSE.split("\n", 1)[1], SPARSE.split("distances:\n")[1], "No NUMA available on this system\n"])
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches(f"$ numactl -H\n{text}\n$ exit\n")] == [13]
