import pytest

from numaaudit.core.errors import ParseError
from numaaudit.parse.parsers.numastat import (
    PARSER,
    NodeCounters,
    NodeMemory,
    ProcessMemory,
    parse,
)

MIB = 1 << 20
PAGES = """\
                           node0           node8
numa_hit                      10              20
numa_miss                      1               2
numa_foreign                   2               1
interleave_hit                 3               4
local_node                     5               6
other_node                     7               8

                          node16
numa_hit                      30
"""
ONE_PROCESS = """\
Per-node process memory usage (in MBs) for PID 4242 (worker)
                           Node 0          Node 1           Total
                  --------------- --------------- ---------------
Huge                         0.00            0.00            0.00
Private                      0.50            1.25            1.75
----------------  --------------- --------------- ---------------
Total                        0.50            1.25            1.75
"""
SEVERAL = """\
  Per-node process memory usage (in MBs)
  PID              Node 0 Node 1 Total
  ---------------  ------ ------ -----
  701 (hot_cold)      501      0   501
  24463 (qemu_hotr      6      7    13
  ---------------  ------ ------ -----
  Total               507      7   514
"""
MEMORY = """\
Token Unaccepted not in hash table.
Per-node system memory usage (in MBs):
                          Node 0          Node 1           Total
                 --------------- --------------- ---------------
MemTotal                 1000.00         2000.00         3000.00
MemFree                   100.50          200.00          300.50
MemUsed                   899.50         1800.00         2699.50
"""


def test_counters_of_sparse_nodes_over_several_tables() -> None:
    counters = parse(PAGES).counters
    assert counters[0] == NodeCounters(
        0, {"numa_hit": 10, "numa_miss": 1, "numa_foreign": 2, "interleave_hit": 3, "local_node": 5, "other_node": 7}
    )
    assert [(row.numa_node, row.counters["numa_hit"]) for row in counters] == [(0, 10), (8, 20), (16, 30)]


def test_total_of_one_process() -> None:
    assert parse(ONE_PROCESS).processes == (ProcessMemory(4242, "worker", {0: MIB // 2, 1: MIB * 5 // 4}),)


def test_one_row_per_process_and_the_sum_is_nobodys() -> None:
    assert parse(SEVERAL).processes == (
        ProcessMemory(701, "hot_cold", {0: 501 * MIB, 1: 0}),
        ProcessMemory(24463, "qemu_hotr", {0: 6 * MIB, 1: 7 * MIB}),
    )


def test_no_matching_process_gives_no_process_the_hosts_figures() -> None:
    text = 'Found no processes containing pattern: "x"\n\nPer-node numastat info (in MBs):\n   Node 0   Total\nNuma_Hit   9.00   9.00\n'
    found = parse(text)
    assert (found.no_process, found.processes, found.counters) == (True, (), ())


def test_memory_of_the_nodes() -> None:
    assert parse(MEMORY).memory == (NodeMemory(0, 1000 * MIB, 105381888), NodeMemory(1, 2000 * MIB, 200 * MIB))


def test_a_cut_row_is_left_out() -> None:
    assert parse(PAGES.split("other_node", maxsplit=1)[0] + "other_node   7\n").counters[0].counters.keys() == {
        "numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["", "numa_hit 1\n", "node0\n", "PID Node 0 Total\n7 x\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize(
    "text", [PAGES, ONE_PROCESS, SEVERAL, MEMORY.split("\n", 1)[1], 'Found no processes containing pattern: "x"\n\n' + SEVERAL]
)
def test_is_recognised_once_at_its_first_line(text: str) -> None:
    assert [match.start() for match in PARSER.matches("$ x\n" + text)] == [4]
